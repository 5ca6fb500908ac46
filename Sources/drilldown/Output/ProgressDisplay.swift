import Threads
import TreeSources

/// A thread that shows the progress of loads. On a terminal, it redraws a line; otherwise, it writes log lines.
///
/// The thread sleeps between loads.
struct ProgressDisplay {
    /// The form of the display.
    enum Style {
        /// A line at the bottom of the terminal.
        case bar(StandardError)
        /// Log lines.
        case lines(@Sendable (Log.Entry) -> Void)

        /// The time that a load must take before it is shown.
        fileprivate var patience: Duration {
            switch self {
            case .bar: .seconds(1)
            case .lines: .seconds(5)
            }
        }

        /// The time between two updates.
        fileprivate var interval: Duration {
            switch self {
            case .bar: .milliseconds(100)
            case .lines: .seconds(5)
            }
        }
    }

    private let progress: LoadProgress
    private let style: Style
    private let wakeup: Wakeup

    /// The size of the thread's stack. Formatting needs little; this size is enough for the longest path of a document.
    private static let stackBytes = 1 << 20

    /// Starts the thread.
    ///
    /// - Returns: the progress to which loads report; nil if the system cannot start a thread, so that loads are not
    ///   shown.
    static func start(_ style: Style) -> LoadProgress? {
        do throws(SystemCallError) {
            let wakeup = try Wakeup()
            let progress = LoadProgress { isLoading in
                // Clears the line before the lines about the ended load are written.
                if !isLoading, case .bar(let output) = style { output.draw { nil } }
                wakeup.signal()
            }
            let display = ProgressDisplay(progress: progress, style: style, wakeup: wakeup)
            _ = try Thread(name: "progress", stackBytes: stackBytes) { display.run() }
            return progress
        } catch {
            return nil
        }
    }

    private func run() {
        var load: LoadProgress.Instant?
        var next = LoadProgress.Instant.now
        while true {
            guard let status = progress.status else {
                load = nil
                wakeup.wait()
                continue
            }
            if load != status.begun { next = status.begun + style.patience }
            load = status.begun
            if .now >= next {
                show()
                next = .now + style.interval
            }
            wakeup.wait(milliseconds: Self.milliseconds(until: next))
        }
    }

    /// Returns the milliseconds until an instant, rounded up, so that a wait does not end before the instant.
    private static func milliseconds(until instant: LoadProgress.Instant) -> Int64 {
        Int64((instant - .now) / .milliseconds(1)) + 1
    }

    private func show() {
        switch style {
        case .bar(let output):
            // The status is read again under the lock of the output, so that a load that has just ended is not drawn.
            output.draw { progress.status.map { ProgressText(status: $0, at: .now).line(columns: output.columns) } }
        case .lines(let write):
            if let status = progress.status { write(Log.Entry(status: status, at: .now)) }
        }
    }
}

extension Log.Entry {
    /// Creates the line for a load that takes long.
    init(status: LoadProgress.Status, at now: LoadProgress.Instant) {
        self.init(
            severity: .info, event: "loading", text: ProgressText(status: status, at: now).sentence,
            members: [.init("file", .text(status.name)), .init("bytes", .number(status.bytes))]
                + (status.size.map { [.init("size", .number($0))] } ?? []) + [.init("items", .number(status.items))])
    }
}

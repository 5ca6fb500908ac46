import Threads
import TreeSources

/// Shows how far a load is, on its own thread: a moving line on a terminal, otherwise a log line now and then.
///
/// The thread sleeps between loads.
struct ProgressDisplay {
    /// How loads are shown.
    enum Style {
        /// A line at the bottom of the terminal.
        case bar(StandardError)
        /// Log lines.
        case lines(@Sendable (Log.Entry) -> Void)

        /// A shorter load is not shown.
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

    /// Formatting takes little stack; this is enough for a document's longest path.
    private static let stackBytes = 1 << 20

    /// - Returns: the progress that loads report to; nil if the system cannot start a thread, and then no load is
    ///   shown.
    static func start(_ style: Style) -> LoadProgress? {
        do throws(SystemCallError) {
            let wakeup = try Wakeup()
            let progress = LoadProgress { isLoading in
                // Before the load's own lines are written.
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

    /// Rounded up, so that a wait of this length does not end before the instant.
    private static func milliseconds(until instant: LoadProgress.Instant) -> Int64 {
        Int64((instant - .now) / .milliseconds(1)) + 1
    }

    private func show() {
        switch style {
        case .bar(let output):
            // Read once more, so that a load that has just ended is not drawn.
            output.draw { progress.status.map { ProgressText(status: $0, at: .now).line(columns: output.columns) } }
        case .lines(let write):
            if let status = progress.status { write(Log.Entry(status: status, at: .now)) }
        }
    }
}

extension Log.Entry {
    /// The line for a load that takes long.
    init(status: LoadProgress.Status, at now: LoadProgress.Instant) {
        self.init(
            severity: .info, event: "loading", text: ProgressText(status: status, at: now).sentence,
            members: [.init("file", .text(status.name)), .init("bytes", .number(status.bytes))]
                + (status.size.map { [.init("size", .number($0))] } ?? []) + [.init("items", .number(status.items))])
    }
}

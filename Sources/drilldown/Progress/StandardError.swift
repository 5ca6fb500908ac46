import Glibc
import Locking
import Synchronization

/// The one owner of standard error: whole lines and, below them on a terminal, a line that is drawn again and again.
final class StandardError: Sendable {
    static let shared = StandardError(
        STDERR_FILENO, terminalType: environmentText("TERM"), refusesColors: environmentText("NO_COLOR") != nil,
        journalStream: environmentText("JOURNAL_STREAM"))

    /// Whether lines can be drawn again: it is a terminal, and not one without control sequences.
    let isTerminal: Bool
    /// Whether words may be coloured (no-color.org).
    let isColored: Bool
    /// Whether systemd's journal reads it, which takes the severity from the beginning of a line (sd-daemon(3)).
    let isJournal: Bool
    private let descriptor: Int32
    /// The line at the bottom; nil for none.
    private let bottom = Guarded<String?>(nil)
    /// Whether there is one, for signal handlers.
    private let hasBottom = Atomic(false)

    /// Moves to the line's beginning, and clears to its end (ECMA-48, EL).
    private static let clearing = "\r\u{1B}[K"
    private static let usualColumns = 80

    /// - Parameter journalStream: the device and the inode of what the service manager gave the process as its standard
    ///   error (systemd.exec(5)). It may have been redirected since, or be that of a parent.
    init(_ descriptor: Int32, terminalType: String?, refusesColors: Bool, journalStream: String? = nil) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) != 0 && terminalType.map { $0 != "dumb" } ?? false
        isColored = isTerminal && !refusesColors
        var status = stat()
        isJournal = unsafe fstat(descriptor, &status) == 0 && journalStream == "\(status.st_dev):\(status.st_ino)"
    }

    /// The columns of the terminal now; people change the size of their windows.
    var columns: Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualColumns }
        return Int(size.ws_col)
    }

    /// Writes a line, above the one that is drawn.
    func putLine(_ line: String) {
        guard isTerminal else { return write(line + "\n") }
        bottom.withLock { bottom in
            write(bottom.map { Self.clearing + line + "\n" + $0 } ?? line + "\n")
        }
    }

    /// Draws the line at the bottom anew.
    ///
    /// - Parameter line: makes the line, narrower than the terminal; nil clears it. Called while nothing else is written.
    func draw(_ line: () -> String?) {
        bottom.withLock { bottom in
            let new = line()
            guard new != nil || bottom != nil else { return }
            // At no moment is there a line that a signal handler does not know of.
            if new != nil { hasBottom.store(true, ordering: .relaxed) }
            write(Self.clearing + (new ?? ""))
            if new == nil { hasBottom.store(false, ordering: .relaxed) }
            bottom = new
        }
    }

    /// Clears the line at the bottom from a signal handler, before the process ends.
    func clearAtOnce() {
        guard hasBottom.load(ordering: .relaxed) else { return }
        _ = unsafe Glibc.write(descriptor, "\r\u{1B}[K", 4)
    }

    /// Written in one call, which the system usually completes.
    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe Glibc.write(descriptor, start, bytes.count)
        }
    }

    /// A variable's value; nil if it is not set or empty.
    private static func environmentText(_ name: String) -> String? {
        guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
        return unsafe String(cString: value)
    }
}

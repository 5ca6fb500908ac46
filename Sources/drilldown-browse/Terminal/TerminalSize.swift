#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The size of a terminal in characters.
struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var lines: Int

    /// The size that a terminal has if it does not tell.
    static let usual = TerminalSize(columns: 80, lines: 24)

    init(columns: Int, lines: Int) {
        self.columns = columns
        self.lines = lines
    }

    /// The present size of the terminal on a file descriptor.
    init(of descriptor: Int32) {
        var window = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            self = .usual
            return
        }
        self.init(columns: Int(window.ws_col), lines: Int(window.ws_row))
    }
}

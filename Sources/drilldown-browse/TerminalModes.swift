#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The modes of the terminal: each key is read immediately and not echoed, and the alternate screen is shown.
///
/// The previous modes are restored when the program ends, even by a signal or a crash.
enum TerminalModes {
    private static let input = STDIN_FILENO
    private static let output = STDOUT_FILENO

    // The alternate screen, an invisible cursor, and no wrapping, because a terminal may count more columns than
    // `DisplayWidth`.
    private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leaveSequence = "\u{1B}[?7h\u{1B}[?25h\u{1B}[0m\u{1B}[?1049l"

    private static let endingSignals = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGSYS, SIGXCPU,
        SIGALRM, SIGUSR1, SIGUSR2,
    ]

    // Both pointers are allocated by the first `enter()` and never deallocated, because signal handlers use them.
    /// The modes before `enter()`.
    nonisolated(unsafe) private static let saved: UnsafeMutablePointer<termios> = {
        let modes = UnsafeMutablePointer<termios>.allocate(capacity: 1)
        unsafe modes.initialize(to: termios())
        return unsafe modes
    }()
    nonisolated(unsafe) private static let leaveBytes: UnsafeMutableBufferPointer<UInt8> = {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: leaveSequence.utf8.count)
        _ = unsafe bytes.initialize(from: leaveSequence.utf8)
        return unsafe bytes
    }()
    // The task of the session writes this flag. The signal handler that ends the program also writes it, on any thread.
    // The flag is one word, so a load never sees half of a store.
    nonisolated(unsafe) private static var isEntered: sig_atomic_t = 0
    // Only the task of the session uses this flag.
    nonisolated(unsafe) private static var wasEntered = false

    /// Returns whether standard input and output are a terminal that supports control sequences.
    ///
    /// - Parameter type: the variable `TERM`; nil if it is not set.
    static func isTerminal(named type: String?) -> Bool {
        isatty(input) == 1 && isatty(output) == 1 && type != nil && type != "dumb"
    }

    /// Sets the modes of the terminal. Later calls set them again, in case another program has changed them.
    ///
    /// - Returns: false if the terminal refuses.
    static func enter() -> Bool {
        let isFirst = unsafe isEntered == 0
        if isFirst { _ = unsafe tcgetattr(input, saved) }
        _ = unsafe leaveBytes
        var modes = unsafe saved.pointee
        modes.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON | INLCR | IGNCR)
        modes.c_oflag &= ~tcflag_t(OPOST)
        modes.c_cflag |= tcflag_t(CS8)
        modes.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        setControl(&modes, index: VMIN, value: 1)
        setControl(&modes, index: VTIME, value: 0)
        // From here on, a signal that ends the program restores the modes.
        unsafe isEntered = 1
        for number in endingSignals { signal(number, endBySignal) }
        // The first call discards earlier input. Later calls keep it: the user typed it for this program.
        guard unsafe tcsetattr(input, wasEntered ? TCSADRAIN : TCSAFLUSH, &modes) == 0 else {
            if isFirst { unsafe isEntered = 0 }
            return false
        }
        unsafe wasEntered = true
        // A failure is ignored, as in `Session.draw`.
        _ = Result { try StandardOutput.put(enterSequence) }
        return true
    }

    /// Restores the terminal, with functions that are safe in signal handlers (signal-safety(7)).
    static func leave() {
        guard unsafe isEntered != 0 else { return }
        unsafe isEntered = 0
        _ = unsafe write(output, leaveBytes.baseAddress, leaveBytes.count)
        _ = unsafe tcsetattr(input, TCSANOW, saved)
    }

    /// Restores the terminal, and ends the program by the default action of the signal.
    private static let endBySignal: @convention(c) (Int32) -> Void = { number in
        leave()
        signal(number, SIG_DFL)
        raise(number)
    }

    private static func setControl(_ modes: inout termios, index: Int32, value: cc_t) {
        unsafe withUnsafeMutableBytes(of: &modes.c_cc) { unsafe $0[Int(index)] = value }
    }
}

struct TerminalSize: Equatable, Sendable {
    var columns: Int
    var lines: Int

    /// The present size of the terminal on standard output; 80 columns and 24 lines if unknown.
    static var present: TerminalSize {
        var window = winsize()
        _ = unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window)
        guard window.ws_col > 0, window.ws_row > 0 else {
            return TerminalSize(columns: 80, lines: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), lines: Int(window.ws_row))
    }
}

/// Standard output, without a buffer.
enum StandardOutput {
    /// Writes the whole text.
    ///
    /// - Throws: `Failure` if the text cannot be written, for example to a closed pipe or a full disk.
    static func put(_ text: String) throws(Failure) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno != EINTR {
                throw Failure("Standard output cannot be written: \(unsafe String(cString: strerror(errno))).")
            }
        }
    }
}

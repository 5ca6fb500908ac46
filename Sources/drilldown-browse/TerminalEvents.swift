import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An event of the terminal.
enum TerminalEvent: Equatable, Sendable {
    case key(Key)
    case resized
    /// The program is asked to stop until it is continued.
    case suspended
    /// The program goes on after it was stopped.
    case continued
    /// The input has ended, or cannot be read.
    case ended
}

/// A thread that reads keys and signals.
struct TerminalEvents {
    /// The maximum time between two bytes of a key, in milliseconds.
    private static let sequencePause: Int32 = 50
    private static let watchedSignals = [SIGWINCH, SIGTSTP, SIGCONT]

    // Written once, before the first handler is installed. After that, it is only read.
    nonisolated(unsafe) private static var signalPipe: Int32 = -1

    /// Starts the thread, which calls `receive` for each event until the input ends.
    static func deliver(to receive: @escaping @Sendable (TerminalEvent) -> Void) {
        let signals = makeSignalPipe()
        Thread.detachNewThread { readEvents(signals: signals, receive) }
    }

    /// Stops the process group, as Control-Z does, until the group is continued.
    ///
    /// The system ignores the signal for an orphaned process group, which no shell could continue.
    static func stop() {
        // The other processes of the group are stopped first, while this process ignores the signal. Then this process
        // sends the signal to its own thread. Threads of tasks block signals, so the signal takes effect when it is
        // unblocked. After that, the handler is installed again.
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        var (stop, mask) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTSTP)
        unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &mask)
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
        signal(SIGTSTP, writeToPipe)
    }

    private static let writeToPipe: @convention(c) (Int32) -> Void = { number in
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(TerminalEvents.signalPipe, &byte, 1)
    }

    /// Creates the pipe to which the handlers write the numbers of signals, and installs the handlers.
    ///
    /// - Returns: the descriptor for reading; -1 on failure, which `poll` ignores.
    private static func makeSignalPipe() -> Int32 {
        var ends: [Int32] = [-1, -1]
        _ = unsafe pipe(&ends)
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        unsafe signalPipe = ends[1]
        for number in watchedSignals { signal(number, writeToPipe) }
        return ends[0]
    }

    private static func readEvents(signals: Int32, _ receive: (TerminalEvent) -> Void) {
        var decoder = KeyDecoder()
        var watched = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let ready = unsafe poll(&watched, nfds_t(watched.count), decoder.isInSequence ? sequencePause : -1)
            if ready < 0 {
                guard errno == EINTR else { break }
                continue
            }
            if ready == 0 { for key in decoder.timeOut() { receive(.key(key)) } }
            if watched[1].revents != 0 { for number in bytes(of: signals) ?? [] { receive(event(of: Int32(number))) } }
            if watched[0].revents != 0 {
                guard let bytes = bytes(of: STDIN_FILENO) else { break }
                for key in decoder.decode(bytes) { receive(.key(key)) }
            }
        }
        receive(.ended)
    }

    private static func event(of signal: Int32) -> TerminalEvent {
        switch signal {
        case SIGTSTP: .suspended
        case SIGCONT: .continued
        default: .resized
        }
    }

    /// Reads the available input: empty if nothing has arrived, nil at the end or on failure.
    private static func bytes(of descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        if count > 0 { return Array(bytes.prefix(count)) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }
}

import Glibc

/// The signals that the service handles, received by the one thread that waits for them.
@safe
struct Signals {
    enum Wish { case stop, reload }

    private var set = sigset_t()

    /// Blocks the signals in this thread and the threads that it starts.
    init() {
        unsafe sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Runs `body` with SIGTERM and SIGINT ending the process at once; nothing in it needs cleaning up.
    ///
    /// The first document may take long to arrive over a network, and no thread waits for signals yet.
    func endingAtOnce<Output>(_ body: () throws -> Output) rethrows -> Output {
        var stops = sigset_t()
        unsafe sigemptyset(&stops)
        for signal in [SIGTERM, SIGINT] {
            unsafe sigaddset(&stops, signal)
            _ = Glibc.signal(signal) { _ in _exit(0) }
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &stops, nil)
        defer { unsafe pthread_sigmask(SIG_BLOCK, &stops, nil) }
        return try body()
    }

    /// Waits for the next signal.
    func wait() -> Wish {
        var set = set
        var signal: Int32 = 0
        while unsafe sigwait(&set, &signal) != 0 {}
        return signal == SIGHUP ? .reload : .stop
    }
}

import Glibc

/// The signals that the service answers, taken by the one thread that waits for them.
@safe
struct Signals {
    enum Wish { case stop, reload }

    private var set = sigset_t()

    /// Holds the signals back from this thread and those that it makes.
    init() {
        unsafe sigemptyset(&set)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Does what nothing of has to be finished when the service is told to stop: that ends it there and then.
    ///
    /// A first document may be long in coming over a network, and nobody waits for signals yet.
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

    /// Waits for the next one.
    func wait() -> Wish {
        var set = set
        var signal: Int32 = 0
        while unsafe sigwait(&set, &signal) != 0 {}
        return signal == SIGHUP ? .reload : .stop
    }
}

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

    /// Waits for the next one.
    func wait() -> Wish {
        var set = set
        var signal: Int32 = 0
        while unsafe sigwait(&set, &signal) != 0 {}
        return signal == SIGHUP ? .reload : .stop
    }
}

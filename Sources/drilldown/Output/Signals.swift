import Glibc

/// The service's signals, which the main thread takes from a queue.
enum Signals {
    /// The signals that end the service.
    static let stopping = [SIGTERM, SIGINT]
    static let all = stopping + [SIGHUP]

    /// Ignores SIGUSR1 and SIGUSR2, which would end the process.
    ///
    /// Other services reopen their log files after these signals; this service writes its log to standard error.
    static func ignoreOthers() { for signal in [SIGUSR1, SIGUSR2] { _ = Glibc.signal(signal, SIG_IGN) } }

    /// Runs `body` with SIGTERM and SIGINT ending the process at once. Nothing in `body` needs cleaning up.
    ///
    /// A host name may take long to resolve, and no thread waits for signals yet.
    static func endingAtOnce<Output: ~Copyable, Failure: Error>(
        _ body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        var stops = sigset_t()
        unsafe sigemptyset(&stops)
        for signal in stopping {
            unsafe sigaddset(&stops, signal)
            _ = Glibc.signal(signal) { _ in
                StandardError.shared.clearAtOnce()
                _exit(0)
            }
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &stops, nil)
        defer { unsafe pthread_sigmask(SIG_BLOCK, &stops, nil) }
        return try body()
    }

    /// Makes SIGTERM and SIGINT clear the line at the bottom of the terminal before they end the process as usual.
    static func clearProgressAtEnd() {
        for signal in [SIGTERM, SIGINT] {
            _ = Glibc.signal(signal) { signal in
                StandardError.shared.clearAtOnce()
                _ = Glibc.signal(signal, SIG_DFL)
                raise(signal)
            }
        }
    }
}

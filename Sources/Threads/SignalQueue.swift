internal import CThreads
internal import Glibc

/// The signals that one thread waits for, in place of handlers: the one owner of a signalfd(2).
public final class SignalQueue: Sendable {
    /// Readable while a signal is pending, for a thread that polls other descriptors beside this.
    public let descriptor: Int32

    /// Blocks the signals in this thread and in the threads that it starts from now on.
    ///
    /// - Throws: `SystemCallError` if the system has no descriptor left.
    public init(_ signals: [Int32]) throws(SystemCallError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // SFD_CLOEXEC and SFD_NONBLOCK have these values.
        descriptor = unsafe signalfd(-1, &set, O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemCallError("signalfd", code: errno) }
    }

    /// The size of a signalfd_siginfo (signalfd(2)).
    private static let informationBytes = 128

    deinit { _ = close(descriptor) }

    /// Takes the next pending signal; nil if there is none.
    public func next() -> Int32? {
        // A signalfd_siginfo, which begins with the signal's number in 32 bits.
        var information = [UInt32](repeating: 0, count: Self.informationBytes / 4)
        guard unsafe read(descriptor, &information, Self.informationBytes) == Self.informationBytes else { return nil }
        return Int32(truncatingIfNeeded: information[0])
    }
}

internal import Glibc
import Locking
internal import TreeSources

/// A thread of its own: not one of a pool, so that its priority, its stack and its memory arena are its own too.
final class StoreThread: Sendable {
    private let identifier: pthread_t
    private let isJoined = Guarded(false)

    private static let stackBytes = 1 << 20

    /// Starts a thread.
    ///
    /// - Parameter source: what the thread is for, named in the error.
    /// - Throws: `SourceError` where the system starts no more threads (`pthread_create`).
    init(for source: String, _ body: @escaping @Sendable () -> Void) throws(SourceError) {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, Self.stackBytes)
        var identifier = pthread_t()
        let context = unsafe Unmanaged.passRetained(ThreadBody(body))
        let failure = unsafe pthread_create(&identifier, &attributes, runThreadBody, context.toOpaque())
        guard failure == 0 else {
            unsafe context.release()
            throw SourceError(source, "its thread cannot be started (pthread_create failed with error \(failure))")
        }
        self.identifier = identifier
    }

    /// Waits until the thread has ended; the thread itself, which cannot, is let go.
    func join() {
        let isFirst = isJoined.withLock { isJoined in
            defer { isJoined = true }
            return !isJoined
        }
        guard isFirst else { return }
        if pthread_equal(pthread_self(), identifier) != 0 {
            pthread_detach(identifier)
        } else {
            pthread_join(identifier, nil)
        }
    }

    /// Lowers the priority of the calling thread alone, so that it builds trees in the time that readers leave.
    static func lowerPriority() {
        // At 5 the slowest answer during a reload took 28 ms, at 10 the 10 ms that it takes without one.
        // On Linux 0 stands for the calling thread, not for its process.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }
}

/// What a thread runs, boxed for its way through C.
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// The C side of `StoreThread.init`: recovers the body, which was retained for it, and runs it.
private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    holdBackSignals()
    body.run()
    return nil
}

/// Leaves the signals that come from outside to the threads of whoever made this one; those of its own faults it takes.
private func holdBackSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&signals, fault) }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

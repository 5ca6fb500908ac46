internal import Glibc
import Locking
internal import TreeSources

/// A dedicated thread rather than one of a pool, so that its priority, its stack and its memory arena are its own.
final class StoreThread: Sendable {
    private let identifier: pthread_t
    private let isJoined = Guarded(false)

    private static let stackBytes = 1 << 20

    /// Starts a thread.
    ///
    /// - Parameter source: what the thread is for, named in the error.
    /// - Throws: `SourceError` if the system cannot start another thread (`pthread_create`).
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

    /// Waits until the thread has ended; called on the thread itself, detaches it instead.
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

    /// Lowers the priority of the calling thread only, so that building trees does not slow readers down.
    static func lowerPriority() {
        // At 5 the slowest response during a reload took 28 ms; at 10 it took 10 ms, as without a reload.
        // On Linux 0 means the calling thread, not its process.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }
}

/// A thread's body, boxed to be passed through C.
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

/// Blocks external signals, which other threads handle; signals for the thread's own faults stay unblocked.
private func holdBackSignals() {
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&signals, fault) }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

internal import CThreads
internal import Glibc
internal import Heap
internal import Locking

/// A thread with its own name, priority, stack and memory arena.
///
/// It blocks all signals except those raised by its own faults; other threads of the process handle them.
public final class Thread: Sendable {
    private let identifier: pthread_t
    /// Whether the thread has been joined or detached. Only one of these is done, and only once.
    private let isReleased = Guarded(false)

    /// The maximum length of a thread's name on Linux, in bytes.
    private static let longestName = 15

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: shown by `top` and debuggers; Linux keeps the first 15 bytes.
    ///   - stackBytes: the size of the thread's stack; nil for the system's default.
    ///   - body: the closure that the thread runs. The thread ends when the closure returns.
    /// - Throws: `SystemCallError` if the system starts no more threads, or the stack is too small
    ///   (`pthread_create(3)`).
    public init(
        name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        guard HeapMemory.hasRoomForThread(stackBytes: stackBytes) else {
            throw SystemCallError(call: "pthread_create", code: ENOMEM)
        }
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if let stackBytes {
            let failure = unsafe pthread_attr_setstacksize(&attributes, stackBytes)
            guard failure == 0 else { throw SystemCallError(call: "pthread_attr_setstacksize", code: failure) }
        }
        // The mask is in the attributes, so that the new thread receives no signal before its first line.
        var signals = Self.signalsFromOutside()
        let refusal = unsafe pthread_attr_setsigmask_np(&attributes, &signals)
        guard refusal == 0 else { throw SystemCallError(call: "pthread_attr_setsigmask_np", code: refusal) }
        let context = unsafe Unmanaged.passRetained(ThreadBody(name: String(name.prefix(Self.longestName)), body))
        var identifier = pthread_t()
        let failure = unsafe pthread_create(&identifier, &attributes, runThreadBody, context.toOpaque())
        guard failure == 0 else {
            unsafe context.release()
            throw SystemCallError(call: "pthread_create", code: failure)
        }
        self.identifier = identifier
    }

    /// Detaches the thread, unless it was joined. A detached thread continues, and the system frees its stack when it
    /// ends.
    deinit {
        if isFirstRelease() { pthread_detach(identifier) }
    }

    /// Waits until the thread has ended; does nothing the second time.
    ///
    /// If a thread calls this for itself, the thread is detached, and the call returns.
    public func join() {
        guard isFirstRelease() else { return }
        if pthread_equal(pthread_self(), identifier) != 0 {
            pthread_detach(identifier)
        } else {
            pthread_join(identifier, nil)
        }
    }

    /// Sets the niceness of the calling thread alone: from 0, the default, to 19, the lowest priority.
    public static func setNiceness(_ niceness: Int32) {
        // On Linux, 0 means the calling thread, not the process.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    }

    /// Suspends the calling thread until the clock of the system shows the next whole second.
    ///
    /// If the clock is set meanwhile, the thread sleeps for the rest of the old second all the same.
    public static func sleepUntilNextSecond() {
        var now = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        let rest = 1_000_000_000 - now.tv_nsec
        var pause = timespec(tv_sec: rest / 1_000_000_000, tv_nsec: rest % 1_000_000_000)
        // No signal interrupts it: a thread of this type blocks them.
        _ = unsafe clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nil)
    }

    private func isFirstRelease() -> Bool {
        isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
    }

    /// All signals except those raised by a thread's own faults.
    fileprivate static func signalsFromOutside() -> sigset_t {
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { unsafe sigdelset(&signals, fault) }
        return signals
    }
}

/// The name and the body of a thread, boxed for C.
private final class ThreadBody: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, _ run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

/// The C side of `Thread.init`: recovers the retained body, and runs it.
private func runThreadBody(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
    // A sanitizer's pthread_create sets a mask of its own in the new thread, whatever the attribute says.
    var signals = Thread.signalsFromOutside()
    unsafe pthread_sigmask(SIG_SETMASK, &signals, nil)
    unsafe pthread_setname_np(pthread_self(), body.name)
    body.run()
    return nil
}

/// A failed system call, for lack of threads, descriptors or memory.
public struct SystemCallError: Error, Equatable, Sendable {
    /// The name of the function, such as `pthread_create`.
    public let call: String
    /// The error number of the call, such as `EAGAIN`.
    public let code: Int32
}

extension SystemCallError: CustomStringConvertible {
    /// The call and the reason, without a final full stop, such as `eventfd failed: Too many open files`.
    public var description: String { "\(call) failed: \(Self.reason(code))" }

    /// The system's words for an error number (`strerror(3)`), such as `Too many open files`.
    public static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

internal import CEpoll
internal import CThreads
internal import Glibc
internal import Synchronization

/// The descriptors and the point in time that a thread waits for. The set is collected anew before each wait
/// (`poll(2)`).
///
/// Nothing is registered beyond one wait, so a closed descriptor leaves nothing behind.
public struct WaitSet {
    /// The events for which a thread waits on a descriptor.
    public struct Events: OptionSet, Sendable {
        /// The flags of `poll(2)`.
        public let rawValue: Int16

        /// Creates a set from flags of `poll(2)`.
        public init(rawValue: Int16) { self.rawValue = rawValue }

        /// Reading does not block.
        public static let reading = Events(rawValue: Int16(POLLIN))
        /// Writing does not block.
        public static let writing = Events(rawValue: Int16(POLLOUT))
    }

    private var entries: [pollfd] = []
    /// The latest end of the wait; nil if only descriptors end the wait.
    public private(set) var deadline: ContinuousClock.Instant?

    /// Creates an empty set. A wait for an empty set never ends.
    public init() {}

    /// The descriptors, each once.
    public var descriptors: [Int32] { entries.map(\.fd) }

    /// Ends the wait when a descriptor is ready for an event, has failed, or was closed by the other side.
    ///
    /// A descriptor that is added several times is in the set once, with all its events.
    ///
    /// - Parameter descriptor: ignored if negative.
    public mutating func add(_ descriptor: Int32, for events: Events = .reading) {
        guard descriptor >= 0 else { return }
        if let index = entries.firstIndex(where: { $0.fd == descriptor }) {
            entries[index].events |= events.rawValue
        } else {
            entries.append(pollfd(fd: descriptor, events: events.rawValue, revents: 0))
        }
    }

    /// Ends the wait at a point in time, unless the wait ends earlier.
    public mutating func wake(by instant: ContinuousClock.Instant) {
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    /// Waits until a descriptor is ready or the deadline has passed. A signal handler may end the wait early.
    public mutating func wait() {
        let time = deadline.map { ContinuousClock.now.duration(to: $0).pollTimeout } ?? -1
        _ = unsafe poll(&entries, nfds_t(entries.count), time)
    }
}

extension Duration {
    /// Whole milliseconds for `poll`, rounded up so that it does not return too early.
    var pollTimeout: Int32 {
        guard self > .zero else { return 0 }
        let (seconds, attoseconds) = components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// Wakes a waiting thread from any other thread. A wakeup is the sole owner of an eventfd(2).
///
/// A signal before the wait is kept, and several signals count as one.
public final class Wakeup: Sendable {
    /// Readable while a signal is pending, for a thread that also polls other descriptors.
    public let descriptor: Int32
    /// Whether a signal is pending, so that a further signal needs no system call.
    private let isSignalled = Atomic(false)

    /// - Throws: `SystemCallError` if the system lacks a descriptor (`eventfd(2)`).
    public init() throws(SystemCallError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemCallError(call: "eventfd", code: errno) }
    }

    deinit { _ = close(descriptor) }

    /// Wakes the waiting thread, or ends its next wait at once.
    public func signal() {
        if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { _ = eventfd_write(descriptor, 1) }
    }

    /// Makes the next signal a new event, for a thread that waits for edges (`EPOLLET`). The thread then handles the
    /// signals so far.
    public func rearm() { _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing) }

    /// Discards the signals so far; returns false if no signal was pending.
    public func reset() -> Bool {
        var count: eventfd_t = 0
        // The flag is cleared after the read. If it were cleared first, a signal between clearing and reading would set
        // the flag, and the read would discard that signal. All later signals would then write nothing.
        defer { rearm() }
        return unsafe eventfd_read(descriptor, &count) == 0
    }

    /// Waits for a signal, and discards it.
    ///
    /// - Parameter milliseconds: the maximum wait; nil for no maximum. A signal handler may end a wait with a maximum
    ///   earlier.
    public func wait(milliseconds: Int64? = nil) {
        let time = milliseconds.map { Int32(clamping: max($0, 0)) } ?? -1
        repeat {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&entry, 1, time)
        } while !reset() && milliseconds == nil
    }
}

/// The signals that one thread waits for, in place of handlers. A queue is the sole owner of a signalfd(2).
public final class SignalQueue: Sendable {
    /// Readable while a signal is pending, for a thread that also polls other descriptors.
    public let descriptor: Int32

    /// Blocks the signals in this thread and in the threads that it starts later.
    ///
    /// - Throws: `SystemCallError` if the system lacks a descriptor.
    public init(_ signals: [Int32]) throws(SystemCallError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        // SFD_CLOEXEC and SFD_NONBLOCK have these values.
        descriptor = unsafe signalfd(-1, &set, O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemCallError(call: "signalfd", code: errno) }
    }

    /// The size of a signalfd_siginfo (signalfd(2)).
    private static let informationBytes = 128

    deinit { _ = close(descriptor) }

    /// Takes the next pending signal, if any.
    public func next() -> Int32? {
        // A signalfd_siginfo, which begins with the signal's number in 32 bits.
        var information = [UInt32](repeating: 0, count: Self.informationBytes / 4)
        guard unsafe read(descriptor, &information, Self.informationBytes) == Self.informationBytes else { return nil }
        return Int32(truncatingIfNeeded: information[0])
    }
}

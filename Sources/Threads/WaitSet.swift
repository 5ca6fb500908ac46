internal import Glibc

/// The descriptors and the point in time that a thread waits for, collected anew before each wait (`poll(2)`).
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
    /// When the wait ends at the latest; nil if only descriptors end it.
    public private(set) var deadline: ContinuousClock.Instant?

    /// Creates an empty set; a wait for it never ends.
    public init() {}

    /// The descriptors, each once.
    public var descriptors: [Int32] { entries.map(\.fd) }

    /// Ends the wait when a descriptor is ready for an event, has failed, or was closed by the other side.
    ///
    /// A descriptor that is added several times is waited for once, with all its events.
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

    /// Ends the wait at a point in time, unless it ends earlier.
    public mutating func wake(by instant: ContinuousClock.Instant) {
        deadline = deadline.map { min($0, instant) } ?? instant
    }

    /// Waits until a descriptor is ready or the deadline has passed; a signal handler may end the wait earlier.
    public mutating func wait() {
        let time = deadline.map { ContinuousClock.now.duration(to: $0).pollTimeout } ?? -1
        _ = unsafe poll(&entries, nfds_t(entries.count), time)
    }
}

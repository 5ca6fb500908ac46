/// The work with a source's database since the start, for metrics.
public struct DatabaseWork: Sendable, Equatable {
    /// Connections that are open.
    public var openConnections = 0
    /// Connections that were made so far.
    public var madeConnections = 0
    /// Looks for revisions of other programs, successful or not.
    public var looks = WorkTotal()
    /// Reservations of ids for new items.
    public var reservations = WorkTotal()
    /// Commits of edits, successful or not.
    public var commits = WorkTotal()
    /// Revisions of other programs that were followed, and the total time from their commits until then, by the clocks
    /// of both machines.
    public var lag = WorkTotal()
    /// Commits whose connection broke, by their outcome.
    public var doubts = Doubts()

    /// Commits whose connection broke before the database confirmed them.
    public struct Doubts: Sendable, Equatable {
        /// They had been written, or were written again.
        public var written = 0
        /// They were not written, and the clients got an error.
        public var refused = 0
        /// The outcome was not found out in time.
        public var unknown = 0

        public init() {}
    }

    public init() {}
}

/// The number and the total time of one kind of work.
public struct WorkTotal: Sendable, Equatable {
    public var count: Int
    public var seconds: Double

    public init(count: Int = 0, seconds: Double = 0) { (self.count, self.seconds) = (count, seconds) }

    /// Adds one piece of work, given its duration.
    public mutating func note(_ took: Duration) {
        let (seconds, attoseconds) = took.components
        note(seconds: Double(seconds) + Double(attoseconds) / 1e18)
    }

    /// Adds one piece of work, given its duration in seconds.
    public mutating func note(seconds: Double) {
        count += 1
        self.seconds += seconds
    }
}

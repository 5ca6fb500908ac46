/// The work with a source's database since the start, for metrics.
public struct DatabaseWork: Sendable, Equatable {
    /// The number of open connections.
    public var openConnections = 0
    /// The number of connections made so far.
    public var madeConnections = 0
    /// The checks for revisions of other programs, successful or not.
    public var looks = WorkTotal()
    /// The reservations of ids for new items.
    public var reservations = WorkTotal()
    /// The commits of edits, successful or not.
    public var commits = WorkTotal()
    /// The revisions of other programs that the server has followed. The time of a revision runs from its commit until
    /// the server has followed it, by the clocks of both machines.
    public var lag = WorkTotal()
    /// The commits whose connection broke, by their outcome.
    public var doubts = Doubts()

    /// The numbers of commits whose connection broke before the database confirmed them.
    public struct Doubts: Sendable, Equatable {
        /// The number of commits that turned out to be written, or were written again.
        public var written = 0
        /// The number of commits that turned out not to be written; their clients got an error.
        public var refused = 0
        /// The number of commits whose outcome was not found out in time.
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

import Glibc
import Locking
import Synchronization

/// Counts what a server does: its connections, and its requests by route, method and status.
///
/// Each thread counts in memory of its own, without a lock; the sums are made when they are asked for.
public final class ServerCounters: Sendable {
    private let layout: CounterLayout
    /// The maximum number of open connections; 0 before the server has started.
    let connectionLimit = Atomic<Int>(0)
    private let shards = Guarded<[(thread: pthread_t, shard: CounterShard)]>([])

    /// - Parameter routes: the number of routes, of which 0 stands for everything that has none.
    public init(routes: Int = 1) { layout = CounterLayout(routes: max(routes, 1)) }

    /// The counts of the calling thread; asked for once for each connection.
    var shard: CounterShard {
        let thread = pthread_self()
        return shards.withLock { shards in
            if let known = shards.first(where: { pthread_equal($0.thread, thread) != 0 }) { return known.shard }
            let made = CounterShard(layout)
            shards.append((thread, made))
            return made
        }
    }

    /// The sums over all threads.
    public var totals: ServerTotals {
        var sums = [Int](repeating: 0, count: layout.size)
        for (_, shard) in shards.withLock({ $0 }) { shard.addAll(to: &sums) }
        return ServerTotals(
            layout: layout, sums: sums, connectionLimit: connectionLimit.load(ordering: .relaxed))
    }
}

/// What a server has done since its start.
public struct ServerTotals: Sendable {
    /// A histogram of durations.
    public struct Histogram: Sendable, Equatable {
        /// How many durations are in each bucket, the last of which has no upper bound.
        public let buckets: [Int]
        /// In nanoseconds.
        public let sum: Int

        /// How many durations there are.
        public var count: Int { buckets.reduce(0, +) }
    }

    let layout: CounterLayout
    let sums: [Int]
    /// The maximum number of open connections, as far as the descriptors of the process allow it.
    public let connectionLimit: Int

    /// The number of routes.
    public var routes: Int { layout.routes }

    /// The statuses that are counted one by one; the last, 0, stands for all others.
    public static var statuses: [Int] { CounterLayout.statuses }

    /// The number of requests that were answered.
    public func requests(route: Int, method: Method, status: Int) -> Int {
        sums[layout.requests(route, method, status: status)]
    }

    /// The bytes of the bodies of a route's responses, as `AccessEntry` has them.
    public func bytes(route: Int) -> Int { sums[layout.bytes(route)] }

    /// The durations of a route's requests, from the request line to the end of the response.
    ///
    /// - Parameter isWait: whether those that waited for an event are meant, or the others.
    public func durations(route: Int, isWait: Bool) -> Histogram {
        let places = layout.histogram(route, isWait: isWait)
        return Histogram(buckets: Array(sums[places.buckets]), sum: sums[places.sum])
    }

    /// The connections that were accepted.
    public var connections: Int { sums[layout.connectionsOpened] }

    /// The connections that are open.
    public var openConnections: Int { max(connections - sums[layout.connectionsClosed], 0) }

    /// The requests that ended without a response of the responder.
    public var unanswered: Int { sums[layout.unanswered] }

    /// The responses that were cut off.
    public var incomplete: Int { sums[layout.incomplete] }
}

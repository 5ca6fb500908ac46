import Glibc
import Locking
import Synchronization

/// Counts the connections of a server, and its requests by route, method and status.
///
/// Each thread has counts of its own, so no thread waits for another. The counts are added up on request.
public final class ServerCounters: Sendable {
    private let routes: Int
    /// The maximum number of open connections; 0 before the server has started.
    let connectionLimit = Atomic<Int>(0)
    private let shards = Guarded<[(thread: pthread_t, shard: CounterShard)]>([])

    /// - Parameter routes: the number of routes; route 0 counts the requests without a route.
    public init(routes: Int = 1) { self.routes = max(routes, 1) }

    /// The counts of the calling thread. Each connection requests them once.
    var shard: CounterShard {
        let thread = pthread_self()
        return shards.withLock { shards in
            if let known = shards.first(where: { pthread_equal($0.thread, thread) != 0 }) { return known.shard }
            let made = CounterShard(routes: routes)
            shards.append((thread, made))
            return made
        }
    }

    /// The sums over all threads.
    public var totals: ServerTotals {
        var totals = ServerTotals(routes: routes)
        totals.connectionLimit = connectionLimit.load(ordering: .relaxed)
        for (_, shard) in shards.withLock({ $0 }) { shard.add(to: &totals) }
        return totals
    }
}

/// The counts of a server since its start.
public struct ServerTotals: Sendable {
    private var counts: [RouteCounts]
    /// The maximum number of open connections, which is at most the number that the descriptors of the process allow.
    public fileprivate(set) var connectionLimit = 0
    /// The connections that were accepted.
    public fileprivate(set) var connections = 0
    fileprivate var closedConnections = 0
    /// The requests that ended without a response from the responder.
    public private(set) var unanswered = 0
    /// The responses that were cut off.
    public private(set) var incomplete = 0

    fileprivate init(routes: Int) { counts = Array(repeating: RouteCounts(), count: routes) }

    /// The statuses that are counted one by one, the most frequent first. The last element, 0, counts all other
    /// statuses.
    public static let statuses = [
        200, 304, 201, 204, 206, 400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 421, 422,
        428, 429, 431, 500, 501, 503, 505, 507, 0,
    ]

    /// The number of routes.
    public var routes: Int { counts.count }

    /// The connections that are open.
    public var openConnections: Int { max(connections - closedConnections, 0) }

    /// The number of answered requests of a route, with this method and this status.
    public func requests(route: Int, method: Method, status: Int) -> Int {
        counts[route].requests[RouteCounts.place(method, status: status)]
    }

    /// The total size of the bodies of a route's responses in bytes, counted as in `AccessEntry`.
    public func bytes(route: Int) -> Int { counts[route].bytes }

    /// The durations of a route's requests, from the request line to the end of the response.
    ///
    /// - Parameter isWait: true for the requests that waited for an event, false for all other requests.
    public func durations(route: Int, isWait: Bool) -> DurationHistogram {
        isWait ? counts[route].waits : counts[route].durations
    }

    fileprivate mutating func note(_ request: EndedRequest) {
        guard request.status > 0 else {
            unanswered += 1
            return
        }
        counts[counts.indices.contains(request.route) ? request.route : 0].note(request)
        if !request.isComplete { incomplete += 1 }
    }

    fileprivate mutating func add(_ other: ServerTotals) {
        for route in counts.indices { counts[route].add(other.counts[route]) }
        connections += other.connections
        closedConnections += other.closedConnections
        unanswered += other.unanswered
        incomplete += other.incomplete
    }
}

/// The counts of one thread. The lock is contended only while counts are added up.
final class CounterShard: Sendable {
    private let counts: Guarded<ServerTotals>

    init(routes: Int) { counts = Guarded(ServerTotals(routes: routes)) }

    func noteConnectionOpened() { counts.withLock { $0.connections += 1 } }
    func noteConnectionClosed() { counts.withLock { $0.closedConnections += 1 } }
    func note(_ request: EndedRequest) { counts.withLock { $0.note(request) } }
    func add(to totals: inout ServerTotals) { counts.withLock { totals.add($0) } }
}

struct EndedRequest {
    let route: Int
    let method: Method
    /// The status of the response; 0 if the request was not answered.
    let status: Int
    /// The size of the body, in bytes.
    let size: Int
    let nanoseconds: Int
    /// Whether the request waited for an event, as long polls and streams do.
    let hasWaited: Bool
    /// Whether the whole response was sent.
    let isComplete: Bool
}

private struct RouteCounts: Sendable {
    /// The number of requests for each method and status.
    var requests = [Int](repeating: 0, count: Method.count * ServerTotals.statuses.count)
    var bytes = 0
    var durations = DurationHistogram(.requests)
    var waits = DurationHistogram(.waits)

    static func place(_ method: Method, status: Int) -> Int {
        let statuses = ServerTotals.statuses
        return Int(method.rawValue) * statuses.count + (statuses.firstIndex(of: status) ?? statuses.count - 1)
    }

    mutating func note(_ request: EndedRequest) {
        requests[Self.place(request.method, status: request.status)] += 1
        bytes &+= request.size
        if request.hasWaited { waits.note(request.nanoseconds) } else { durations.note(request.nanoseconds) }
    }

    mutating func add(_ other: RouteCounts) {
        for place in requests.indices { requests[place] += other.requests[place] }
        bytes &+= other.bytes
        durations.add(other.durations)
        waits.add(other.waits)
    }
}

extension Method {
    /// The number of methods, including `other`.
    static let count = Int(Method.other.rawValue) + 1

    /// The name as it appears in requests, such as `GET`; `other` for any other method.
    public var name: String { self == .other ? "other" : String(describing: self).uppercased() }

    /// All methods, `other` last.
    public static var all: [Method] { (0..<UInt8(count)).compactMap(Method.init) }
}

/// A histogram of durations.
public struct DurationHistogram: Sendable {
    private let bounds: [Int]
    /// The number of durations in each bucket.
    public private(set) var buckets: [Int]
    /// The sum of the durations, in nanoseconds.
    public private(set) var sum = 0

    fileprivate init(_ buckets: DurationBuckets) {
        bounds = buckets.bounds
        self.buckets = Array(repeating: 0, count: bounds.count + 1)
    }

    /// The number of durations.
    public var count: Int { buckets.reduce(0, +) }

    fileprivate mutating func note(_ nanoseconds: Int) {
        buckets[bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count] += 1
        sum &+= nanoseconds
    }

    fileprivate mutating func add(_ other: DurationHistogram) {
        for place in buckets.indices { buckets[place] += other.buckets[place] }
        sum &+= other.sum
    }
}

/// The bounds of a histogram of durations, in nanoseconds.
public struct DurationBuckets: Sendable {
    /// The upper bounds, in ascending order; one more bucket counts all longer durations.
    public let bounds: [Int]

    /// From 50 µs, which is more than a cached answer takes, to 10 s, the deadline of most clients.
    public static let requests = DurationBuckets(bounds: [
        50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
        100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ])

    /// From a second to an hour, because streams stay open for a long time.
    public static let waits = DurationBuckets(
        bounds: [1, 5, 15, 30, 60, 120, 300, 900, 3_600].map { $0 * 1_000_000_000 })
}

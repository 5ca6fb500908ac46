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

/// The counts of one thread: no other thread's counting slows it down.
///
/// Unchecked Sendable: the memory belongs to this object alone, and each of its words is atomic.
@safe
final class CounterShard: @unchecked Sendable {
    let layout: CounterLayout
    private let words: UnsafeMutablePointer<Atomic<Int>>

    /// Two cache lines, because processors fetch them in pairs.
    private static let alignment = 128

    init(_ layout: CounterLayout) {
        self.layout = layout
        let bytes = layout.size * MemoryLayout<Atomic<Int>>.stride
        let padded = (bytes + Self.alignment - 1) / Self.alignment * Self.alignment
        let memory = UnsafeMutableRawPointer.allocate(byteCount: padded, alignment: Self.alignment)
        unsafe words = memory.bindMemory(to: Atomic<Int>.self, capacity: layout.size)
        for index in 0..<layout.size { unsafe (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe words.deinitialize(count: layout.size)
        unsafe words.deallocate()
    }

    /// Counts one more, or several.
    @inline(__always)
    func add(_ count: Int = 1, at place: Int) {
        assert(place >= 0 && place < layout.size)
        unsafe words[place].wrappingAdd(count, ordering: .relaxed)
    }

    /// Adds all counts to others with the same layout.
    func addAll(to sums: inout [Int]) {
        for index in 0..<layout.size { sums[index] &+= unsafe words[index].load(ordering: .relaxed) }
    }

    func noteConnectionOpened() { add(at: layout.connectionsOpened) }
    func noteConnectionClosed() { add(at: layout.connectionsClosed) }

    /// Counts a request that has ended.
    @inline(__always)
    func note(_ request: EndedRequest) {
        guard request.status > 0 else { return add(at: layout.unanswered) }
        let route = request.route < layout.routes ? request.route : 0
        add(at: layout.requests(route, request.method, status: request.status))
        if request.size > 0 { add(request.size, at: layout.bytes(route)) }
        let place = layout.duration(request.nanoseconds, route, isWait: request.hasWaited)
        add(at: place.bucket)
        add(request.nanoseconds, at: place.sum)
        if !request.isComplete { add(at: layout.incomplete) }
    }
}

/// What is counted of a request.
struct EndedRequest {
    let route: Int
    let method: Method
    /// 0 if it was not answered.
    let status: Int
    /// The bytes of the body.
    let size: Int
    let nanoseconds: Int
    /// Whether it waited for an event, as long polls and streams do.
    let hasWaited: Bool
    /// Whether the whole response was sent.
    let isComplete: Bool
}

/// Where each count is in the words of a shard.
///
/// Each route has its requests by method and status, its bytes, and two histograms, each of which ends with its sum.
struct CounterLayout: Sendable {
    let routes: Int
    private let bytes = Method.count * Self.slots
    private let durations, waits, stride: Int

    init(routes: Int) {
        self.routes = routes
        durations = bytes + 1
        waits = durations + DurationBuckets.requests.bounds.count + 2
        stride = waits + DurationBuckets.waits.bounds.count + 2
    }

    var connectionsOpened: Int { routes * stride }
    var connectionsClosed: Int { routes * stride + 1 }
    var unanswered: Int { routes * stride + 2 }
    var incomplete: Int { routes * stride + 3 }
    var size: Int { routes * stride + 4 }

    /// The statuses that are counted one by one; the last stands for all others. The most frequent ones come first.
    static let statuses = [
        200, 304, 201, 204, 206, 400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 421, 422,
        429,
        431, 500, 501, 503, 505, 507, 0,
    ]

    /// The place of the count of requests.
    @inline(__always)
    func requests(_ route: Int, _ method: Method, status: Int) -> Int {
        let slot = status == 200 ? 0 : Self.slot(of: status)
        return route * stride + Int(method.rawValue) * Self.slots + slot
    }

    private static func slot(of status: Int) -> Int { statuses.firstIndex(of: status) ?? slots - 1 }
    private static let slots = statuses.count

    @inline(__always)
    func bytes(_ route: Int) -> Int { route * stride + bytes }

    /// The places of a duration's bucket, and of the sum.
    @inline(__always)
    func duration(_ nanoseconds: Int, _ route: Int, isWait: Bool) -> (bucket: Int, sum: Int) {
        let (buckets, sum) = histogram(route, isWait: isWait)
        return (buckets.lowerBound + Self.buckets(isWait).bucket(of: nanoseconds), sum)
    }

    /// The places of a route's buckets, and of the sum.
    @inline(__always)
    func histogram(_ route: Int, isWait: Bool) -> (buckets: Range<Int>, sum: Int) {
        let start = route * stride + (isWait ? waits : durations)
        let sum = start + Self.buckets(isWait).bounds.count + 1
        return (start..<sum, sum)
    }

    private static func buckets(_ isWait: Bool) -> DurationBuckets { isWait ? .waits : .requests }
}

extension Method {
    /// The number of methods, with `other`.
    static let count = Int(Method.other.rawValue) + 1

    /// The name as requests have it; `other` for any other method.
    public var name: String { self == .other ? "other" : String(describing: self).uppercased() }

    /// All methods, `other` last.
    public static var all: [Method] { (0..<UInt8(count)).compactMap(Method.init) }
}

/// The bounds of a histogram of durations, in nanoseconds.
public struct DurationBuckets: Sendable {
    /// The upper bounds, in ascending order; one more bucket holds what is above the last.
    public let bounds: [Int]

    /// From 50 µs, below which a cached answer is sent, to the deadline of most clients.
    public static let requests = DurationBuckets([
        50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
        100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ])

    /// From a second to an hour, since streams stay open for long.
    public static let waits = DurationBuckets(
        [1, 5, 15, 30, 60, 120, 300, 900, 3_600].map { $0 * 1_000_000_000 })

    private init(_ bounds: [Int]) { self.bounds = bounds }

    /// The number of the bucket that a duration belongs to.
    @inline(__always)
    func bucket(of nanoseconds: Int) -> Int {
        var bucket = 0
        while bucket < bounds.count, nanoseconds > bounds[bucket] { bucket += 1 }
        return bucket
    }
}

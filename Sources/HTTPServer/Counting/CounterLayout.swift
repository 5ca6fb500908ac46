/// Where each count is in the words of a shard.
struct CounterLayout: Sendable {
    let routes: Int
    private let durations: Histograms
    private let waits: Histograms
    private let bytes: Int
    let connectionsOpened: Int
    let connectionsClosed: Int
    let unanswered: Int
    let incomplete: Int
    let size: Int

    /// A histogram for each route: its buckets, then the sum in nanoseconds.
    private struct Histograms {
        let buckets: DurationBuckets
        let start: Int

        var stride: Int { buckets.bounds.count + 2 }
        func start(of route: Int) -> Int { start + route * stride }
        func sum(of route: Int) -> Int { start(of: route) + stride - 1 }
    }

    init(routes: Int) {
        self.routes = routes
        var next = routes * Method.count * Self.statuses.count
        func take(_ count: Int) -> Int {
            defer { next += count }
            return next
        }
        bytes = take(routes)
        durations = Histograms(buckets: .requests, start: next)
        _ = take(routes * durations.stride)
        waits = Histograms(buckets: .waits, start: next)
        _ = take(routes * waits.stride)
        connectionsOpened = take(1)
        connectionsClosed = take(1)
        unanswered = take(1)
        incomplete = take(1)
        size = next
    }

    /// The statuses that are counted one by one; the last stands for all others. The most frequent ones come first.
    static let statuses = [
        200, 304, 201, 204, 206, 400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 415, 416, 421, 422, 429,
        431, 500, 501, 503, 505, 507, 0,
    ]

    /// The place of the count of requests.
    @inline(__always)
    func requests(_ route: Int, _ method: Method, status: Int) -> Int {
        let slot = status == 200 ? 0 : Self.slot(of: status)
        return (route * Method.count + Int(method.rawValue)) * Self.slots + slot
    }

    private static func slot(of status: Int) -> Int { statuses.firstIndex(of: status) ?? slots - 1 }
    private static let slots = statuses.count

    @inline(__always)
    func bytes(_ route: Int) -> Int { bytes + route }

    /// The places of a duration's bucket, and of the sum.
    @inline(__always)
    func duration(_ nanoseconds: Int, _ route: Int, isWait: Bool) -> (bucket: Int, sum: Int) {
        let histograms = isWait ? waits : durations
        return (
            histograms.start(of: route) + histograms.buckets.bucket(of: nanoseconds), histograms.sum(of: route)
        )
    }

    /// The places of a route's buckets, and of the sum.
    func histogram(_ route: Int, isWait: Bool) -> (buckets: Range<Int>, sum: Int) {
        let histograms = isWait ? waits : durations
        return (histograms.start(of: route)..<histograms.sum(of: route), histograms.sum(of: route))
    }
}

extension Method {
    /// The number of methods, with `other`.
    static let count = Int(Method.other.rawValue) + 1

    /// The name as requests have it; `other` for any other method.
    public var name: String { self == .other ? "other" : String(describing: self).uppercased() }

    /// All methods, `other` last.
    public static var all: [Method] { (0..<UInt8(count)).compactMap(Method.init) }
}

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

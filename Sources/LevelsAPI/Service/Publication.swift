import Levels

/// What is served now: one snapshot and the answers rendered of it. A response comes from one of these alone.
final class Publication: Sendable {
    let snapshot: Snapshot
    /// How many publications there were before.
    let number: Int
    let cache: ResponseCache

    init(_ snapshot: Snapshot, number: Int, cacheBytes: Int) {
        self.snapshot = snapshot
        self.number = number
        cache = ResponseCache(bytes: cacheBytes)
    }
}

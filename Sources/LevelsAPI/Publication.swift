import Levels
import TreeStore

/// What is served now: one snapshot and the answers rendered of it. A response comes from one of these alone.
final class Publication: Sendable {
    let snapshot: Snapshot
    let cache: ResponseCache

    init(_ snapshot: Snapshot, cacheBytes: Int) {
        self.snapshot = snapshot
        cache = ResponseCache(bytes: cacheBytes)
    }
}

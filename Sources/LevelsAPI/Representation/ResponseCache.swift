import Bytes
import Levels
import Locking
import PropertyLists

/// Rendered answers by target, within a budget of bytes, for all publications.
///
/// An answer is served unchecked for the publication that it was last verified for. For another one it is verified
/// first, by a comparison of hashes, so a change elsewhere in the tree costs no rendering. An answer holds no level of
/// the tree. It is kept when its target is requested for the second time, so a crawl over a million levels evicts
/// nothing.
final class ResponseCache: Sendable {
    /// The result of a look-up.
    enum Found {
        case verified(RenderedAnswer)
        /// An answer that was last verified for another publication.
        case unverified
        case missing
    }

    /// The result of `answer(for:hash:in:showing:)`.
    struct Kept {
        let answer: RenderedAnswer
        /// The version of a level, if the answer was just verified for a newer publication.
        var version: ContentHash?
    }

    /// The number of answers served from the cache, and of those rendered, since the start.
    struct Counts: Equatable {
        var hits = 0
        var misses = 0
    }

    private struct LockedShard: Sendable {
        let state = Guarded(CacheShard())
    }

    private let shards: [LockedShard]
    private let budget: Int

    /// - Parameter bytes: the maximum cost of all entries; 0 disables the cache.
    init(bytes: Int) {
        shards = (0..<16).map { _ in LockedShard() }
        budget = bytes / 16
    }

    /// The key of a target in the form that a request's header selects.
    @inline(__always)
    static func hash(_ target: Span<UInt8>, _ negotiation: Negotiation) -> UInt64 {
        // The factor is odd, so that each form of a target has its own key.
        ContentHash.short(of: target) &+ negotiation.number &* 0x9E37_79B9_7F4A_7C15
    }

    /// Looks up a target for the publication with this number.
    @inline(__always)
    func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> Found {
        shard(of: hash).state.withLock { $0.find(target, hash: hash, in: number) }
    }

    /// Returns the answer to a target if the publication with this number shows the same.
    ///
    /// An outdated answer is dropped.
    func answer(for target: Span<UInt8>, hash: UInt64, in number: Int, showing content: ShownContent) -> Kept? {
        let state = shard(of: hash).state
        guard let entry = state.withLock({ $0.entry(for: target, hash: hash) }) else { return nil }
        let kept = entry.kept
        guard entry.number == number || kept.shown?.isSame(as: content) == true else {
            // Freed when this returns, outside of the lock.
            _ = state.withLock { $0.drop(kept.answer, hash: hash, before: number) }
            return nil
        }
        state.withLock { $0.verify(kept.answer, hash: hash, in: number) }
        return Kept(answer: kept.answer, version: entry.number < number ? kept.version : nil)
    }

    /// Whether an answer to a target is kept that the publication with this number shows.
    func has(_ target: Span<UInt8>, hash: UInt64, in number: Int, showing content: ShownContent) -> Bool {
        guard let entry = shard(of: hash).state.withLock({ $0.entry(for: target, hash: hash) }) else { return false }
        return entry.number == number || entry.kept.shown?.isSame(as: content) == true
    }

    /// Keeps an answer unless it takes too much of the budget, or an answer for a newer publication is kept.
    ///
    /// - Parameters:
    ///   - version: the version of a level.
    ///   - number: the number of the publication that the answer shows.
    ///   - content: what it shows; nil if it must not be served for any other publication.
    func keep(
        _ answer: RenderedAnswer, of version: ContentHash?, for target: Span<UInt8>, hash: UInt64, in number: Int,
        showing content: ShownContent?
    ) {
        guard answer.cost + target.count <= budget / 4 else { return }
        let entry = CacheEntry(KeptAnswer(answer, of: version, for: target, showing: content), number: number)
        let dropped = shard(of: hash).state.withLock { $0.keep(entry, hash: hash, budget: budget) }
        // Freed outside of the lock.
        _ = consume dropped
    }

    /// Notes that an answer was rendered; returns whether it was noted before, and so should be kept.
    func wants(_ hash: UInt64) -> Bool {
        guard budget > 0 else { return false }
        return shard(of: hash).state.withLock { $0.noteMiss(hash) }
    }

    var counts: Counts {
        shards.reduce(into: Counts()) { sum, shard in
            let counts = shard.state.withLock(\.counts)
            sum.hits += counts.hits
            sum.misses += counts.misses
        }
    }

    @inline(__always)
    private func shard(of hash: UInt64) -> LockedShard { shards[Int(truncatingIfNeeded: hash >> 60)] }
}

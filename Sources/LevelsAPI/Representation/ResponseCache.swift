import Bytes
import Levels
import Locking
import PropertyLists

/// Rendered answers by target, within a budget of bytes, for all publications.
///
/// An answer is served as it is under the publication that it was last verified for. Under another one it is verified
/// first: it is served if that shows the same, so a change elsewhere in the tree costs a comparison of hashes and no
/// rendering. An answer holds no level of the tree. A target is kept when it is requested for the second time, so a
/// crawl over a million levels pushes nothing out.
final class ResponseCache: Sendable {
    /// What the cache has for a target.
    enum Found {
        case verified(RenderedAnswer)
        /// An answer that was not verified for the publication yet, or for a newer one.
        case unverified
        case missing
    }

    /// An answer of the cache, for `answer(for:hash:in:showing:)`.
    struct Kept {
        let answer: RenderedAnswer
        /// The version of a level, if the answer was just verified for a newer publication.
        var version: ContentHash?
    }

    /// How often answers were served from the cache and how often they were rendered, since the start.
    struct Counts: Equatable {
        var hits = 0
        var misses = 0
    }

    private struct LockedShard: Sendable {
        let state = Guarded(CacheShard())
    }

    private let shards: [LockedShard]
    private let budget: Int

    /// - Parameter bytes: how much all entries may cost; 0 keeps nothing.
    init(bytes: Int) {
        shards = (0..<16).map { _ in LockedShard() }
        budget = bytes / 16
    }

    /// The key of a target and of what a request's header chose: each choice makes another answer.
    @inline(__always)
    static func hash(_ target: Span<UInt8>, _ negotiation: Negotiation) -> UInt64 {
        // The factor is odd, so that one target has as many keys as there are choices.
        ContentHash.short(of: target) &+ negotiation.number &* 0x9E37_79B9_7F4A_7C15
    }

    /// What is kept for a target, and whether it was verified for the publication with this number.
    @inline(__always)
    func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> Found {
        shard(of: hash).state.withLock { $0.find(target, hash: hash, in: number) }
    }

    /// The answer to a target, if it shows what the publication with this number shows.
    ///
    /// An answer that shows something older is dropped.
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

    /// Keeps an answer, if it is not too large a share of the budget, and none for a newer publication is kept.
    ///
    /// - Parameters:
    ///   - version: that of a level.
    ///   - number: that of the publication that the answer shows.
    ///   - content: what it shows; nil if it is not served under any other publication.
    func keep(
        _ answer: RenderedAnswer, of version: ContentHash?, for target: Span<UInt8>, hash: UInt64, in number: Int,
        showing content: ShownContent?
    ) {
        guard answer.cost <= budget / 4 else { return }
        let entry = CacheEntry(KeptAnswer(answer, of: version, for: target, showing: content), number: number)
        let dropped = shard(of: hash).state.withLock { $0.keep(entry, hash: hash, budget: budget) }
        // Freed outside of the lock.
        _ = consume dropped
    }

    /// Notes that an answer was rendered; returns whether to keep it, since it was noted before.
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

import Bytes
import Levels
import Locking
import PropertyLists

/// Rendered answers by target, within a budget of bytes; one per snapshot, so nothing in it is ever stale.
///
/// A target is kept when it is asked for the second time: a crawl over a million levels pushes nothing out.
final class ResponseCache: Sendable {
    private struct Entry {
        let target: [UInt8]
        let answer: RenderedAnswer
        var isUsed: Bool
    }

    private struct Shard {
        var entries: [UInt64: Entry] = [:]
        /// The order in which the clock hand passes over the entries.
        var ring: [UInt64] = []
        var hand = 0
        var cost = 0
        /// The last hashes seen, for telling a second request from a first.
        var seen = [UInt32](repeating: 0, count: 1_024)
    }

    private final class LockedShard: Sendable {
        let state = Guarded(Shard())
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

    @inline(__always)
    func answer(for target: Span<UInt8>, hash: UInt64) -> RenderedAnswer? {
        let shard = shards[Int(truncatingIfNeeded: hash >> 60)]
        return shard.state.withLock { shard in
            guard let index = shard.entries.index(forKey: hash) else { return nil }
            let known = shard.entries.values[index].target
            guard known.span.isEqual(to: target) else { return nil }
            if !shard.entries.values[index].isUsed { shard.entries.values[index].isUsed = true }
            return shard.entries.values[index].answer
        }
    }

    /// Keeps an answer, if it is not too large a share of the budget.
    func keep(_ answer: RenderedAnswer, for target: Span<UInt8>, hash: UInt64) {
        guard answer.cost <= budget / 4 else { return }
        let answer = RenderedAnswer(keeping: answer)
        let target = Array(copying: target)
        let shard = shards[Int(truncatingIfNeeded: hash >> 60)]
        let dropped = shard.state.withLock { shard -> [RenderedAnswer] in
            guard shard.entries[hash] == nil else { return [] }
            shard.entries[hash] = Entry(target: target, answer: answer, isUsed: false)
            shard.ring.append(hash)
            shard.cost += answer.cost
            return Self.evict(from: &shard, budget: budget)
        }
        // Responses are freed outside of the lock.
        _ = dropped
    }

    /// Whether an answer is to be kept, since it was asked for before; it has been from now on.
    func wants(_ hash: UInt64) -> Bool {
        guard budget > 0 else { return false }
        return shards[Int(truncatingIfNeeded: hash >> 60)].state.withLock { shard in
            let slot = Int(truncatingIfNeeded: hash) & (shard.seen.count - 1)
            let mark = UInt32(truncatingIfNeeded: hash >> 16) | 1
            defer { shard.seen[slot] = mark }
            return shard.seen[slot] == mark
        }
    }

    /// Passes the clock hand over the entries until their cost fits: one that was used since gets a second chance.
    private static func evict(from shard: inout Shard, budget: Int) -> [RenderedAnswer] {
        var dropped: [RenderedAnswer] = []
        while shard.cost > budget, !shard.ring.isEmpty {
            if shard.hand >= shard.ring.count { shard.hand = 0 }
            let hash = shard.ring[shard.hand]
            if shard.entries[hash]?.isUsed == true {
                shard.entries[hash]?.isUsed = false
                shard.hand += 1
                continue
            }
            if let entry = shard.entries.removeValue(forKey: hash) {
                shard.cost -= entry.answer.cost
                dropped.append(entry.answer)
            }
            shard.ring.swapAt(shard.hand, shard.ring.count - 1)
            shard.ring.removeLast()
        }
        return dropped
    }
}

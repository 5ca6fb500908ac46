import Bytes
import HTTPServer
import Levels
import Locking
import PropertyLists

/// Rendered answers by target, within a budget of bytes, for all publications.
///
/// An answer is served unchecked for the publication for which it was last verified. For another publication, hashes
/// are compared first, so a change elsewhere in the tree costs no rendering. An answer does not hold levels of the
/// tree. It is kept when its target is requested for the second time, so a crawl over a million levels evicts nothing.
final class ResponseCache: Sendable {
    enum Found {
        case verified(KeptAnswer)
        /// An answer that was last verified for another publication.
        case unverified(CacheEntry)
        case missing
    }

    /// The numbers of cached and rendered answers since the start.
    struct Counts: Equatable {
        var hits = 0
        var misses = 0
    }

    private let shards: [Guarded<CacheShard>]
    private let budget: Int

    /// - Parameter bytes: the maximum cost of all entries; 0 disables the cache.
    init(bytes: Int) {
        shards = (0..<16).map { _ in Guarded(CacheShard()) }
        budget = bytes / 16
    }

    /// Looks up a target, by its key (`Negotiation.key`), for the publication with a number.
    @inline(__always)
    func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> Found {
        shard(of: hash).withLock { $0.find(target, hash: hash, in: number) }
    }

    /// The answer of an entry, if the publication with this number shows the same content. Otherwise drops the entry
    /// and returns nil.
    func verify(_ entry: CacheEntry, hash: UInt64, in number: Int, showing inquiry: Inquiry) -> KeptAnswer? {
        let (state, kept) = (shard(of: hash), entry.kept)
        guard kept.shown?.isSame(as: inquiry) == true else {
            // The answer is freed when this function returns, outside of the lock.
            _ = state.withLock { $0.drop(kept, hash: hash, before: number) }
            return nil
        }
        state.withLock { $0.verify(kept, hash: hash, in: number) }
        return kept
    }

    /// Keeps an answer unless it takes too much of the budget, or an answer for a newer publication is kept.
    func keep(_ answer: KeptAnswer, hash: UInt64, in number: Int) {
        guard answer.cost <= budget / 4 else { return }
        let entry = CacheEntry(kept: answer, number: number)
        let dropped = shard(of: hash).withLock { $0.keep(entry, hash: hash, budget: budget) }
        // The dropped answers are freed outside of the lock.
        _ = consume dropped
    }

    /// Notes that an answer was rendered. Returns whether the answer was noted before, so that it should be kept.
    func wants(_ hash: UInt64) -> Bool {
        guard budget > 0 else { return false }
        return shard(of: hash).withLock { $0.noteMiss(hash) }
    }

    var counts: Counts {
        shards.reduce(into: Counts()) { sum, shard in
            let counts = shard.withLock(\.counts)
            sum.hits += counts.hits
            sum.misses += counts.misses
        }
    }

    @inline(__always)
    private func shard(of hash: UInt64) -> Guarded<CacheShard> { shards[Int(truncatingIfNeeded: hash >> 60)] }
}

/// A part of the cache with its own lock.
struct CacheShard {
    private var entries: [UInt64: CacheEntry] = [:]
    /// The keys of the entries, in the order in which the clock hand passes over them.
    private var ring: [UInt64] = []
    private var hand = 0
    private var cost = 0
    /// The hashes of the latest rendered answers, to recognize a second request.
    private var seen = [UInt32](repeating: 0, count: 1_024)
    private(set) var counts = ResponseCache.Counts()

    @inline(__always)
    mutating func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> ResponseCache.Found {
        guard let index = entries.index(forKey: hash) else { return .missing }
        let entry = entries.values[index]
        let known = entry.kept.target
        guard known.span.isEqual(to: target) else { return .missing }
        guard entry.number == number else { return .unverified(entry) }
        if !entry.isUsed { entries.values[index].isUsed = true }
        counts.hits &+= 1
        return .verified(entry.kept)
    }

    /// Notes that an answer was served for a publication.
    mutating func verify(_ answer: KeptAnswer, hash: UInt64, in number: Int) {
        counts.hits &+= 1
        guard let entry = entries[hash], entry.kept === answer else { return }
        entries[hash]?.isUsed = true
        entries[hash]?.number = max(entry.number, number)
    }

    /// Removes an answer unless it was verified for this publication or a newer one.
    mutating func drop(_ answer: KeptAnswer, hash: UInt64, before number: Int) -> KeptAnswer? {
        guard let entry = entries[hash], entry.kept === answer, entry.number < number else { return nil }
        return remove(hash)
    }

    /// Inserts an entry, or replaces an older entry. Returns the replaced answer and the answers that were evicted.
    mutating func keep(_ entry: CacheEntry, hash: UInt64, budget: Int) -> [KeptAnswer] {
        if let known = entries[hash], known.number >= entry.number { return [] }
        var dropped = [remove(hash)].compactMap(\.self)
        entries[hash] = entry
        entries[hash]?.place = ring.count
        ring.append(hash)
        cost += entry.kept.cost
        while cost > budget, let answer = evict() { dropped.append(answer) }
        return dropped
    }

    /// Counts a rendered answer. Returns whether the previous answer in the same slot had the same hash.
    mutating func noteMiss(_ hash: UInt64) -> Bool {
        counts.misses &+= 1
        let slot = Int(truncatingIfNeeded: hash) & (seen.count - 1)
        let mark = UInt32(truncatingIfNeeded: hash >> 16) | 1
        defer { seen[slot] = mark }
        return seen[slot] == mark
    }

    /// Moves the clock hand to an entry that was not used since the hand passed it, and removes that entry.
    private mutating func evict() -> KeptAnswer? {
        while !ring.isEmpty {
            if hand >= ring.count { hand = 0 }
            let hash = ring[hand]
            guard entries[hash]?.isUsed == true else { return remove(hash) }
            entries[hash]?.isUsed = false
            hand += 1
        }
        return nil
    }

    private mutating func remove(_ hash: UInt64) -> KeptAnswer? {
        guard let entry = entries.removeValue(forKey: hash) else { return nil }
        cost -= entry.kept.cost
        let last = ring.removeLast()
        if entry.place < ring.count {
            ring[entry.place] = last
            entries[last]?.place = entry.place
        }
        return entry.kept
    }
}

/// An answer in the table of the cache.
struct CacheEntry {
    let kept: KeptAnswer
    /// The newest publication that is known to show the answer.
    var number: Int
    /// Whether the entry was used since the clock hand passed it.
    var isUsed = false
    var place = 0
}

/// A cached representation: its response, its 304, and the hashes of its content. The response can be queued any number
/// of times.
final class KeptAnswer: Sendable {
    let target: [UInt8]
    let response: Response
    let notModified: Response
    let head: Representation.Head
    /// The hashes of the content; nil if the answer must not be served for another publication.
    let shown: ShownHashes?
    /// The approximate memory use, in bytes.
    let cost: Int

    /// - Parameter inquiry: nil if the answer must not be served for another publication.
    init(response: Response, head: Representation.Head, for target: Span<UInt8>, showing inquiry: Inquiry?) {
        self.target = Array(copying: target)
        // The cache has a limit of its own, so the kept response is not charged to a budget.
        self.response = response.uncharged
        notModified = .notModified(response.headers)
        self.head = head
        shown = inquiry.map(ShownHashes.init)
        // The library's own record of a response is about 1 KiB; both responses have the header lines.
        let headers = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        cost = response.body.count + headers * 2 + 2_048 + target.count
    }

    /// The response to a request: a 304 or the kept response, as the conditions of the request say.
    @inline(__always)
    func response(to request: Request, chargedTo budget: ResponseBudget) throws(Problem) -> Response {
        if try Condition(request).isNotModified(head.entityTag) { return notModified }
        guard let charged = response.charged(to: budget) else { throw .tooManyAnswers }
        return charged
    }
}

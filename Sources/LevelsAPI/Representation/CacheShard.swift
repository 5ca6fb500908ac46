import Bytes

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

    /// Looks up a target for a publication.
    @inline(__always)
    mutating func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> ResponseCache.Found {
        guard let index = entries.index(forKey: hash) else { return .missing }
        let entry = entries.values[index]
        let known = entry.kept.target
        guard known.span.isEqual(to: target) else { return .missing }
        guard entry.number == number else { return .unverified }
        if !entry.isUsed { entries.values[index].isUsed = true }
        counts.hits &+= 1
        return .verified(entry.kept.answer)
    }

    /// The entry of a target, for any publication.
    func entry(for target: Span<UInt8>, hash: UInt64) -> CacheEntry? {
        guard let entry = entries[hash] else { return nil }
        let known = entry.kept.target
        return known.span.isEqual(to: target) ? entry : nil
    }

    /// Notes that an answer was served, and that a publication shows it.
    mutating func verify(_ answer: RenderedAnswer, hash: UInt64, in number: Int) {
        counts.hits &+= 1
        guard let entry = entries[hash], entry.kept.answer === answer else { return }
        entries[hash]?.isUsed = true
        entries[hash]?.number = max(entry.number, number)
    }

    /// Removes and returns an answer that a publication does not show, unless it was verified for a newer one.
    mutating func drop(_ answer: RenderedAnswer, hash: UInt64, before number: Int) -> RenderedAnswer? {
        guard let entry = entries[hash], entry.kept.answer === answer, entry.number < number else { return nil }
        return remove(hash)
    }

    /// Inserts an entry or replaces an older one; returns the answers evicted for it.
    mutating func keep(_ entry: CacheEntry, hash: UInt64, budget: Int) -> [RenderedAnswer] {
        if let known = entries[hash], known.number >= entry.number { return [] }
        var dropped = [remove(hash)].compactMap(\.self)
        entries[hash] = entry
        entries[hash]?.place = ring.count
        ring.append(hash)
        cost += entry.kept.cost
        while cost > budget, let answer = evict() { dropped.append(answer) }
        return dropped
    }

    /// Counts a rendered answer; returns whether the latest one in its slot had the same hash.
    mutating func noteMiss(_ hash: UInt64) -> Bool {
        counts.misses &+= 1
        let slot = Int(truncatingIfNeeded: hash) & (seen.count - 1)
        let mark = UInt32(truncatingIfNeeded: hash >> 16) | 1
        defer { seen[slot] = mark }
        return seen[slot] == mark
    }

    /// Moves the clock hand to an entry that was not used since the hand passed it, and removes that entry.
    private mutating func evict() -> RenderedAnswer? {
        while !ring.isEmpty {
            if hand >= ring.count { hand = 0 }
            let hash = ring[hand]
            guard entries[hash]?.isUsed == true else { return remove(hash) }
            entries[hash]?.isUsed = false
            hand += 1
        }
        return nil
    }

    private mutating func remove(_ hash: UInt64) -> RenderedAnswer? {
        guard let entry = entries.removeValue(forKey: hash) else { return nil }
        cost -= entry.kept.cost
        let last = ring.removeLast()
        if entry.place < ring.count {
            ring[entry.place] = last
            entries[last]?.place = entry.place
        }
        return entry.kept.answer
    }
}

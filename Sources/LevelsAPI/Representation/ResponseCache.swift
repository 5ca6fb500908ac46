import Bytes
import HTTPServer
import Levels
import Locking
import TreeStore

/// Rendered answers by target and form, for all publications.
///
/// An answer is *kept*, within a budget of bytes, when its target is requested for the second time, so a crawl over a
/// million levels evicts nothing. A long answer is also found as long as it is being *sent*, so that other requests get
/// the same body. Answers hold no levels of the tree.
///
/// A kept answer is served unchecked for the publication for which it was last verified. For another publication,
/// hashes are compared first, so a change elsewhere in the tree costs no rendering.
final class ResponseCache: Sendable {
    enum Found {
        /// An answer that is kept and was verified for the publication.
        case verified(RenderedAnswer)
        /// An answer that was last verified for another publication, or that is not kept but being sent.
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

    /// The minimum length of a body that is found while it is being sent, in bytes.
    private static let shortestSent = 64 << 10

    /// - Parameter bytes: the maximum cost of all kept answers; 0 keeps none.
    init(bytes: Int) {
        shards = (0..<16).map { _ in Guarded(CacheShard()) }
        budget = bytes / 16
    }

    /// Looks up a target, by its key (`Negotiation.key`), for the publication with a number.
    @inline(__always)
    func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> Found {
        shard(of: hash).withLock { $0.find(target, hash: hash, in: number) }
    }

    /// Notes that an entry is served for the publication with a number.
    ///
    /// - Parameter isSame: whether the publication shows the content of the entry. If not, drops the entry and returns
    ///   nil.
    func verify(_ entry: CacheEntry, hash: UInt64, in number: Int, isSame: Bool) -> RenderedAnswer? {
        let (shard, answer) = (shard(of: hash), entry.answer)
        guard isSame else {
            // The answer is freed when this function returns, outside of the lock.
            _ = shard.withLock { $0.drop(answer, hash: hash, in: number) }
            return nil
        }
        shard.withLock { $0.verify(answer, hash: hash, in: number) }
        return answer
    }

    /// Keeps an answer unless it takes too much of the budget, or an answer for a newer publication is found.
    func keep(_ answer: RenderedAnswer, hash: UInt64, in number: Int) {
        guard answer.cost <= budget / 4 else { return }
        let dropped = shard(of: hash).withLock { $0.insert(answer, hash: hash, in: number, budget: budget) }
        // The dropped answers are freed outside of the lock.
        _ = consume dropped
    }

    /// Charges a new response to a budget, and makes its body known as long as it is being sent. Returns nil if the
    /// response does not fit. If another thread has just made the same response, returns a response with the body of
    /// that thread.
    ///
    /// - Parameter more: the header lines of the response that are not in the head.
    func send(
        _ made: Response, of head: Representation.Head, isReplaced: Bool, to inquiry: Inquiry,
        adding more: HeaderLines, chargedTo budget: ResponseBudget
    ) -> Response? {
        guard let body = made.sharedBody, body.count >= Self.shortestSent else { return made.charged(to: budget) }
        let answer = RenderedAnswer(made, head: head, isReplaced: isReplaced, to: inquiry, isKept: false)
        let (hash, number) = (inquiry.question.key, inquiry.publication.number)
        let (response, dropped) = shard(of: hash).withLock { shard -> (Response?, [RenderedAnswer]) in
            if let known = shard.body(of: answer, hash: hash, in: number) {
                return (Response(status: 200, headers: head.headers + more, body: known).charged(to: budget), [])
            }
            guard let charged = made.charged(to: budget) else {
                shard.noteRefused(hash, in: number, bytes: body.count)
                return (nil, [])
            }
            return (charged, shard.insert(answer, hash: hash, in: number, budget: self.budget))
        }
        // The dropped answers are freed outside of the lock.
        _ = consume dropped
        return response
    }

    /// The size of an answer in the publication with a number, if that answer was refused for lack of room; otherwise
    /// nil. Until there is room for the answer, further requests are refused without making the answer.
    func refusedBytes(_ hash: UInt64, in number: Int) -> Int? {
        shard(of: hash).withLock { shard in shard.refused[hash].flatMap { $0.number == number ? $0.bytes : nil } }
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
    /// The keys of the kept answers, in the order in which the clock hand passes over them.
    private var ring: [UInt64] = []
    private var hand = 0
    private var cost = 0
    /// The number of entries that triggers the removal of answers that were sent and are not kept.
    private var most = fewest
    /// The refused answers, by the publication's number and the size of the body.
    fileprivate private(set) var refused: [UInt64: (number: Int, bytes: Int)] = [:]
    /// The hashes of the latest rendered answers, to recognize a second request.
    private var seen = [UInt32](repeating: 0, count: 1_024)
    private(set) var counts = ResponseCache.Counts()

    private static let fewest = 4
    private static let mostRefused = 64

    @inline(__always)
    mutating func find(_ target: Span<UInt8>, hash: UInt64, in number: Int) -> ResponseCache.Found {
        guard let index = entries.index(forKey: hash) else { return .missing }
        let entry = entries.values[index]
        let known = entry.answer.target
        guard known.span.isEqual(to: target) else { return .missing }
        guard entry.number == number, entry.place >= 0 else {
            return entry.answer.isHeld ? .unverified(entry) : .missing
        }
        if !entry.isUsed { entries.values[index].isUsed = true }
        counts.hits &+= 1
        return .verified(entry.answer)
    }

    /// Notes that an answer was served for a publication.
    mutating func verify(_ answer: RenderedAnswer, hash: UInt64, in number: Int) {
        if answer.kept != nil { counts.hits &+= 1 }
        guard let entry = entries[hash], entry.answer === answer else { return }
        entries[hash]?.isUsed = true
        entries[hash]?.number = max(entry.number, number)
    }

    /// Removes an answer unless it was verified for a newer publication.
    mutating func drop(_ answer: RenderedAnswer, hash: UInt64, in number: Int) -> RenderedAnswer? {
        guard let entry = entries[hash], entry.answer === answer, entry.number <= number else { return nil }
        return remove(hash)
    }

    /// The body of the same answer, if another thread has made it.
    fileprivate func body(of answer: RenderedAnswer, hash: UInt64, in number: Int) -> Response.Body? {
        guard let entry = entries[hash], entry.number == number, case let known = entry.answer,
            !known.isStream, !answer.isStream, known.isReplaced == answer.isReplaced, known.target == answer.target,
            known.head.entityTag == answer.head.entityTag, known.body?.count == answer.body?.count
        else { return nil }
        return known.body
    }

    /// Inserts an answer, or replaces an older answer. Returns the replaced answer and the answers that were evicted.
    mutating func insert(_ answer: RenderedAnswer, hash: UInt64, in number: Int, budget: Int) -> [RenderedAnswer] {
        if let known = entries[hash], known.number > number || known.number == number && known.place >= 0 { return [] }
        var dropped = [remove(hash)].compactMap(\.self)
        entries[hash] = CacheEntry(answer: answer, number: number, place: answer.kept == nil ? -1 : ring.count)
        if answer.kept != nil {
            ring.append(hash)
            cost += answer.cost
            while cost > budget, let evicted = evict() { dropped.append(evicted) }
        }
        if entries.count - ring.count >= most {
            entries = entries.filter { $0.value.answer.isHeld }
            most = max((entries.count - ring.count) * 2, Self.fewest)
        }
        return dropped
    }

    fileprivate mutating func noteRefused(_ hash: UInt64, in number: Int, bytes: Int) {
        if refused.count >= Self.mostRefused { refused = [:] }
        refused[hash] = (number, bytes)
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
        guard entry.place >= 0 else { return entry.answer }
        cost -= entry.answer.cost
        let last = ring.removeLast()
        if entry.place < ring.count {
            ring[entry.place] = last
            entries[last]?.place = entry.place
        }
        return entry.answer
    }
}

/// An answer in the table of the cache.
struct CacheEntry {
    let answer: RenderedAnswer
    /// The newest publication that is known to show the answer.
    var number: Int
    /// Whether the entry was used since the clock hand passed it.
    var isUsed = false
    /// The index in the ring; −1 for an answer that is not kept.
    var place: Int
}

/// A rendered answer that other requests can get, while it is kept or being sent.
final class RenderedAnswer: Sendable {
    let target: [UInt8]
    let head: Representation.Head
    /// The hashes of the content; nil if the answer must not be served for another publication.
    let shown: ShownHashes?
    /// Whether the answer contains the changes in place of the rows.
    let isReplaced: Bool
    /// Whether the body is indented while it is sent.
    let isStream: Bool
    /// The body without indentation; nil after it was sent.
    weak let body: Response.Body?
    /// The response and its 304, which can be queued any number of times; nil for an answer that is only being sent.
    let kept: (response: Response, notModified: Response)?
    /// The approximate memory use of a kept answer, in bytes.
    let cost: Int

    init(
        _ response: Response, head: Representation.Head, for target: [UInt8], showing shown: ShownHashes?,
        isReplaced: Bool = false, isKept: Bool = true
    ) {
        (self.head, self.target, self.shown, self.isReplaced) = (head, target, shown, isReplaced)
        (isStream, body) = (response.isStream, response.sharedBody)
        // The cache has a limit of its own, so the kept response is not charged to a budget.
        kept = isKept ? (response.uncharged, .notModified(response.headers)) : nil
        // The library's own record of a response is about 1 KiB; both responses have the header lines.
        let headers = response.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        cost = response.body.count + headers * 2 + 2_048 + target.count
    }

    convenience init(
        _ response: Response, head: Representation.Head, isReplaced: Bool, to inquiry: Inquiry, isKept: Bool
    ) {
        // A whole level as the answer to `since` is valid only while the client's version is unknown. That may change
        // soon.
        let isLasting = inquiry.question.delivery.since == nil || inquiry.question.turn != nil || isReplaced
        self.init(
            response, head: head, for: inquiry.question.target, showing: isLasting ? ShownHashes(inquiry) : nil,
            isReplaced: isReplaced, isKept: isKept)
    }

    /// Whether the answer is still in memory.
    var isHeld: Bool { kept != nil || body != nil }

    /// The response of a kept answer to a request: a 304 or the whole answer, as the conditions of the request say.
    @inline(__always)
    func response(to request: Request, chargedTo budget: ResponseBudget) throws(Problem) -> Response {
        guard let kept else { throw .unwritten }
        if try Condition(request).isNotModified(head.entityTag) { return kept.notModified }
        guard let charged = kept.response.charged(to: budget) else { throw .tooManyAnswers }
        return charged
    }
}

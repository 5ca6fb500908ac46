/// An answer in the table of the cache, and the publication that it was verified for.
struct CacheEntry {
    let kept: KeptAnswer
    /// The newest publication that is known to show the answer.
    var number: Int
    /// Whether the entry was used since the clock hand passed it.
    var isUsed = false
    /// The index in the ring.
    var place = 0

    init(_ kept: KeptAnswer, number: Int) {
        self.kept = kept
        self.number = number
    }
}

/// How well a title matches a searched text.
enum SearchRank: UInt8 {
    /// It begins with the text.
    case start
    /// One of its words begins with the text.
    case word
    /// It contains the text elsewhere.
    case middle
}

/// The numbers of the items that a search has found, by rank.
struct SearchHits {
    private var starts: [UInt32] = []
    private var words: [UInt32] = []
    private var middles: [UInt32] = []

    @inline(__always)
    mutating func append(_ number: Int, _ rank: SearchRank) {
        let number = UInt32(truncatingIfNeeded: number)
        switch rank {
        case .start: starts.append(number)
        case .word: words.append(number)
        case .middle: middles.append(number)
        }
    }

    /// All hits, the best first.
    var all: [UInt32] { words.isEmpty && middles.isEmpty ? starts : starts + words + middles }
}

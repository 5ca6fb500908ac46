/// The distance between two words: the number of insertions, deletions, replacements and swaps of neighbours that turn
/// one word into the other (Damerau–Levenshtein, restricted).
public enum EditDistance {
    /// Whether one typing error turns one word into the other. Words that differ only in case count as one error apart.
    /// False for equal words, and if `word` is too short.
    ///
    /// - Parameters:
    ///   - ignoringCase: whether one error is allowed in addition to differences in case.
    ///   - shortest: the minimum number of characters in `word`.
    public static func isOneSlip(
        _ word: String, _ other: String, ignoringCase: Bool = false, shortest: Int = 3
    ) -> Bool {
        guard word != other, word.count >= shortest else { return false }
        let (folded, otherFolded) = (word.lowercased(), other.lowercased())
        if folded == otherFolded { return true }
        // What lies between the common beginning and the common end.
        var one = (ignoringCase ? folded : word).unicodeScalars[...]
        var two = (ignoringCase ? otherFolded : other).unicodeScalars[...]
        while let first = one.first, first == two.first { (one, two) = (one.dropFirst(), two.dropFirst()) }
        while let last = one.last, last == two.last { (one, two) = (one.dropLast(), two.dropLast()) }
        let (left, otherLeft) = (Array(one.prefix(3)), Array(two.prefix(3)))
        return max(left.count, otherLeft.count) == 1 || left.count == 2 && left == otherLeft.reversed()
    }

    /// The distance between two words; nil if it exceeds `limit`.
    public static func between(_ first: String, _ second: String, atMost limit: Int) -> Int? {
        let a = Array(first.unicodeScalars)
        let b = Array(second.unicodeScalars)
        guard abs(a.count - b.count) <= limit else { return nil }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in b.indices {
                var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), min(last[j + 1], row[j]) + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                row.append(cost)
            }
            // Later distances are never below the smallest one in this line of the matrix.
            guard row.contains(where: { $0 <= limit }) else { return nil }
            beforeLast = last
            last = row
        }
        return last[b.count] <= limit ? last[b.count] : nil
    }

    /// The candidate that is nearest to a word, ignoring case. Nil if all distances exceed the limit: a third of the
    /// word's length, but at least 1.
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        var best: String?
        var limit = max(1, word.unicodeScalars.count / 3)
        let folded = word.lowercased()
        for candidate in candidates {
            guard let distance = between(folded, candidate.lowercased(), atMost: limit) else { continue }
            if best == nil || distance < limit { best = candidate }
            limit = distance
            if distance == 0 { break }
        }
        return best
    }
}

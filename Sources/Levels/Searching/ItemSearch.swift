import Bytes

/// A search for items whose title, or some of whose fields, contain a text, both folded.
public struct ItemSearch: Sendable {
    let pattern: BytePattern
    /// What is searched.
    let fields: SearchedFields
    /// Whether the best hits come first; else they are in document order.
    public var isRanked: Bool

    /// - Parameter text: nil is returned for a text that is empty after folding.
    /// - Parameter isRanked: whether titles that begin with the text are first, then those with a word that does.
    public init?(_ text: String, in fields: SearchedFields = .title, isRanked: Bool) {
        guard let pattern = BytePattern(FoldedText.of(text.utf8Span.span)) else { return nil }
        self.pattern = pattern
        self.fields = fields
        self.isRanked = isRanked
    }

    /// The numbers of the hits in and below a level, counted over all items in document order, in the order in which
    /// they are shown.
    func hits(in level: Level, _ texts: SearchTexts) -> [UInt32] {
        var hits = SearchHits()
        guard texts.isLarge(level) else {
            look(through: SearchText(level, rows: 0..<level.count, isOpen: false, fields), first: 0, &hits)
            return hits.all
        }
        var pass = texts.beginSearch()
        var open = [(level: level, plan: pass.plan(of: level), part: 0, first: 0)]
        while let (level, plan, part, first) = open.last {
            guard part < plan.parts.count else {
                open.removeLast()
                continue
            }
            open[open.count - 1].part += 1
            let wanted = plan.parts[part]
            let text = fields == .title ? pass.text(of: wanted, in: level) : SearchText(level, wanted, fields)
            look(through: text, first: first + wanted.first, &hits)
            if wanted.isOpen, let below = level.child(wanted.rows.upperBound - 1) {
                open.append((below, pass.plan(of: below), 0, first + wanted.first + wanted.count))
            }
        }
        pass.end()
        return hits.all
    }

    /// How well a title that contains the text matches it.
    func rank(of title: Span<UInt8>) -> SearchRank {
        let folded = FoldedText.of(title)
        return SearchText.rank(of: pattern, in: folded.span)
    }

    private func look(through text: SearchText, first: Int, _ hits: inout SearchHits) {
        if isRanked {
            text.forEachHit(of: pattern) { item, rank in hits.append(first + item, rank) }
        } else {
            text.forEachItem(with: pattern) { item in hits.append(first + item, .start) }
        }
    }
}

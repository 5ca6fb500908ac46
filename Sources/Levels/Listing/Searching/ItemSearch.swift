import Bytes
import PropertyLists

/// A search for items whose title or fields contain a text. All texts are folded before they are compared.
///
/// A search is created from the `search` of a `RowQuery`. If the text is empty after folding, there is no search.
public struct ItemSearch: Sendable {
    let pattern: BytePattern
    let fields: SearchedFields
    /// Whether the best hits come first; otherwise the hits are in document order.
    let isRanked: Bool

    /// Creates a search; nil if the text is empty after folding.
    ///
    /// - Parameter isRanked: whether titles that begin with the text come first, then titles with a word that begins
    ///   with the text, and then all other hits; otherwise the hits are in document order.
    public init?(text: String, in fields: SearchedFields = .title, isRanked: Bool) {
        guard let pattern = BytePattern(FoldedText.of(text.utf8Span.span)) else { return nil }
        self.pattern = pattern
        self.fields = fields
        self.isRanked = isRanked
    }

    /// Whether a text can be searched for; false if the text is empty after folding.
    public static func isPossible(for text: String) -> Bool { BytePattern(FoldedText.of(text.utf8Span.span)) != nil }

    /// Returns the hits in and below a level, in the order of display. Each hit is an item's number in document order.
    func hits(in level: Level, texts: SearchTexts) -> [UInt32] {
        var hits = SearchHits()
        guard texts.isLarge(level) else {
            look(
                through: SearchText(level: level, rows: 0..<level.count, isOpen: false, fields: fields), first: 0,
                hits: &hits)
            return hits.all
        }
        let search = texts.beginSearch()
        var open = [(level: level, plan: texts.plan(of: level), part: 0, first: 0)]
        while let (level, plan, part, first) = open.last {
            guard part < plan.parts.count else {
                open.removeLast()
                continue
            }
            open[open.count - 1].part += 1
            let wanted = plan.parts[part]
            let text =
                fields == .title
                ? texts.text(of: wanted, in: level, search: search)
                : SearchText(level: level, part: wanted, fields: fields)
            look(through: text, first: first + wanted.first, hits: &hits)
            if wanted.isOpen, let below = level.child(wanted.rows.upperBound - 1) {
                open.append((below, texts.plan(of: below), 0, first + wanted.first + wanted.count))
            }
        }
        return hits.all
    }

    /// The rank of a title that contains the text.
    func rank(of title: Span<UInt8>) -> SearchRank {
        let folded = FoldedText.of(title)
        return SearchText.rank(of: pattern, in: folded.span)
    }

    private func look(through text: SearchText, first: Int, hits: inout SearchHits) {
        text.forEachHit(of: pattern, isRanked: isRanked) { item, rank in hits.append(first + item, rank: rank) }
    }
}

/// The quality of a title's match.
enum SearchRank: UInt8 {
    /// The title begins with the text.
    case start
    /// A word of the title begins with the text.
    case word
    /// The title contains the text elsewhere.
    case middle
}

/// The hits of a search, by rank.
struct SearchHits {
    private var starts: [UInt32] = []
    private var words: [UInt32] = []
    private var middles: [UInt32] = []

    @inline(__always)
    mutating func append(_ number: Int, rank: SearchRank) {
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

/// The searched texts of an item, including the elements of arrays.
public enum SearchedFields: Sendable, Hashable, CustomStringConvertible {
    case title
    /// The title and every field.
    case all
    case named(Names)

    /// The names of fields. `Title` stands for the title, and `Key` for the key.
    public struct Names: Sendable, Hashable {
        public let hasTitle: Bool
        public let hasKey: Bool
        /// The UTF-8 of the other names.
        public let fields: FieldNames
    }

    /// The names, or `*`.
    public var description: String {
        switch self {
        case .title: "Title"
        case .all: "*"
        case .named(let names):
            ((names.hasTitle ? ["Title"] : []) + (names.hasKey ? ["Key"] : [])
                + names.fields.names.map { String(utf8: $0.span) }).joined(separator: ",")
        }
    }

    /// - Parameter text: `*`, or up to `most` names of fields, separated by commas. For other text, the result is nil.
    public init?(_ text: String) {
        guard text != "*" else {
            self = .all
            return
        }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        guard names.count <= Self.most, !names.contains(where: \.isEmpty) else { return nil }
        let fields = names.filter { $0 != "Title" && $0 != "Key" }.map { Array($0.utf8) }
        self = .named(
            Names(hasTitle: names.contains("Title"), hasKey: names.contains("Key"), fields: FieldNames(fields)))
    }

    /// The maximum number of names; for more, use `*`.
    public static let most = 256

    /// Visits each searched text of a row.
    func forEachText(of row: Row, in bytes: Span<UInt8>, _ visit: (Span<UInt8>) -> Void) {
        switch self {
        case .title: visit(bytes.extracting(row.title))
        case .all:
            visit(bytes.extracting(row.title))
            Self.forEachField(of: row, in: bytes, visit)
        case .named(let names):
            if names.hasTitle { visit(bytes.extracting(row.title)) }
            if names.hasKey { visit(bytes.extracting(row.key)) }
            guard !names.fields.names.isEmpty, !row.isString else { return }
            row.forEachField(named: names.fields, in: bytes) { _, value in
                var reader = PackedReader(bytes: bytes, at: value)
                Self.forEachText(ofValue: &reader, visit)
                return nil
            }
        }
    }

    private static func forEachField(
        of row: Row, in bytes: Span<UInt8>, _ visit: (Span<UInt8>) -> Void
    ) {
        var reader = PackedReader(bytes: bytes, at: row.fields.lowerBound)
        while reader.offset < row.fields.upperBound {
            _ = reader.run()
            forEachText(ofValue: &reader, visit)
        }
    }

    private static func forEachText(ofValue reader: inout PackedReader, _ visit: (Span<UInt8>) -> Void) {
        let bytes = reader.bytes
        switch FieldValue(&reader) {
        case .text(let range): visit(bytes.extracting(range))
        case .array(let elements): forEachText(among: elements, in: bytes, visit)
        default: break
        }
    }

    private static func forEachText(among elements: Range<Int>, in bytes: Span<UInt8>, _ visit: (Span<UInt8>) -> Void) {
        var reader = PackedReader(bytes: bytes, at: elements.lowerBound)
        while reader.offset < elements.upperBound {
            if case .text(let range) = FieldValue(&reader) { visit(bytes.extracting(range)) }
        }
    }
}

internal import Bytes
internal import PropertyLists

/// Finds the names in a query that are probably misspelt: no row that is looked at shows a field with the name, but such
/// a row shows a field with nearly the same name.
public enum FieldHints {
    /// The number of rows that are looked at in addition to the rows of the answer.
    static let mostRows = 1_000
    /// The number of names in the query, and of different names in the rows, that are compared.
    private static let mostAsked = 32
    private static let mostKnown = 1_000

    /// Returns the hints for a client, one sentence for each name.
    ///
    /// - Parameters:
    ///   - item: the item above the rows.
    ///   - page: the rows of the answer.
    public static func sentences(for query: RowQuery, below item: Item, on page: RowPage) -> [String] {
        var names = RowNames(unseen: Array(query.fieldNames.prefix(mostAsked)))
        if let fields = page.fieldNames {
            for name in fields { names.see(name.span) }
        } else {
            if let level = item.own.below { names.look(at: level, isDeep: query.looksBelow) }
            for number in page.numbers where !names.unseen.isEmpty {
                page.withRow(number) { names.look(at: $0.packed, in: $0.bytes) }
            }
        }
        return names.unseen.compactMap { name in
            names.known.prefix(mostKnown).first { EditDistance.isOneSlip(name, $0) }.map {
                "No row has '\(quoted: name)'; did you mean '\(quoted: $0)'?"
            }
        }
    }

    /// The names of the fields in rows.
    private struct RowNames {
        /// The names in the query that were not seen.
        var unseen: [String]
        /// The names that were seen, in order of first appearance.
        private(set) var known: [String] = []
        private var hashes: Set<UInt64> = []

        init(unseen: [String]) { self.unseen = unseen }

        /// Looks at the first rows of a level and, if `isDeep`, of all levels below it, in document order. Stops when
        /// all names of the query were seen.
        mutating func look(at level: Level, isDeep: Bool) {
            var open = [(level: level, row: 0)]
            var left = mostRows
            while left > 0, !unseen.isEmpty, let (level, row) = open.last {
                guard row < level.count else {
                    open.removeLast()
                    continue
                }
                open[open.count - 1].row += 1
                left -= 1
                let bytes = level.bytes
                look(at: Row(in: bytes.span, number: row), in: bytes.span)
                if isDeep, let below = level.child(row) { open.append((below, 0)) }
            }
        }

        mutating func look(at row: Row, in bytes: Span<UInt8>) {
            var reader = PackedReader(bytes: bytes, at: row.fields.lowerBound)
            while reader.offset < row.fields.upperBound {
                let name = reader.run()
                // Structure and controls are not fields; they have the highest tags.
                if bytes[reader.offset] < PackedTag.hole.rawValue { see(bytes.extracting(name)) }
                reader.skipValue()
            }
        }

        mutating func see(_ name: Span<UInt8>) {
            guard hashes.insert(ContentHash.short(of: name)).inserted else { return }
            known.append(String(utf8: name))
            unseen.removeAll { $0 == known[known.count - 1] }
        }
    }
}

extension RowQuery {
    /// The number of rows that may be looked at for hints.
    func hintedRows(on level: Level?) -> Int {
        guard let level, !fieldNames.isEmpty else { return 0 }
        return min(looksBelow ? level.itemCount : level.count, FieldHints.mostRows)
    }

    /// The names of fields in the query, each once, except for `Title` and `Key`, which every row has.
    fileprivate var fieldNames: [String] {
        var names = comparedFields.map(\.name)
        if case .named(let searched) = searchedFields { names += searched.fields.names.map { String(utf8: $0.span) } }
        if case .named(let shown) = fields { names += shown.names.map { String(utf8: $0.span) } }
        var known: Set<String> = ["Title", "Key"]
        return names.filter { known.insert($0).inserted }
    }
}

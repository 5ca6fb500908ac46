internal import Bytes
internal import PropertyLists

/// Finds mistakes in a query that its answer does not show: names that no row has, and values that begin with an
/// operator.
public enum FieldHints {
    /// The number of rows that are looked at in addition to the rows of the answer.
    static let mostRows = 1_000
    /// The number of names in the query, and of different names in the rows, that are compared.
    private static let mostAsked = 32
    private static let mostKnown = 1_000

    /// Returns the hints for a client, one sentence for each mistake.
    ///
    /// - Parameters:
    ///   - item: the item above the rows.
    ///   - page: the rows of the answer.
    public static func sentences(for query: RowQuery, below item: Item, on page: RowPage) -> [String] {
        let asked = query.fieldNames
        let missing = asked.isEmpty ? [] : missing(Array(asked.prefix(mostAsked)), of: query, below: item, on: page)
        return missing
            + (query.conditions + query.alternatives).filter(\.hasDoubtfulOperator).map {
                "'\(quoted: $0.field.name)' is compared with '\(quoted: $0.value)'; the operators are :, !, <, <=, >, >=, ~ and !~."
            }
    }

    /// Returns a sentence for each name that no row has.
    private static func missing(
        _ asked: [String], of query: RowQuery, below item: Item, on page: RowPage
    ) -> [String] {
        var names = RowNames(unseen: asked)
        if let fields = page.fieldNames {
            names.hasRows = page.count > 0 || item.count > 0
            names.see(columns: fields)
        } else {
            if let level = item.own.below { names.look(at: level, isDeep: query.looksBelow) }
            for number in page.numbers where !names.unseen.isEmpty {
                page.withRow(number) { names.look(at: $0.packed, in: $0.bytes) }
            }
        }
        guard names.hasRows else { return [] }
        return names.unseen.map { name in
            let near = query.order.sort?.direction(writtenAs: name) ?? names.nearest(to: name)
            return "No row has '\(quoted: name)'\(near.map { "; did you mean '\(quoted: $0)'?" } ?? ".")"
        }
    }

    /// The names of the fields in rows.
    private struct RowNames {
        /// The names in the query that were not seen.
        private(set) var unseen: [String]
        /// Whether a row was looked at.
        var hasRows = false
        /// The names that were seen, in order of first appearance, also as paths into dictionaries.
        private var known: [String] = []
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
            hasRows = true
            forEachField(row.fields, in: bytes) { name, fields in
                see(bytes.extracting(name))
                guard let fields, known.count < mostKnown else { return }
                var path = ByteBuffer(capacity: 64)
                path.append(bytes.extracting(name))
                path.append(UInt8(ascii: "."))
                let start = path.count
                forEachField(fields, in: bytes) { inner, _ in
                    path.truncate(to: start)
                    path.append(bytes.extracting(inner))
                    see(path.span)
                }
            }
            unseen.removeAll { $0.contains(".") && RowField($0).value(of: row, in: bytes) != nil }
        }

        /// Calls a closure with the name of each field, and with the fields of its value if that is a dictionary.
        private func forEachField(
            _ fields: Range<Int>, in bytes: Span<UInt8>, _ visit: (_ name: Range<Int>, _ fields: Range<Int>?) -> Void
        ) {
            var reader = PackedReader(bytes: bytes, at: fields.lowerBound)
            while reader.offset < fields.upperBound {
                let name = reader.run()
                // Structure and controls are not fields; they have the highest tags.
                if bytes[reader.offset] < PackedTag.hole.rawValue { visit(name, reader.fields) }
                reader.skipValue()
            }
        }

        /// Sees the columns of a table. A path into a column may lead to a value.
        mutating func see(columns: [[UInt8]]) {
            for name in columns { see(name.span) }
            unseen.removeAll { name in columns.contains { name.utf8.starts(with: $0 + [UInt8(ascii: ".")]) } }
        }

        mutating func see(_ name: Span<UInt8>) {
            guard hashes.insert(ContentHash.short(of: name)).inserted else { return }
            let name = String(utf8: name)
            unseen.removeAll { $0 == name }
            if known.count < mostKnown { known.append(name) }
        }

        /// Returns a known name that differs from a name by case, by one letter or by a missing part before a `.`.
        func nearest(to name: String) -> String? {
            let folded = name.lowercased()
            let names = known + ["Title", "Key"]
            return names.first { $0.lowercased() == folded }
                ?? names.first { EditDistance.isOneSlip(name, $0, shortest: 1) }
                ?? names.first { $0.hasSuffix("." + name) }
        }
    }
}

extension RowOrder {
    /// Returns the field whose direction a name was meant to be, as in `Price,desc`, in the form in which an order gives
    /// the direction; nil if the name is not the word for a direction.
    fileprivate func direction(writtenAs name: String) -> String? {
        guard let number = criteria.firstIndex(where: { $0.field.name == name }), number > 0 else { return nil }
        return Self.direction(name).map { ($0 ? "-" : "") + criteria[number - 1].field.name }
    }
}

extension RowQuery {
    /// The number of rows that may be looked at for hints.
    func hintedRows(on level: Level?) -> Int {
        guard let level, !fieldNames.isEmpty else { return 0 }
        // A row with long fields counts as several.
        let size = max(1, level.bytes.count / max(level.count, 1) / 256)
        return min(looksBelow ? level.itemCount : level.count, FieldHints.mostRows) * size
    }

    /// The names of fields in the query, each once, except for `Title` and `Key`, which every row has.
    fileprivate var fieldNames: [String] {
        var names = comparedFields.map(\.name)
        if case .named(let searched) = searchedFields { names += searched.fields.names.map { String(utf8: $0.span) } }
        if case .named(let shown) = fields { names += shown.names.map { String(utf8: $0.span) } }
        var known: Set<String> = ["Title", "Key", ""]
        return names.filter { known.insert($0).inserted }
    }
}

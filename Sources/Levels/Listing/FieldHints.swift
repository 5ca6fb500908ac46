internal import Bytes
internal import PropertyLists

/// Finds the names in a query that are probably misspelt: no row shows a field with the name, but a row shows a field
/// with nearly the same name.
public enum FieldHints {
    /// The number of rows that are searched for similar names. Before a hint is given, all rows are searched for the
    /// name itself.
    private static let sampledRows = 1_000

    /// Returns the hints for a client, one sentence for each name.
    ///
    /// - Parameter item: the item above the rows.
    public static func sentences(for query: RowQuery, below item: Item) -> [String] {
        let names = query.fieldNames
        guard !names.isEmpty, let level = item.own.below else { return [] }
        let levels = Levels(below: level, isDeep: query.looksBelow)
        var known: [String] = []
        var distinct: Set<String> = []
        levels.forEachField(rows: sampledRows) { name in
            let text = String(utf8: name)
            if distinct.insert(text).inserted { known.append(text) }
            return true
        }
        return names.compactMap { name in
            guard !distinct.contains(name), let near = known.first(where: { EditDistance.isOneSlip(name, $0) }),
                !levels.hasField(name)
            else { return nil }
            return "No row has '\(quoted: name)'; did you mean '\(quoted: near)'?"
        }
    }

    /// A level, with all levels below it if `isDeep`.
    private struct Levels {
        let first: Level
        let isDeep: Bool

        init(below level: Level, isDeep: Bool) { (first, self.isDeep) = (level, isDeep) }

        func hasField(_ name: String) -> Bool {
            let wanted = Array(name.utf8)
            var isFound = false
            forEachField(rows: .max) { name in
                isFound = name.isEqual(to: wanted.span)
                return !isFound
            }
            return isFound
        }

        /// Visits the names of the fields that at most `rows` rows show. Stops when a visit returns false.
        func forEachField(rows: Int, _ visit: (Span<UInt8>) -> Bool) {
            var left = rows
            var waiting = [first]
            while let level = waiting.popLast() {
                let bytes = level.bytes
                for number in level.rowNumbers {
                    guard left > 0 else { return }
                    left -= 1
                    for field in PackedField.all(in: Row(in: bytes.span, number: number).fields, of: bytes.span)
                    where !field.isStructure && field.tag != .control {
                        guard visit(bytes.span.extracting(field.name)) else { return }
                    }
                    if isDeep, let child = level.child(number) { waiting.append(child) }
                }
            }
        }
    }
}

extension RowQuery {
    /// The names of fields in the query, each once, except for `Title` and `Key`, which every row has.
    fileprivate var fieldNames: [String] {
        var names = conditions.map(\.field.name) + (order.sort?.criteria.map(\.field.name) ?? [])
        if case .field(let field) = order.group { names.append(field.name) }
        if case .named(let searched) = searchedFields { names += searched.fields.names.map { String(utf8: $0.span) } }
        if case .named(let shown) = fields { names += shown.names.map { String(utf8: $0.span) } }
        var known: Set<String> = ["Title", "Key"]
        return names.filter { known.insert($0).inserted }
    }
}

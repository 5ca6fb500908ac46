internal import Bytes
internal import PropertyLists

/// Finds the names in a query that no row has as a field, although a row has a field of nearly the same name.
public enum FieldHints {
    /// Similar names are looked for in this many rows; that no row has a name is then checked on all of them.
    private static let sampledRows = 1_000

    /// The sentences for a client, one for each name.
    ///
    /// - Parameter item: the item below which the rows are.
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

    /// A level, and those below it if rows of all of them are looked at.
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

        /// Visits the names of the fields of some rows, until a visit returns false.
        func forEachField(rows: Int, _ visit: (Span<UInt8>) -> Bool) {
            var left = rows
            var waiting = [first]
            while let level = waiting.popLast() {
                let bytes = level.bytes
                for number in 0..<level.rowCount {
                    guard left > 0 else { return }
                    left -= 1
                    for field in PackedField.all(in: Row(in: bytes.span, number: number).fields, of: bytes.span) {
                        guard visit(bytes.span.extracting(field.name)) else { return }
                    }
                    if isDeep, let child = level.child(number) { waiting.append(child) }
                }
            }
        }
    }
}

extension RowQuery {
    /// The names of fields in it, each once; `Title` and `Key` are of every row.
    fileprivate var fieldNames: [String] {
        var names = conditions.map(\.field.name) + (order.sort?.criteria.map(\.field.name) ?? [])
        if case .field(let field) = order.group { names.append(field.name) }
        if case .named(let searched) = searchedFields { names += searched.fields.names.map { String(utf8: $0.span) } }
        if case .named(let shown) = fields { names += shown.names.map { String(utf8: $0.span) } }
        var known: Set<String> = ["Title", "Key"]
        return names.filter { known.insert($0).inserted }
    }
}

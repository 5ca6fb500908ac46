internal import DatabaseTrees
internal import Levels
internal import PropertyLists

extension Catalogue {
    /// Returns the part of the database that an item of a document shows, and all tables. The shown table gets the key
    /// and the title column that the reference names.
    ///
    /// - Parameter queried: the number of the table for the item's `Query`; nil if the item has a `Table`.
    /// - Throws: `DatabaseError` if a named table or column is missing, a `Query` comes without a `Key`, or a condition
    ///   or the order is malformed.
    static func shown(
        _ reference: DatabaseReference, queried: Int?, in tables: [Table]
    ) throws(DatabaseError) -> (Shown, [Table]) {
        var tables = tables
        if queried != nil, reference.key.isEmpty {
            throw DatabaseError(
                kind: .other, reason: "a 'Query' needs a 'Key', an array of the columns that name a row")
        }
        guard let number = queried ?? tables.firstIndex(where: { $0.name == reference.table }) else {
            throw DatabaseError(kind: .other, reason: "there is no table '\(quoted: reference.table ?? "")'")
        }
        func column(_ name: String) throws(DatabaseError) -> Int {
            guard let column = tables[number].column(name) else {
                throw DatabaseError(
                    kind: .other, reason: "'\(quoted: tables[number].name)' has no column '\(quoted: name)'")
            }
            return column
        }
        var shown = Shown(table: number)
        if !reference.key.isEmpty {
            var key: [Int] = []
            for name in reference.key { key.append(try column(name)) }
            tables[number].key = key
        }
        if let title = reference.titleColumn { tables[number].titleColumn = try column(title) }
        for name in reference.drillColumns { shown.drillColumns.append(try column(name)) }
        for text in reference.conditions {
            guard let condition = RowCondition(text) else {
                throw DatabaseError(
                    kind: .other, reason: "'\(quoted: text)' in 'Where' is not a condition, such as Price<10 or Name:Bo"
                )
            }
            shown.query.conditions.append(condition)
        }
        if let order = reference.order {
            do throws(MalformedOrder) {
                shown.query.order.sort = try RowOrder(order)
            } catch {
                throw DatabaseError(kind: .other, reason: "'SortBy' \(error)")
            }
        }
        return (shown, tables)
    }
}

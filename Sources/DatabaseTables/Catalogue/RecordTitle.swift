internal import DatabaseTrees
internal import Levels

/// The values that make the title of a table's records, in order. If all of them are NULL, or there are none, the key
/// of a record is its title.
struct RecordTitle: Sendable {
    struct Part: Sendable {
        /// The value, in a statement about the table `c`.
        let sql: SQL
        /// The type of the value in PostgreSQL; nil in SQLite.
        let type: PostgresType?
        /// The number of the table's own column with the value; nil for a value of a referenced record.
        let column: Int?
        /// The foreign key that leads to the record with the value; nil for a value of the record itself.
        var reference: ForeignKey?
    }

    var parts: [Part] = []

    /// The number of the column whose value alone is the title; nil for any other title.
    var column: Int? { parts.count == 1 ? parts[0].column : nil }

    /// Returns the title in a list of records that refer to the same record by a foreign key: without the title of that
    /// record.
    func without(_ key: ForeignKey) -> RecordTitle { RecordTitle(parts: parts.filter { $0.reference != key }) }

    /// Returns the text between a part and the part before it. The titles of several records are separated by dots.
    func separator(before number: Int) -> String {
        parts[number].reference == parts[number - 1].reference ? " " : " · "
    }
}

/// Chooses the titles of tables by their names and types alone, so that no record changes the titles of others.
///
/// Source: the rule for documents that are read as they are (manual, Documents as they are), without its look at values.
struct TitleChooser {
    let tables: [Table]
    /// The columns that the operator or a document names for a table, by the number of the table.
    let named: [Int: [Int]]

    /// The largest number of records from one to the next by which a title is found.
    private static let mostSteps = 3

    /// The largest number of referenced records whose titles are that of a record without a title of its own.
    private static let mostLabels = 2

    /// Returns the title of a table's records.
    func title(of table: Int) -> RecordTitle { RecordTitle(parts: parts(of: table, alias: "c", below: [])) }

    /// Returns the titles of the records to which the foreign keys of a table lead.
    func labels(of table: Int) -> [Table.Label] {
        tables[table].references.filter { $0.columns.count == 1 }.compactMap { key in
            let parts = label(key, alias: "c", below: [table])
            let name = tables[table].columns[key.columns[0]].bytes + Array(".title".utf8)
            return parts.isEmpty ? nil : Table.Label(name: name, title: RecordTitle(parts: parts))
        }
    }

    /// Returns the parts of the title of the record to which a foreign key leads; empty without a title.
    ///
    /// - Parameters:
    ///   - alias: the name of the referring table in the statement.
    ///   - path: the tables whose records lead to the record, the referring table last.
    private func label(_ key: ForeignKey, alias: SQL, below path: [Int]) -> [RecordTitle.Part] {
        let (table, parent) = (tables[key.child], tables[key.parent])
        guard path.count <= Self.mostSteps, leadsToOneRecord(key) else { return [] }
        let found: SQL = "t\(literal: path.count)"
        let condition = key.condition(joining: alias, of: table, to: found, of: parent)
        return parts(of: key.parent, alias: found, below: path).map {
            RecordTitle.Part(
                sql: "(SELECT \($0.sql) FROM \(parent.source) AS \(found) WHERE \(condition))", type: $0.type,
                column: nil, reference: key)
        }
    }

    /// - Parameters:
    ///   - alias: the name of the table in the statement.
    ///   - path: the tables whose records lead to the table.
    private func parts(of number: Int, alias: SQL, below path: [Int]) -> [RecordTitle.Part] {
        let table = tables[number]
        func parts(of columns: [Int], reference: ForeignKey? = nil) -> [RecordTitle.Part] {
            columns.map {
                RecordTitle.Part(
                    sql: "\(alias).\(table.columns[$0].quoted)", type: table.columns[$0].type,
                    column: path.isEmpty ? $0 : nil, reference: reference)
            }
        }
        func label(_ key: ForeignKey) -> [RecordTitle.Part] {
            key.parent == number || path.contains(key.parent)
                ? [] : self.label(key, alias: alias, below: path + [number])
        }
        if let columns = named[number] { return parts(of: columns) }
        let joined = table.joinedKeys.map { (key: $0, parts: label($0)) }
        if joined.contains(where: { !$0.parts.isEmpty }) {
            return joined.flatMap { $0.parts.isEmpty ? parts(of: $0.key.columns, reference: $0.key) : $0.parts }
        }
        if let columns = table.titleColumns { return parts(of: columns) }
        return table.references.lazy.map(label).filter { !$0.isEmpty }.prefix(Self.mostLabels).flatMap(\.self)
    }

    /// Whether an index finds the one record to which a foreign key leads.
    private func leadsToOneRecord(_ key: ForeignKey) -> Bool {
        Set(tables[key.parent].key) == Set(key.targets)
    }
}

extension Table {
    /// The foreign keys that together are the key of a table whose records join others, in the order of the key; empty
    /// for other tables.
    fileprivate var joinedKeys: [ForeignKey] {
        let keys = references.filter { Set($0.columns).isSubset(of: key) }
            .sorted { key.firstIndex(of: $0.columns[0]) ?? 0 < key.firstIndex(of: $1.columns[0]) ?? 0 }
        return key.count > 1 && Set(keys.flatMap(\.columns)) == Set(key) ? keys : []
    }

    /// The columns whose values are the title: a first and a last name, otherwise the column with a usual name of titles,
    /// otherwise the first text. Nil without these.
    fileprivate var titleColumns: [Int]? {
        let bound = Set(references.flatMap(\.columns))
        let texts = columns.indices.filter { columns[$0].affinity == .text && !bound.contains($0) }
        func text(named names: [String]) -> Int? {
            texts.first { names.contains(columns[$0].name.lowercased().filter { !"_- ".contains($0) }) }
        }
        if let first = text(named: Self.firstNames), let last = text(named: Self.lastNames) { return [first, last] }
        let others = texts.filter { !key.contains($0) }
        let usual = columns.indices.compactMap { number -> (rank: Int, number: Int)? in
            let name = columns[number].bytes
            guard let rank = TitleRank(name.span), !rank.isEnding || others.contains(number) else { return nil }
            return (rank.rawValue, number)
        }.min { $0 < $1 }
        let plain = others.first { number in
            let name = columns[number].bytes
            return !TitleRank.isTypeOrIdentifier(name.span)
        }
        return (usual?.number ?? plain).map { [$0] }
    }

    private static let firstNames = ["firstname", "givenname", "forename"]
    private static let lastNames = ["lastname", "familyname", "surname"]
}

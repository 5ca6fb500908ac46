internal import DatabaseTrees
internal import Levels

extension Catalogue {
    /// Reads the catalogue of a SQLite database.
    init(connection: SQLiteConnection, options: TableOptions) throws(DatabaseError) {
        var reader = SQLiteCatalogueReader(connection)
        try reader.read()
        if let query = options.reference?.query { try reader.add(query: query) }
        self.init(
            tables: reader.tables, unreadable: reader.unreadable, foreignKeys: reader.foreignKeys,
            treeColumns: options.treeColumns, titleColumns: options.titleColumns, showing: options.reference)
    }
}

private struct SQLiteCatalogueReader {
    let connection: SQLiteConnection
    var tables: [Table] = []
    /// Views of missing tables, views that call functions which a schema may not call, and virtual tables whose modules
    /// are not available in this process.
    var unreadable: [(name: String, reason: String)] = []
    var foreignKeys: [ForeignKey] = []
    /// The numbers of the tables to which foreign keys can refer, by the table's name in lower case.
    private var parents: [String: Int] = [:]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    mutating func read() throws(DatabaseError) {
        let list = try connection.allRows(
            "SELECT name, type, strict FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') ORDER BY name"
        )
        for row in list {
            guard let name = row[0].string, let kind = row[1].string, !name.lowercased().hasPrefix("sqlite_") else {
                continue
            }
            do throws(DatabaseError) {
                try add(name, kind: kind, isStrict: row[2].integer == 1)
            } catch  where error.kind == .other {
                unreadable.append((name, connection.message))
            }
        }
        for number in tables.indices { try addForeignKeys(of: number) }
        try addTextIndexes()
    }

    /// Adds the tables of FTS5 to the tables whose texts they find: the table that is their content, or themselves.
    private mutating func addTextIndexes() throws(DatabaseError) {
        let made = try connection.allRows(
            "SELECT name, sql FROM main.sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name"
        )
        for row in made {
            guard let name = row[0].string, let declaration = row[1].string.flatMap(TextIndex.Declaration.init),
                tables.contains(where: { $0.name == name })
            else { continue }
            let content = declaration.options["content"] ?? name
            guard let number = tables.firstIndex(where: { $0.name.lowercased() == content.lowercased() }) else {
                continue
            }
            let table = tables[number]
            let named = declaration.options["content_rowid"].flatMap(table.column)
            guard let key = named.map({ table.columns[$0].quoted }) ?? table.rowID else { continue }
            tables[number].textIndexes.append(
                .fullText(
                    name: name, key: "c.\(key)", columns: Set(declaration.columns.compactMap(table.column)),
                    hasTrigrams: declaration.options["tokenize"]?.hasPrefix("trigram") ?? false))
        }
    }

    private mutating func add(_ name: String, kind: String, isStrict: Bool) throws(DatabaseError) {
        let rows = try connection.allRows(
            "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(\(text: name)) WHERE hidden <> 1 ORDER BY cid"
        )
        // An INTEGER PRIMARY KEY without an index of its own is the rowid, which is never NULL. An INT PRIMARY KEY is
        // not the rowid.
        let keyIndex = try connection.allRows("SELECT name FROM pragma_index_list(\(text: name)) WHERE origin = 'pk'")
            .first?[0].string
        let columns = rows.map { row in
            let declared = row[1].string ?? ""
            let isRowID =
                row[3].integer != 0 && keyIndex == nil && kind == "table" && declared.uppercased() == "INTEGER"
            return Column(
                name: row[0].string ?? "",
                affinity: Affinity(declared: declared, isStrict: isStrict),
                isNotNull: row[2].integer != 0 || isRowID, keyPlace: Int(row[3].integer ?? 0),
                collation: connection.collation(of: row[0].string ?? "", in: name),
                isJSON: declared.uppercased() == "JSON")
        }
        guard !columns.isEmpty else { return }
        var table = Table(name: name, columns: columns)
        (table.isMade, table.isIndexable) = (kind == "view", kind == "table")
        if !table.isMade { table.rowID = try rowID(of: table) }
        table.key = columns.indices.filter { columns[$0].keyPlace > 0 }
            .sorted { columns[$0].keyPlace < columns[$1].keyPlace }
        var index = keyIndex
        if table.key.isEmpty, let found = try uniqueKey(of: table) { (index, table.key) = found }
        if let index {
            for (column, row) in zip(table.key, try keyColumns(of: index)) {
                let collation = row[1].string?.uppercased()
                if collation != table.columns[column].collation.uppercased() {
                    table.columns[column].keyCollation = collation
                }
            }
        }
        if kind == "table" { parents[name.lowercased()] = tables.count }
        tables.append(table)
    }

    /// Adds a query as the last table. The rows of the query are the records.
    mutating func add(query: String) throws(DatabaseError) {
        let refusal = DatabaseError(
            kind: .other, reason: "the 'Query' must be one SELECT that only reads the tables of the database")
        let found: (text: String, columns: [String])?
        do throws(DatabaseError) { found = try connection.readingQuery(query) } catch {
            throw error.kind == .other ? refusal : error
        }
        guard let found else { throw refusal }
        let columns = found.columns.map { Column(name: $0, affinity: .none, isNotNull: false, keyPlace: 0) }
        tables.append(Table(name: Catalogue.queryName, columns: columns, query: found.text))
    }

    /// Returns a name for the rowid that is not the name of a column. Returns nil for a table without a rowid, or if
    /// columns have all three names of the rowid.
    private func rowID(of table: Table) throws(DatabaseError) -> SQL? {
        guard let name = ["rowid", "_rowid_", "oid"].first(where: { table.column($0) == nil }) else { return nil }
        do throws(DatabaseError) {
            let rowID = SQL(verbatim: name)
            _ = try connection.first("SELECT \(rowID) FROM main.\(table.quoted) LIMIT 0")
            return rowID
        } catch {
            guard error.kind == .other else { throw error }
            return nil
        }
    }

    /// Returns the names and the collations of the columns that an index is made of.
    private func keyColumns(of index: String) throws(DatabaseError) -> [[DatabaseValue]] {
        try connection.allRows("SELECT name, coll FROM pragma_index_xinfo(\(text: index)) WHERE key ORDER BY seqno")
    }

    /// Returns the shortest unique index over columns that are never NULL, and these columns; nil if the table lacks
    /// such an index. Among several shortest indexes, the first by name is chosen.
    private func uniqueKey(of table: Table) throws(DatabaseError) -> (name: String, columns: [Int])? {
        var best: (name: String, columns: [Int])?
        let indexes = try connection.allRows(
            "SELECT name FROM pragma_index_list(\(text: table.name)) WHERE \"unique\" AND NOT partial AND origin <> 'pk'"
        )
        for name in indexes.compactMap(\.[0].string) {
            let columns = try keyColumns(of: name).map { $0[0].string.flatMap(table.column) }
            let known = columns.compactMap(\.self).filter { table.columns[$0].isNotNull }
            guard !known.isEmpty, known.count == columns.count else { continue }
            if let best, (best.columns.count, best.name) <= (known.count, name) { continue }
            best = (name, known)
        }
        return best
    }

    private mutating func addForeignKeys(of number: Int) throws(DatabaseError) {
        let table = tables[number]
        let rows = try connection.allRows(
            """
            SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(\(text: table.name)) ORDER BY id DESC, seq
            """)
        var start = 0
        while start < rows.count {
            let end = rows[start...].firstIndex { $0[0] != rows[start][0] } ?? rows.count
            let parts = rows[start..<end]
            start = end
            guard let parentName = parts.first?[1].string, let parent = parents[parentName.lowercased()] else {
                continue
            }
            let named = parts.compactMap { $0[3].string.flatMap(tables[parent].column) }
            let targets = parts.first?[3] == .null ? tables[parent].primaryKey : named
            let columns = parts.compactMap { $0[2].string.flatMap(table.column) }
            guard columns.count == parts.count, targets.count == parts.count else { continue }
            foreignKeys.append(ForeignKey(child: number, parent: parent, columns: columns, targets: targets))
        }
    }
}

extension Table {
    /// The columns of the declared primary key.
    fileprivate var primaryKey: [Int] {
        columns.indices.filter { columns[$0].keyPlace > 0 }.sorted { columns[$0].keyPlace < columns[$1].keyPlace }
    }
}

internal import DatabaseTrees
internal import Levels

/// Reads the catalogue of a PostgreSQL database (`pg_catalog`): the tables and columns that the role may select.
struct PostgresCatalogue {
    private let reader: PostgresReader
    private var tables: [Table] = []
    private var foreignKeys: [ForeignKey] = []
    /// The columns of each index of a table, by the number of the table.
    private var indexes: [[[Int]]] = []
    /// The numbers of the tables by object identifier. For each table, the numbers of its columns by `attnum`.
    private var numbers: [Int: Int] = [:]
    private var columns: [[Int: Int]] = []

    /// - Throws: `DatabaseError` if the database cannot be read.
    init(_ reader: PostgresReader, options: TableOptions) throws(DatabaseError) {
        self.reader = reader
        try readTables()
        try readIndexes()
        try readTextIndexes()
        try readForeignKeys()
        if let query = options.reference?.query { try add(query: query) }
        for number in tables.indices { byName[tables[number].name] = indexes[number] }
        catalogue = Catalogue(
            tables: tables, foreignKeys: foreignKeys, treeColumns: options.treeColumns,
            titleColumns: options.titleColumns, showing: options.reference)
    }

    private(set) var catalogue = Catalogue(tables: [], foreignKeys: [])
    /// The columns of each index of a table, by the name of the table.
    private(set) var byName: [String: [[Int]]] = [:]

    /// Selects the tables and views with their columns. The type of a domain is its base type. A type has an order if
    /// an index for order (`btree`, 403) can contain it; composites, whose values cannot be parameters, have none here.
    private static let tablesQuery: SQL = """
        WITH RECURSIVE base (oid, base) AS (
          SELECT oid, oid FROM pg_type WHERE typtype <> 'd'
          UNION ALL SELECT t.oid, b.base FROM pg_type t JOIN base b ON t.typbasetype = b.oid WHERE t.typtype = 'd'),
        ordered (oid) AS (
          SELECT opcintype FROM pg_opclass WHERE opcmethod = 403 AND opcdefault
          UNION SELECT castsource FROM pg_cast JOIN pg_opclass ON opcintype = casttarget
            WHERE opcmethod = 403 AND opcdefault AND castmethod = 'b' AND castcontext = 'i')
        SELECT c.oid, n.nspname, c.relname, n.nspname = current_schema(), a.attnum, a.attname, a.attnotnull, t.oid,
          t.typcategory, t.typlen,
          CASE WHEN l.collname = 'default' THEN (SELECT datcollate FROM pg_database WHERE datname = current_database())
            ELSE l.collname END, c.relkind IN ('v', 'm', 'f') OR c.relrowsecurity, c.relkind IN ('r', 'm', 'p'),
          c.relkind = 'r' AND c.relhassubclass AND EXISTS (SELECT 1 FROM pg_inherits WHERE inhparent = c.oid),
          t.typtype IN ('e', 'r', 'm')
            OR CASE t.typcategory WHEN 'A' THEN t.typelem ELSE t.oid END IN (SELECT oid FROM ordered)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          JOIN base b ON b.oid = a.atttypid JOIN pg_type t ON t.oid = b.base
          LEFT JOIN pg_collation l ON l.oid = a.attcollation
        WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND NOT c.relispartition AND n.nspname !~ '^pg_'
          AND n.nspname <> 'information_schema' AND has_schema_privilege(n.oid, 'USAGE')
          AND has_column_privilege(c.oid, a.attnum, 'SELECT')
        ORDER BY n.nspname, c.relname, a.attnum
        """

    private mutating func readTables() throws(DatabaseError) {
        var found: [(number: Int, table: Table, columns: [Column], places: [Int: Int])] = []
        try reader.rows(Self.tablesQuery) { (row) throws(DatabaseError) in
            guard let number = row.number(0), let schema = row.string(1), let name = row.string(2) else { return }
            if found.last?.number != number {
                var table = Table(
                    name: row.flag(3) ? name : "\(schema).\(name)", columns: [],
                    source: "\(identifier: schema).\(identifier: name)")
                (table.isMade, table.isIndexable, table.isInherited) = (row.flag(11), row.flag(12), row.flag(13))
                found.append((number, table, [], [:]))
            }
            let type = PostgresType(
                number: row.number(7) ?? 0, category: row.string(8) ?? "", length: row.number(9) ?? -1,
                isOrdered: row.flag(14))
            let last = found.count - 1
            found[last].places[row.number(4) ?? 0] = found[last].columns.count
            found[last].columns.append(
                Column(
                    name: row.string(5) ?? "", affinity: type.kind == .text ? .text : .none, isNotNull: row.flag(6),
                    keyPlace: 0, collation: Self.collation(row.string(10)), type: type))
        }
        for (number, table, columns, places) in found {
            numbers[number] = tables.count
            tables.append(table)
            tables[tables.count - 1].columns = columns
            self.columns.append(places)
            indexes.append([])
        }
    }

    /// Returns the name under which answers show a collation; `BINARY` for a collation that compares bytes.
    private static func collation(_ name: String?) -> String {
        guard let name, !["C", "POSIX", "ucs_basic", "C.UTF-8", "C.utf8"].contains(name) else { return "BINARY" }
        return name
    }

    private static let indexesQuery: SQL = """
        SELECT i.indrelid, i.indkey::int2[], i.indnkeyatts, i.indisprimary, i.indisunique
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
        WHERE i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL AND m.amname = 'btree'
        ORDER BY i.indrelid, NOT i.indisprimary, i.indnkeyatts, c.relname
        """

    /// Reads the indexes, and chooses the key of each table.
    ///
    /// The key is the primary key, otherwise the shortest unique index over columns that are never NULL. Among several
    /// shortest indexes, the first by name is the key. A deferred constraint holds, too, because only committed records
    /// are read.
    private mutating func readIndexes() throws(DatabaseError) {
        try reader.rows(Self.indexesQuery) { (row) throws(DatabaseError) in
            guard let table = row.number(0).flatMap({ numbers[$0] }),
                let all = places(row.string(1), of: table, count: row.number(2))
            else { return }
            indexes[table].append(all)
            let isKey = row.flag(3) || row.flag(4) && all.allSatisfy { tables[table].columns[$0].isNotNull }
            guard isKey, all.allSatisfy({ tables[table].columns[$0].isOrdered }) else { return }
            if tables[table].key.isEmpty, !tables[table].isInherited { tables[table].key = all }
        }
    }

    /// Selects the columns with an index of `pg_trgm`, or of type `tsvector` with an index. A generated column names its
    /// configuration in its expression.
    private static let textIndexesQuery: SQL = """
        SELECT i.indrelid, k.number, o.opcname <> 'tsvector_ops', (
          SELECT substring(pg_get_expr(d.adbin, d.adrelid) FROM '''([^'']+)''::regconfig') FROM pg_attrdef d
          WHERE d.adrelid = i.indrelid AND d.adnum = k.number)
        FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int2[], i.indclass::oid[]) AS k (number, class)
          JOIN pg_opclass o ON o.oid = k.class
        WHERE i.indisvalid AND i.indpred IS NULL AND o.opcname IN ('gin_trgm_ops', 'gist_trgm_ops', 'tsvector_ops')
        ORDER BY i.indexrelid, k.number
        """

    private mutating func readTextIndexes() throws(DatabaseError) {
        try reader.rows(Self.textIndexesQuery) { (row) throws(DatabaseError) in
            guard let table = row.number(0).flatMap({ numbers[$0] }),
                let column = row.number(1).flatMap({ columns[table][$0] })
            else { return }
            tables[table].textIndexes.append(
                row.flag(2) ? .trigrams(column: column) : .words(column: column, configuration: row.string(3)))
        }
    }

    private static let foreignKeysQuery: SQL = """
        SELECT conrelid, confrelid, conkey, confkey FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 ORDER BY oid
        """

    private mutating func readForeignKeys() throws(DatabaseError) {
        try reader.rows(Self.foreignKeysQuery) { (row) throws(DatabaseError) in
            guard let child = row.number(0).flatMap({ numbers[$0] }),
                let parent = row.number(1).flatMap({ numbers[$0] }),
                let columns = places(row.string(2), of: child), let targets = places(row.string(3), of: parent)
            else { return }
            foreignKeys.append(ForeignKey(child: child, parent: parent, columns: columns, targets: targets))
        }
    }

    /// Returns the numbers of the columns in an array of `attnum`, such as `{1,2}`; nil unless the role may select all
    /// of these columns.
    private func places(_ array: String?, of table: Int, count: Int? = nil) -> [Int]? {
        guard let array else { return nil }
        // An array that was a vector begins with its bounds, such as `[0:1]={1,2}`.
        let elements = array.split(separator: "{").last?.dropLast().split(separator: ",") ?? []
        let found = elements.prefix(count ?? elements.count).compactMap { Int($0).flatMap { columns[table][$0] } }
        return found.count == min(elements.count, count ?? elements.count) && !found.isEmpty ? found : nil
    }

    /// Adds a query as the last table. The rows of the query are the records.
    private mutating func add(query: String) throws(DatabaseError) {
        var alone = query[...]
        while let last = alone.last, last.isWhitespace || last == ";" { alone.removeLast() }
        let source = Table.source(query: String(alone))
        let refusal = DatabaseError(
            kind: .other, reason: "the 'Query' must be one SELECT that only reads the tables of the database")
        let found: [(name: String, type: UInt32)]
        do throws(DatabaseError) { found = try reader.columns(ofQuery: source) } catch {
            throw error.kind == .refused ? refusal : error
        }
        var columns: [Column] = []
        for (name, number) in found {
            var type = PostgresType(number: Int(number), category: "", length: -1)
            try reader.rows("SELECT typcategory, typlen FROM pg_type WHERE oid = \(Int64(number))") {
                (row) throws(DatabaseError) in
                type = PostgresType(number: Int(number), category: row.string(0) ?? "", length: row.number(1) ?? -1)
            }
            columns.append(
                Column(
                    name: name, affinity: type.kind == .text ? .text : .none, isNotNull: false, keyPlace: 0,
                    type: type))
        }
        var made = Table(name: Catalogue.queryName, columns: columns, source: source)
        made.isMade = true
        tables.append(made)
        indexes.append([])
    }
}

extension PostgresCatalogue {
    /// Selects a version of the schema, and the number of rows in the catalogue that describe it. The version differs
    /// after every change of a table, a column, an index, a constraint or a right.
    ///
    /// A row that is new or changed has a later `xmin` than all rows before. The objects of users have numbers from 16384.
    static let versionQuery: SQL = """
        WITH temporary AS (SELECT oid FROM pg_class WHERE relpersistence = 't')
        SELECT concat_ws(':', count(*), sum(age('1000'::xid)::int8 - age(made)), current_schema()), count(*) FROM (
          SELECT xmin FROM pg_namespace WHERE nspname !~ '^pg_'
          UNION ALL SELECT xmin FROM pg_class WHERE oid >= 16384 AND relpersistence <> 't'
          UNION ALL SELECT xmin FROM pg_attribute
            WHERE attrelid >= 16384 AND attnum > 0 AND attrelid NOT IN (SELECT oid FROM temporary)
          UNION ALL SELECT xmin FROM pg_index WHERE indexrelid >= 16384 AND indrelid NOT IN (SELECT oid FROM temporary)
          UNION ALL SELECT xmin FROM pg_constraint WHERE oid >= 16384 AND conrelid NOT IN (SELECT oid FROM temporary)
        ) found (made)
        """

    /// Selects the names of the trees in the database. Each tree is a schema that contains the tables of a tree and the
    /// function `revise`.
    static let treesQuery: SQL = """
        SELECT n.nspname FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
        WHERE c.relkind = 'r' AND c.relname IN ('head', 'items', 'revisions', 'changes')
        GROUP BY n.nspname HAVING count(*) = 4 AND EXISTS (
          SELECT 1 FROM pg_proc p JOIN pg_namespace m ON m.oid = p.pronamespace
          WHERE m.nspname = n.nspname AND p.proname = 'revise')
        ORDER BY n.nspname
        """
}

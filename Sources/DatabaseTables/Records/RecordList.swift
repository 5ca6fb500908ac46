internal import DatabaseTrees
internal import Levels

/// A list of records as the parts of a statement: the records of a table, or the records that refer to one record.
struct RecordList {
    private(set) var table: Table
    /// The text after FROM; the alias of the table is `c`.
    private let source: SQL
    /// The conditions that the records meet.
    private(set) var conditions: [SQL] = []
    /// The terms after ORDER BY. Together, their values identify a record. Empty if only positions identify the
    /// records.
    var terms: [OrderTerm]
    /// The rows that follow the records: one for each other foreign key that refers to the record above. Empty unless
    /// the records are below a record of a tree.
    var following: [NamedList] = []
    /// The conditions and the order that an item of a document gives to the list.
    var own = RowQuery()
    /// The numbers of the columns whose values form levels above the records, outermost first.
    var drillColumns: [Int] = []
    /// The terms that have the same value in all records, because the list is below a record.
    var equal: [OrderTerm] = []
    /// Whether an index can give the records in some order. PostgreSQL sorts the records with NULL in a column, and both
    /// databases sort records with several values in it.
    var isServable = true
    /// Whether conditions of a query narrow the list.
    var isNarrowed = false
    /// Whether a condition of the list is met in one of several ways, for each of which another index may find the records.
    var hasAlternatives = false
    /// Whether an index gives the order. If so, the list is read in parts that need no sorting (`soughtTerms`).
    var isSought = false

    init(_ table: Table) {
        self.table = table
        source = "\(table.source) AS c"
        terms = table.keyTerms
    }

    /// Creates the list of the records that refer to one record by a foreign key.
    init(table: Table, referringBy key: ForeignKey, to parent: Table, identity: RecordIdentity) {
        self.table = table
        let joined = key.condition(joining: "c", of: table, to: "p", of: parent)
        source = "\(parent.source) AS p \(table.dialect.joining) \(table.source) AS c ON \(joined)"
        conditions = [identity.condition(of: "p")]
        terms = table.keyTerms
        equal = key.columns.map { table.term($0, isDescending: false) }
        self.table.title = table.title.without(key)
    }

    /// Creates the list of a table's first level: all records, or in a tree, the records whose reference to the record
    /// above is NULL.
    init(firstLevelOf table: Table) {
        self.init(table)
        guard let tree = table.tree else { return }
        if tree.columns.count == 1 { equal = [table.term(tree.columns[0], isDescending: false)] }
        isServable = table.dialect == .sqlite && tree.columns.count == 1
        let isFirst = tree.columns.map { "c.\(table.columns[$0].quoted) IS NULL" as SQL }
        conditions = ["(\(isFirst.joined(by: " OR ")))"]
    }

    /// The records, as the part of a statement that begins with FROM.
    ///
    /// - Parameter more: further conditions that the records must meet.
    func records(where more: [SQL] = []) -> SQL {
        let all = conditions + more
        return all.isEmpty ? "FROM \(source)" : "FROM \(source) WHERE \(all.joined(by: " AND "))"
    }

    /// Whether reading the list takes as long for one record as for all: the list is a view without a key. A page or a
    /// detail then counts the records while it reads them.
    var isReadOnce: Bool { table.isPositional && table.isMade && own.conditions.isEmpty && drillColumns.isEmpty }

    /// The maximum number of shown records if only positions identify the records of a table.
    static let mostPositions = 10_000

    /// Adds a condition that the records must also meet.
    mutating func add(_ condition: SQL) { conditions.append(condition) }

    /// The number of leading terms whose values are sought one by one; 0 if this is not necessary.
    ///
    /// NULL is last in the list, but first in some indexes (`OrderTerm.hasNullLast`). For a term other than the first
    /// of the list, such an index gives the order only among records that agree in all terms before that term. So the
    /// values of all terms before the last such term are sought.
    var soughtTerms: Int {
        isSought ? terms.indices.last { $0 > 0 && terms[$0].isNullable && !terms[$0].hasNullLast } ?? 0 : 0
    }

    /// Whether a separate statement reads the records with NULL in the first term that is not sought. This is necessary
    /// if no index has these records last.
    var splitsNull: Bool {
        guard isSought, terms.indices.contains(soughtTerms) else { return false }
        return terms[soughtTerms].isSplit
    }
}

extension RecordList {
    /// Whether a detail shows the list as it is arranged in memory: the list has conditions or an order of its own, or
    /// its records have only positions.
    var isArranged: Bool { own != RowQuery() || table.isPositional }

    /// Returns a query with the list's own conditions added. Adds the list's order, too, unless the query has an order
    /// or a search.
    func query(_ asked: RowQuery) -> RowQuery {
        var query = asked
        query.conditions = own.conditions + query.conditions
        if query.order.sort == nil, query.usesOwnOrder { query.order.sort = own.order.sort }
        return query
    }

    /// The name under which results about the records are kept.
    ///
    /// - Parameters:
    ///   - part: the order, the grouping, or whatever else determines the result.
    ///   - query: the query that determines the result, if any.
    func name(_ part: String, query: RowQuery? = nil) -> ListName {
        let records = records()
        return ListName(
            records: records, part: part, query: query, isOfTable: !isNarrowed && records.values.isEmpty)
    }
}

/// The name of a result about a list of records.
struct ListName: Hashable, Sendable {
    let records: SQL
    let part: String
    let query: RowQuery?
    /// Whether the catalogue alone determines the list. There are then only as many lists as tables.
    let isOfTable: Bool
}

/// A row below a record, with the list of the records that refer to that record by one foreign key.
struct NamedList {
    let title: [UInt8]
    let key: [UInt8]
    let list: RecordList
}

extension Catalogue {
    /// Returns the records of a table's first level.
    func list(ofTable number: Int) -> RecordList {
        var list = RecordList(firstLevelOf: tables[number])
        if let shown, shown.table == number { (list.own, list.drillColumns) = (shown.query, shown.drillColumns) }
        return list
    }

    /// Returns the records that refer to one record by a foreign key.
    func list(of key: ForeignKey, to identity: RecordIdentity) -> RecordList {
        RecordList(table: tables[key.child], referringBy: key, to: tables[key.parent], identity: identity)
    }
}

extension Table {
    /// The terms that order the records by their key.
    var keyTerms: [OrderTerm] {
        var terms = key.map { column in
            OrderTerm(
                column: column, sql: "c.\(keyTerm(column))", isNullable: !columns[column].isNotNull,
                isDescending: false, dialect: dialect, collation: columns[column].keyCollation)
        }
        if rowID != nil, terms.isEmpty || terms.contains(where: \.isNullable) {
            terms.append(term(nil, isDescending: false))
        }
        return terms
    }

    /// Whether only the rowid identifies every record, because the table lacks a key or a key column may be NULL.
    var isNamedByRowID: Bool {
        rowID != nil && (key.isEmpty || key.contains { !columns[$0].isNotNull })
    }

    /// The affinities of the key's columns; if the table lacks a key, the affinity of the rowid. In PostgreSQL, all
    /// affinities are text, because the text of a value identifies the value.
    var keyAffinities: [Affinity] {
        key.isEmpty ? [.integer] : key.map { columns[$0].type == nil ? columns[$0].affinity : .text }
    }
}

extension Table {
    /// Returns the number of the column for a field of a query. Returns nil for an unknown field, and for a title or a
    /// key that is not the value of one column.
    func column(of field: RowField) -> Int? {
        switch field {
        case .title: titleColumn
        case .key: key.count == 1 ? key.first : nil
        case .named(let name): column(named: name)
        }
    }

    /// The rowid of a record, in a statement about the table `c`.
    var rowIDColumn: SQL { "c.\(rowID ?? "rowid")" }

    /// Returns the term that orders by a column, or by the rowid if `column` is nil.
    func term(_ column: Int?, isDescending: Bool) -> OrderTerm {
        guard let column else {
            return OrderTerm(column: nil, sql: rowIDColumn, isNullable: false, isDescending: isDescending)
        }
        return OrderTerm(
            column: column, sql: "c.\(columns[column].quoted)", isNullable: !columns[column].isNotNull,
            isDescending: isDescending, dialect: dialect)
    }

    /// Returns the term that orders by a column, and compares texts exactly, whichever collation the column has.
    func exactTerm(_ column: Int) -> OrderTerm {
        let term = term(column, isDescending: false)
        // A view may have columns of other collations.
        guard dialect == .sqlite, isMade || columns[column].collation != "BINARY" else { return term }
        return OrderTerm(
            column: column, sql: "\(term.sql) COLLATE BINARY", isNullable: term.isNullable, isDescending: false,
            collation: "BINARY")
    }
}

/// A term after ORDER BY.
struct OrderTerm {
    /// The number of the column; nil for the rowid.
    let column: Int?
    let sql: SQL
    let isNullable: Bool
    var isDescending: Bool
    var dialect = Dialect.sqlite
    /// The collation in `sql`; nil for the collation of the column.
    var collation: String?

    var reversed: OrderTerm {
        var reversed = self
        reversed.isDescending.toggle()
        return reversed
    }

    /// The term with its direction after ORDER BY.
    ///
    /// - Parameter isReversed: whether the list is read backwards.
    func directed(isReversed: Bool = false) -> SQL { isDescending != isReversed ? "\(sql) DESC" : sql }

    /// Whether a separate statement reads the records with NULL in this term. SQLite needs no separate statement,
    /// because it can read these records last in the same statement.
    var isSplit: Bool { dialect == .postgres && isNullable && !hasNullLast }

    /// Whether an index in the order of the term has NULL last. NULL is the smallest value in SQLite, and the largest
    /// in PostgreSQL.
    var hasNullLast: Bool { isDescending == (dialect == .sqlite) }
}

extension Dialect {
    /// The operator that joins a second table to a table of which one record is read. SQLite reads the tables of a
    /// cross join in the order of the statement.
    var joining: SQL { self == .sqlite ? "CROSS JOIN" : "JOIN" }
}

extension SQL {
    /// Returns the condition that a column has a value, which may be NULL.
    func equals(_ value: DatabaseValue) -> SQL { value == .null ? "\(self) IS NULL" : "\(self) = \(value)" }

    /// Returns the condition that a column has one of several values.
    func isOne(of values: some Collection<DatabaseValue>) -> SQL {
        "\(self) IN (\(values.map { "\($0)" as SQL }.joined(by: ", ")))"
    }

    /// Returns conditions that together find the records in which a column has one of several values. Each condition has
    /// at most 128 values.
    func conditions(thatOneOf values: [DatabaseValue]) -> [SQL] {
        stride(from: 0, to: values.count, by: 128).map { start in
            let part = values[start..<min(start + 128, values.count)]
            // Repeated values complete the number, so that there are few different statements.
            return isOne(of: part + Array(repeating: part[start], count: (8 - part.count % 8) % 8))
        }
    }
}

extension ForeignKey {
    /// Returns the condition that a record of the child refers to a record of the parent. The aliases name the tables.
    func condition(joining child: SQL, of table: Table, to parent: SQL, of other: Table) -> SQL {
        zip(targets, columns).map { target, column in
            "\(parent).\(other.columns[target].quoted) = \(child).\(table.columns[column].quoted)" as SQL
        }.joined(by: " AND ")
    }

    /// Whether a record of the child refers to a record of the parent exactly if the values in their columns are equal.
    /// Otherwise, the database may convert one of the values, or compare texts by a collation.
    func comparesEqualValues(of table: Table, to parent: Table) -> Bool {
        guard columns.count == 1 else { return false }
        let (own, target) = (table.columns[columns[0]], parent.columns[targets[0]])
        guard let type = own.type, let targetType = target.type else {
            return own.affinity == target.affinity && [.integer, .text].contains(own.affinity)
                && target.collation == "BINARY"
        }
        // text, varchar and uuid; other types, such as citext, may take different values as equal.
        return type.kind == .integer && targetType.kind == .integer
            || type.number == targetType.number && [25, 1043, 2950].contains(type.number)
    }
}

/// The columns that identify a record, as identifiers in a statement, and their values.
struct RecordIdentity {
    let columns: [SQL]
    let values: [DatabaseValue]

    func condition(of table: SQL) -> SQL {
        zip(columns, values).map { ("\(table).\($0)" as SQL).equals($1) }.joined(by: " AND ")
    }
}

/// A part of a list that one statement reads.
struct ListScan {
    /// The conditions that compare terms of the list with values; empty for all records.
    let conditions: [SQL]
    /// The number of the term that the condition compares with `<` or `>`; nil without such a comparison. The term is
    /// not NULL in any record of the part.
    var ranged: Int?
    /// The number of leading terms for which NULL is settled: each is NULL either in all records of the part, or in no
    /// record.
    var settled = 0

    /// Returns the parts of a list after a record, in the order in which they are read.
    ///
    /// NULL is last in the list. If the list is read in reverse, the parts contain the records before the given record,
    /// and NULL is first.
    ///
    /// - Parameters:
    ///   - values: the values of the record's terms.
    ///   - first: the number of the first term whose value may differ from the value in the record.
    static func parts(
        after values: [DatabaseValue], terms: [OrderTerm], from first: Int = 0, isReversed: Bool = false
    ) -> [ListScan] {
        var parts: [ListScan] = []
        for number in (first..<terms.count).reversed() {
            let term = terms[number]
            let equal = (0..<number).map { terms[$0].sql.equals(values[$0]) }
            func add(_ condition: SQL, isRange: Bool = false) {
                parts.append(
                    ListScan(
                        conditions: equal + [condition], ranged: isRange ? number : nil, settled: number + 1))
            }
            if values[number] == .null {
                if isReversed { add("\(term.sql) IS NOT NULL") }
            } else {
                let isBelow = term.isDescending != isReversed
                add("\(term.sql) \(isBelow ? "<" : ">") \(values[number])", isRange: true)
                if term.isNullable, !isReversed { add("\(term.sql) IS NULL") }
            }
        }
        return parts
    }

    /// Returns the text after ORDER BY.
    ///
    /// - Parameters:
    ///   - ranged: the number of a term that is not NULL in the part; nil if every term may be NULL.
    ///   - settled: the number of leading terms, each of which is NULL either in all records of the part, or in no
    ///     record.
    static func order(
        by terms: [OrderTerm], isReversed: Bool = false, ranged: Int? = nil, settled: Int = 0
    ) -> SQL {
        terms.enumerated().map { number, term in
            let directed = term.directed(isReversed: isReversed)
            let isSettled = term.dialect == .postgres && number < settled
            guard term.isNullable, number != ranged, !isSettled, !term.hasNullLast else { return directed }
            return "\(directed) NULLS \(isReversed ? "FIRST" : "LAST")"
        }.joined(by: ", ")
    }
}

internal import DatabaseTrees
internal import Levels

/// The records of a table, or only the records that refer to one record, as parts of statements.
struct RecordList {
    let table: Table
    /// After FROM; the table is `c`.
    let source: String
    /// After WHERE; nil for all records.
    private(set) var condition: String?
    /// The values of the parameters in the condition.
    private(set) var values: [SQLiteValue]
    /// What orders the records; their values name a record.
    var terms: [OrderTerm]
    /// The rows after the records.
    var following: [NamedList] = []
    /// The conditions and the order of an item of a document.
    var own = RowQuery()
    /// The columns whose values are the levels above the records.
    var drillColumns: [Int] = []
    /// Whether an index gives the order, so that each part of it is sought and none is sorted.
    var isSought = false

    init(_ table: Table) {
        self.table = table
        source = "\(table.source) AS c"
        (condition, values) = (nil, [])
        terms = Self.keyTerms(of: table)
    }

    /// The records that refer to a record of another table.
    init(table: Table, referringBy key: ForeignKey, to parent: Table, identity: RecordIdentity) {
        self.table = table
        let joined = zip(key.targets, key.columns).map { target, column in
            "p.\(parent.columns[target].quoted) = c.\(table.columns[column].quoted)"
        }
        // The order of the tables stays, because the first has one record.
        source =
            "\(parent.source) AS p CROSS JOIN \(table.source) AS c ON \(joined.joined(separator: " AND "))"
        condition = identity.condition(of: "p")
        values = identity.values
        terms = Self.keyTerms(of: table)
    }

    /// The first level of a table: all records, or in a tree the records without a record above.
    init(firstLevelOf table: Table) {
        self.init(table)
        guard let tree = table.tree else { return }
        let conditions = tree.columns.map { "c.\(table.columns[$0].quoted) IS NULL" }
        add("(\(conditions.joined(separator: " OR ")))", values: [])
    }

    /// Narrows the list.
    mutating func add(_ condition: String, values: [SQLiteValue]) {
        self.condition = [self.condition, condition].compactMap(\.self).joined(separator: " AND ")
        self.values += values
    }

    /// The terms of the order of the key.
    var keyTerms: [OrderTerm] { Self.keyTerms(of: table) }

    /// The number of terms before the last one after which NULL is not where the index has it: their values are sought
    /// one by one.
    var soughtTerms: Int {
        isSought ? terms.indices.last { $0 > 0 && terms[$0].isNullable && !terms[$0].isDescending } ?? 0 : 0
    }

    private static func keyTerms(of table: Table) -> [OrderTerm] {
        var terms = table.key.map { table.term($0, isDescending: false) }
        if table.rowID != nil, terms.isEmpty || terms.contains(where: \.isNullable) {
            terms.append(table.term(nil, isDescending: false))
        }
        return terms
    }
}

/// The records that refer to a record by one foreign key, as one row.
struct NamedList {
    let title: [UInt8]
    let key: [UInt8]
    /// The number of the table that refers.
    let table: Int
    let list: RecordList
}

/// The rows below a record: the records below it in a tree, then a row for each other foreign key that refers to it.
struct RowsBelow {
    /// Nil unless the table is a tree; the named lists follow these records.
    var records: RecordList?
    var lists: [NamedList] = []
}

extension Table {
    /// Whether a column is the whole primary key and an integer, so that it is the rowid and never NULL.
    func isRowIDAlias(_ number: Int) -> Bool {
        rowID != nil && key == [number] && columns[number].keyPlace == 1 && columns[number].affinity == .integer
    }

    /// Whether the columns of the key are missing, or may be NULL, so that only the rowid names each record.
    var isNamedByRowID: Bool {
        rowID != nil && (key.isEmpty || key.contains { !columns[$0].isNotNull && !isRowIDAlias($0) })
    }

    /// The affinities of the key's columns; the rowid is an integer.
    var keyAffinities: [Affinity] { key.isEmpty ? [.integer] : key.map { columns[$0].affinity } }
}

extension Table {
    /// The column that a field of a query stands for; nil without one.
    func column(of field: RowField) -> Int? {
        switch field {
        case .title: titleColumn
        case .key: key.count == 1 ? key.first : nil
        case .named(let name): column(named: name)
        }
    }

    /// The term of a column, or of the rowid.
    func term(_ column: Int?, isDescending: Bool) -> OrderTerm {
        guard let column else {
            return OrderTerm(column: nil, sql: "c.\(rowID ?? "rowid")", isNullable: false, isDescending: isDescending)
        }
        return OrderTerm(
            column: column, sql: "c.\(columns[column].quoted)",
            isNullable: !columns[column].isNotNull && !isRowIDAlias(column), isDescending: isDescending)
    }
}

/// What orders records.
struct OrderTerm {
    /// The number of the column; nil for the rowid.
    let column: Int?
    let sql: String
    let isNullable: Bool
    let isDescending: Bool

    var reversed: OrderTerm {
        OrderTerm(column: column, sql: sql, isNullable: isNullable, isDescending: !isDescending)
    }
}

/// The columns that find a record again, with their values.
struct RecordIdentity {
    let columns: [String]
    let values: [SQLiteValue]

    func condition(of table: String) -> String {
        columns.map { "\(table).\($0) IS ?" }.joined(separator: " AND ")
    }
}

/// A part of a list that one statement reads: the records after a record, or all.
struct ListScan {
    /// Compares the terms of the order with values.
    let condition: String?
    let values: [SQLiteValue]
    /// The number of the term that the condition keeps from being NULL; nil without one.
    var ranged: Int?

    /// All records.
    static let all = [ListScan(condition: nil, values: [])]

    /// The parts of a list after a record, one after the other.
    ///
    /// NULL is last. Before a record, the parts are read in the reverse order, in which NULL is first.
    ///
    /// - Parameter first: the first term that may differ from the record's.
    static func parts(
        after values: [SQLiteValue], terms: [OrderTerm], from first: Int = 0, isReversed: Bool
    ) -> [ListScan] {
        var parts: [ListScan] = []
        for number in (first..<terms.count).reversed() {
            let term = terms[number]
            let equal = (0..<number).map { place in
                values[place] == .null ? "\(terms[place].sql) IS NULL" : "\(terms[place].sql) = ?"
            }
            let bound = values[..<number].filter { $0 != .null }
            let isAfter = term.isDescending != isReversed ? "<" : ">"
            func add(_ condition: String, value: SQLiteValue? = nil) {
                parts.append(
                    ListScan(
                        condition: (equal + [condition]).joined(separator: " AND "),
                        values: bound + (value.map { [$0] } ?? []),
                        ranged: value == nil ? nil : number))
            }
            if values[number] == .null {
                if isReversed { add("\(term.sql) IS NOT NULL") }
            } else {
                add("\(term.sql) \(isAfter) ?", value: values[number])
                if term.isNullable, !isReversed { add("\(term.sql) IS NULL") }
            }
        }
        return parts
    }

    /// After ORDER BY.
    ///
    /// - Parameter ranged: the number of a term that is not NULL.
    static func order(by terms: [OrderTerm], isReversed: Bool, ranged: Int? = nil) -> String {
        terms.enumerated().map { number, term in
            let isDown = term.isDescending != isReversed
            let direction = isDown ? " DESC" : ""
            guard term.isNullable, number != ranged else { return term.sql + direction }
            // NULL is the smallest value of all.
            if isDown != isReversed { return "\(term.sql)\(direction)" }
            return "\(term.sql)\(direction) NULLS \(isReversed ? "FIRST" : "LAST")"
        }.joined(separator: ", ")
    }
}

internal import DatabaseTrees

/// The affinity of a column, by which SQLite converts its values (SQLite, Datatypes, section 3.1).
enum Affinity: Sendable {
    case integer, text, none, real, numeric

    init(declared: String, isStrict: Bool) {
        let type = declared.uppercased()
        if isStrict, type == "ANY" {
            self = .none
        } else if type.contains("INT") {
            self = .integer
        } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
            self = .text
        } else if type.isEmpty || type.contains("BLOB") {
            self = .none
        } else {
            self = ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? .real : .numeric
        }
    }
}

struct Column: Sendable {
    let name: String
    let affinity: Affinity
    /// Whether the column cannot contain NULL: it has a NOT NULL constraint, or it is the rowid. The columns of the
    /// primary key of a table WITHOUT ROWID always have this constraint.
    let isNotNull: Bool
    /// The position in the primary key, counted from 1; 0 for a column that is not part of the primary key, and for
    /// every column in PostgreSQL.
    let keyPlace: Int
    /// The collation of the column's texts, such as `NOCASE`.
    let collation: String
    /// The collation by which an index makes the texts of a key column unique; nil if it is `collation`.
    var keyCollation: String?

    /// The type in PostgreSQL; nil in SQLite, where each value has its own type.
    let type: PostgresType?
    /// Whether the values are JSON by the type of the column.
    let isJSON: Bool

    /// The UTF-8 of the name.
    let bytes: [UInt8]
    /// The name as an identifier in a statement.
    let quoted: SQL

    /// Whether the values have an order, so that an index can contain them.
    var isOrdered: Bool { type?.isOrdered ?? true }

    init(
        name: String, affinity: Affinity, isNotNull: Bool, keyPlace: Int, collation: String = "BINARY",
        type: PostgresType? = nil, isJSON: Bool = false
    ) {
        (self.name, self.affinity, self.isNotNull) = (name, affinity, isNotNull)
        (self.keyPlace, self.collation, self.type) = (keyPlace, collation, type)
        self.isJSON = isJSON || type?.kind == .json
        bytes = Array(name.utf8)
        quoted = "\(identifier: name)"
    }
}

/// A foreign key between two tables of a catalogue. `child` refers to `parent`; both are numbers of tables.
struct ForeignKey: Sendable, Hashable {
    let child, parent: Int
    /// The numbers of columns. Each of the child's `columns` refers to the parent's column at the same index of
    /// `targets`.
    let columns, targets: [Int]
}

/// The dialect of SQL in statements.
enum Dialect: Sendable { case sqlite, postgres }

/// A table, a view, or the `Query` of an item of a document.
struct Table: Sendable {
    let name: String
    /// The number of the table in the catalogue.
    var number = 0
    /// The table as it is named in statements that create indexes.
    let quoted: SQL
    /// The source of the records in a FROM clause: the table, or the query in parentheses.
    let source: SQL
    var columns: [Column]
    let dialect: Dialect
    /// Whether this is a view, a query, a foreign table or a table with policies for its rows. Reading such a table may
    /// take long or fail.
    var isMade = false
    /// Whether the table can have indexes; a view and a query cannot.
    var isIndexable = false
    /// Whether other tables inherit from this table. Its records are then also theirs, so its keys do not identify them.
    var isInherited = false
    /// The numbers of the columns that identify a record; empty if the rowid or the position identifies it.
    var key: [Int] = []
    /// The name of the rowid in statements; nil for a table without a rowid, a view or a query.
    var rowID: SQL?
    var title = RecordTitle()
    /// The number of the column with the title; nil for any other title.
    var titleColumn: Int? { title.column }
    /// The titles of the records to which foreign keys of one column lead, by the names of their fields, such as
    /// `GenreId.title`.
    var labels: [Label] = []
    /// The indexes that find texts.
    var textIndexes: [TextIndex] = []
    /// The foreign keys of the table, in the order of their declaration.
    var references: [ForeignKey] = []
    /// The foreign key that makes the table a tree: each record is below the record to which this foreign key refers.
    /// Nil unless the table is a tree.
    var tree: ForeignKey?
    /// The foreign keys that refer to the table, except `tree`. Each of them becomes a row below a record. The foreign
    /// keys are in the order of the titles of these rows.
    var referring: [ForeignKey] = []
    /// The titles and the keys of the rows for `referring`, in the same order.
    var referringNames: [(title: [UInt8], key: [UInt8])] = []

    struct Label: Sendable {
        let name: [UInt8]
        let title: RecordTitle
    }

    /// - Parameter query: the SELECT whose rows are the records; nil for a table.
    init(name: String, columns: [Column], query: String? = nil) {
        (self.name, self.columns) = (name, columns)
        dialect = .sqlite
        quoted = "\(identifier: name)"
        isMade = query != nil
        source = query.map(Self.source) ?? "main.\(quoted)"
    }

    /// Creates a table of PostgreSQL.
    ///
    /// - Parameter source: the text after FROM: the table in its schema, or a query in parentheses.
    init(name: String, columns: [Column], source: SQL) {
        (self.name, self.columns, dialect) = (name, columns, .postgres)
        (quoted, self.source) = (source, source)
    }

    /// Returns a query as the text after FROM. A line break follows the query, because it may end with a comment.
    static func source(query: String) -> SQL { "(\(SQL(verbatim: query))\n)" }

    /// Returns a column of the key as a part of a statement that compares its values as the index of the key does.
    func keyTerm(_ column: Int) -> SQL {
        let column = columns[column]
        return column.keyCollation.map { "\(column.quoted) COLLATE \(identifier: $0)" } ?? column.quoted
    }

    /// Whether a record is identified only by its position.
    var isPositional: Bool { key.isEmpty && rowID == nil }

    /// The numbers of the columns whose values may have rows below a record.
    var drilledColumns: [Int] {
        isPositional || tree != nil ? [] : columns.indices.filter { columns[$0].isJSON && !key.contains($0) }
    }

    /// Returns the number of the first column with this name, ignoring case; nil if the table lacks such a column.
    func column(_ name: String) -> Int? {
        let name = name.lowercased()
        return columns.firstIndex { $0.name.lowercased() == name }
    }

    /// Returns the number of the first column with exactly this name; nil if the table lacks such a column.
    func column(named name: [UInt8]) -> Int? { columns.firstIndex { $0.bytes == name } }
}

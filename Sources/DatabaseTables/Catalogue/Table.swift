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
    /// Whether it has a NOT NULL constraint, as the primary key of a table WITHOUT ROWID always has, or is the rowid.
    let isNotNull: Bool
    /// The position in the primary key, from 1; 0 for a column outside of it.
    let keyPlace: Int
    /// The collation of its texts, such as `NOCASE`.
    let collation: String

    /// The type in PostgreSQL; nil in SQLite, where each value has its own type.
    let type: PostgresType?

    /// The UTF-8 of the name.
    let bytes: [UInt8]
    /// The name as an identifier in a statement.
    let quoted: String

    init(
        name: String, affinity: Affinity, isNotNull: Bool, keyPlace: Int, collation: String = "BINARY",
        type: PostgresType? = nil
    ) {
        (self.name, self.affinity, self.isNotNull) = (name, affinity, isNotNull)
        (self.keyPlace, self.collation, self.type) = (keyPlace, collation, type)
        bytes = Array(name.utf8)
        quoted = type == nil ? Identifier.quoted(name) : Identifier.marked(Identifier.quoted(name))
    }
}

enum Identifier {
    /// Returns a name as an identifier in a statement.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// Returns a part of a statement for PostgreSQL with its question marks doubled, because they are not parameters.
    static func marked(_ sql: String) -> String { sql.replacing("?", with: "??") }

    /// Returns a part of a statement as it is shown in messages.
    static func shown(_ sql: String, in dialect: Dialect) -> String {
        dialect == .sqlite ? sql : sql.replacing("??", with: "?")
    }
}

/// A foreign key between two tables of a catalogue, by their numbers.
struct ForeignKey: Sendable, Hashable {
    let child, parent: Int
    /// The numbers of the child's columns, and of the parent's columns that they refer to.
    let columns, targets: [Int]
}

/// The dialect of SQL in statements.
enum Dialect: Sendable { case sqlite, postgres }

/// A table, a view, or a query of an item of a document.
struct Table: Sendable {
    let name: String
    let quoted: String
    /// The source of the records in a FROM clause: the table, or the query in parentheses.
    let source: String
    let columns: [Column]
    let dialect: Dialect
    /// Whether it is a view or a foreign table of PostgreSQL; reading one may take long or fail.
    var isMade = false
    /// The numbers of the columns that identify a record; empty if the rowid or the position does.
    var key: [Int] = []
    /// The name of the rowid in statements; nil for a table without a rowid, a view or a query.
    var rowID: String?
    /// The number of the column with the title; nil if the record's key is its title.
    var titleColumn: Int?
    /// The foreign keys of the table, in the order of their declaration.
    var references: [ForeignKey] = []
    /// The foreign key that makes the table a tree, in which a record is below the record that it refers to; nil unless
    /// the table is a tree.
    var tree: ForeignKey?
    /// The foreign keys that refer to the table, except `tree`, in the order of the titles of their rows.
    var referring: [ForeignKey] = []
    /// The titles and the keys of the rows for `referring`, in the same order.
    var referringNames: [(title: [UInt8], key: [UInt8])] = []

    /// - Parameter query: the SELECT whose rows are the records; nil for a table.
    init(name: String, columns: [Column], query: String? = nil) {
        (self.name, self.columns) = (name, columns)
        dialect = .sqlite
        quoted = Identifier.quoted(name)
        // The query may end with a comment.
        source = query.map { Self.source(query: $0) } ?? "main.\(quoted)"
    }

    /// Creates a table of PostgreSQL.
    ///
    /// - Parameter source: the text after FROM: the table in its schema, or a query in parentheses.
    init(name: String, columns: [Column], source: String) {
        (self.name, self.columns, dialect) = (name, columns, .postgres)
        (quoted, self.source) = (source, source)
    }

    /// Returns a query as the text after FROM.
    static func source(query: String) -> String { "(\(query)\n)" }

    /// Whether only its position identifies a record.
    var isPositional: Bool { key.isEmpty && rowID == nil }

    /// Returns the number of the first column with a name, ignoring case; nil without one.
    func column(_ name: String) -> Int? {
        let name = name.lowercased()
        return columns.firstIndex { $0.name.lowercased() == name }
    }

    /// Returns the number of the first column with exactly this name; nil without one.
    func column(named name: [UInt8]) -> Int? { columns.firstIndex { $0.bytes == name } }
}

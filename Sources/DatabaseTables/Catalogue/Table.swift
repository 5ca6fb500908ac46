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
    /// Whether it has a NOT NULL constraint; the primary key of a table WITHOUT ROWID always has one.
    let isNotNull: Bool
    /// The position in the primary key, from 1; 0 for a column outside of it.
    let keyPlace: Int
    /// The collation of its texts, such as `NOCASE`.
    let collation: String

    /// The UTF-8 of the name.
    let bytes: [UInt8]
    /// The name as an identifier in a statement.
    let quoted: String

    init(name: String, affinity: Affinity, isNotNull: Bool, keyPlace: Int, collation: String = "BINARY") {
        (self.name, self.affinity, self.isNotNull) = (name, affinity, isNotNull)
        (self.keyPlace, self.collation) = (keyPlace, collation)
        bytes = Array(name.utf8)
        quoted = Identifier.quoted(name)
    }
}

enum Identifier {
    /// Returns a name as an identifier in a statement.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}

/// A foreign key between two tables of a catalogue, by their numbers.
struct ForeignKey: Sendable, Hashable {
    let child, parent: Int
    /// The numbers of the child's columns, and of the parent's columns that they refer to.
    let columns, targets: [Int]
}

/// A table, a view, or a query of an item of a document.
struct Table: Sendable {
    let name: String
    let quoted: String
    /// The source of the records in a FROM clause: the table, or the query in parentheses.
    let source: String
    let columns: [Column]
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
        quoted = Identifier.quoted(name)
        // The query may end with a comment.
        source = query.map { "(\($0)\n)" } ?? "main.\(quoted)"
    }

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

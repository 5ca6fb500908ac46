/// How SQLite converts the values of a column (SQLite, Datatypes, section 3.1).
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
    /// Whether it is never NULL.
    let isNotNull: Bool
    /// The place in the primary key, from 1; 0 outside of it.
    let keyPlace: Int
    /// How its texts compare, as `NOCASE`.
    let collation: String

    /// The UTF-8 of the name.
    let bytes: [UInt8]
    /// The name in a statement.
    let quoted: String

    init(name: String, affinity: Affinity, isNotNull: Bool, keyPlace: Int, collation: String = "BINARY") {
        (self.name, self.affinity, self.isNotNull) = (name, affinity, isNotNull)
        (self.keyPlace, self.collation) = (keyPlace, collation)
        bytes = Array(name.utf8)
        quoted = Identifier.quoted(name)
    }
}

enum Identifier {
    /// A name as an identifier in a statement.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}

/// A foreign key between two tables of a catalogue, by their numbers.
struct ForeignKey: Sendable, Hashable {
    let child, parent: Int
    /// The numbers of the child's columns, and of the parent's columns that they refer to.
    let columns, targets: [Int]
}

/// A table or a view.
struct Table: Sendable {
    let name: String
    let quoted: String
    /// What statements read: the table, or the query in parentheses.
    let source: String
    let columns: [Column]
    /// The numbers of the columns that name a record; empty if the rowid or the position does.
    var key: [Int] = []
    /// The name of the rowid in statements; nil without one.
    var rowID: String?
    /// The number of the column with the title; nil if the key is the title.
    var titleColumn: Int?
    /// The foreign keys of the table, as they are written.
    var references: [ForeignKey] = []
    /// The foreign key that makes the table a tree: a record is below the record that it refers to.
    var tree: ForeignKey?
    /// The foreign keys that refer to the table, by the titles that they are shown with.
    var referring: [ForeignKey] = []
    /// The titles and the keys of these, in order.
    var referringNames: [(title: [UInt8], key: [UInt8])] = []

    /// - Parameter query: the SELECT whose rows are the records; nil for a table.
    init(name: String, columns: [Column], query: String? = nil) {
        (self.name, self.columns) = (name, columns)
        quoted = Identifier.quoted(name)
        // The query may end with a comment.
        source = query.map { "(\($0)\n)" } ?? "main.\(quoted)"
    }

    /// Whether only its position names a record.
    var isPositional: Bool { key.isEmpty && rowID == nil }

    /// The number of a column whose name is equal but for the case of letters.
    func column(_ name: String) -> Int? {
        let name = name.lowercased()
        return columns.firstIndex { $0.name.lowercased() == name }
    }

    /// The number of the column with a name.
    func column(named name: [UInt8]) -> Int? { columns.firstIndex { $0.bytes == name } }
}

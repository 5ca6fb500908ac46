@testable import DatabaseTrees

extension SQLiteConnection {
    /// Runs a statement with a `?` in the place of each value.
    func run(_ text: String, _ values: DatabaseValue...) throws { try run(SQL(text, values)) }

    /// The first row of a query with a `?` in the place of each value; nil without rows.
    func first(_ text: String, _ values: DatabaseValue...) throws -> [DatabaseValue]? { try first(SQL(text, values)) }

    func rows(_ text: String, _ body: (SQLiteStatement) throws(DatabaseError) -> Void) throws {
        try rows(SQL(verbatim: text), body)
    }
}

extension SQL {
    fileprivate init(_ text: String, _ values: [DatabaseValue]) {
        let parts = text.split(separator: "?", omittingEmptySubsequences: false).map { SQL(verbatim: String($0)) }
        self = zip(parts.dropFirst(), values).reduce(parts[0]) { "\($0)\($1.1)\($1.0)" }
    }
}

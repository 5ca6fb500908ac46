import Levels
import PropertyLists
import TestSources

@testable import DatabaseTrees
@testable import TestSupport

/// Trees in databases, to which other programs write by SQL.
extension TestedKind {
    static let sqlite = TestedKind(testDescription: "SQLite") { scratch in
        let path = scratch("Tree.db")
        return try database(.sqlite(path: path, name: "sqlite:Tree.db")) { statements in
            try SQLiteConnection(path: path).execute("PRAGMA foreign_keys = ON; BEGIN; \(statements); COMMIT")
        }
    }

    static let postgres = TestedKind(testDescription: "PostgreSQL") { _ in
        let server = try PostgresServer.shared.get()
        let schema = "conformance_" + RandomNames.epoch()
        let address = "postgres://drilldown@/trees?host=\(server.folder)&tree=\(schema)"
        return try database(.postgres(address, passwordFile: nil)) { statements in
            let parameters = [("host", server.folder), ("user", "drilldown"), ("dbname", "trees")]
            let connection = try PostgresConnection(parameters)
            try connection.run("SET search_path = \(schema)")
            try connection.run("BEGIN; \(statements); COMMIT")
        }
    }

    /// - Parameter execute: runs statements in one transaction.
    private static func database(
        _ source: DatabaseTree, _ execute: @escaping @Sendable (_ statements: String) throws -> Void
    ) throws -> TestedSource {
        var builder = TreeBuilder()
        try JSONPropertyListReader.read(.memory(Array(#"["A","B"]"#.utf8)), limits: .init(), into: &builder)
        try source.importDocument(try builder.finish(), keys: .init(), replaces: false)
        return TestedSource(
            source: source,
            write: { titles in
                let rows = titles.enumerated().map { number, title in
                    "INSERT INTO items (parent, position, fields) VALUES (0, \(number), '\"\(title)\"')"
                }
                try execute((["DELETE FROM items WHERE parent = 0"] + rows).joined(separator: "; "))
            },
            spoil: {
                try execute(
                    #"INSERT INTO items (parent, position, fields) VALUES (0, 9, '{"Title":"x","F":[null]}')"#)
            }, edit: inserting, namesRevisions: true)
    }
}

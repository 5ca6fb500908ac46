import TestSources
import Testing
import TreeSources

@testable import DatabaseTrees

/// A connection that breaks once, at any of its messages.
@Suite("A tree whose connection breaks at any message") struct PostgresCutTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer.shared.get() }

    /// Lets the connection break at each message in turn, until it does not break any more.
    private func forEachCut(_ body: (_ tree: PostgresTree, _ number: Int) throws -> Void, tree name: String) throws {
        for number in 1... {
            let way = try CutServer(to: server, at: number)
            let address = try PostgresAddress("postgres://drilldown@/trees?host=\(way.folder)&tree=\(name)")
            try body(PostgresTree(address: address), number)
            guard way.hasCut else { return }
        }
    }

    /// Whether a closure has ended without an error; the error must be that the database is away.
    private func isWhole(_ number: Int, _ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch let error as DatabaseError {
            try #require(error.kind == .away, "message \(number): \(error)")
        } catch let CommitError.failed(error) {
            try #require(error.kind == .away, "message \(number): \(error)")
        }
        return false
    }

    /// Expects a value, or an error that the database is away.
    private func expect<Value: Equatable>(_ value: Value, _ number: Int, _ read: () throws -> Value) throws {
        var found: Value?
        if try isWhole(number, { found = try read() }) { #expect(found == value, "message \(number)") }
    }

    @Test("is read whole, or not at all")
    func reading() throws {
        let direct = try server.makeTree("cut_reading", ["a", "b"])
        let first = try direct.head()
        try direct.commit([RevisionWrite(.insert(ItemRow(9, #""c""#)))], after: first)
        let (head, rows) = (try direct.head(), try direct.rows())
        let history = try direct.history(upTo: head, limit: 10).map(\.number)
        try forEachCut(
            { tree, number in
                try expect(head, number) { try tree.head() }
                try expect(rows, number) { try tree.rows() }
                try expect([2], number) { try tree.revisions(after: first)?.map(\.number) }
                try expect(history, number) { try tree.history(upTo: head, limit: 10).map(\.number) }
                try expect(3, number) { try tree.reserveIDs(3).count }
            }, tree: "cut_reading")
    }

    @Test("gives all rows of a query, one at a time, or an error")
    func stream() throws {
        for number in 1... {
            let way = try CutServer(to: server, at: number)
            var count: Int64 = 0
            do throws(PostgresFailure) {
                let connection = try PostgresConnection([
                    ("host", way.folder), ("user", "drilldown"), ("dbname", "trees"),
                ])
                try connection.stream("SELECT n FROM generate_series(1, \(5 as Int64?)) n") { _ in
                    count += 1
                    return true
                }
                #expect(count == 5, "message \(number)")
            } catch {
                #expect(error.isLost, "message \(number)")
            }
            guard way.hasCut else { return }
        }
    }

    @Test("has each commit once if it was done, and not at all if it failed")
    func commits() throws {
        let direct = try server.makeTree("cut_commits", ["a"])
        try forEachCut(
            { tree, number in
                let last = try direct.head()
                let id = Int64(10 * number)
                let requests = (0..<2).map { RevisionWrite(.insert(ItemRow(id + $0, #""x""#)), author: "alice") }
                let isDone = try isWhole(number) { try tree.commit(requests, after: last) }
                let log = try #require(try direct.revisions(after: last))
                #expect(log.map(\.mark) == (isDone ? requests.map(\.mark) : []), "message \(number)")
                #expect(try direct.rows()[id] == (isDone ? ItemRow(id, #""x""#) : nil), "message \(number)")
            }, tree: "cut_commits")
    }

    @Test("is imported whole, or not at all")
    func imports() throws {
        let direct = try server.makeTree("cut_import", ["old"])
        try forEachCut(
            { tree, number in
                let before = try direct.texts()
                let isDone = try isWhole(number) {
                    let writer = try tree.beginImport(keys: nil, replaces: true)
                    try writer.add(.root, #"{"Title":"Root","Rows":null}"#)
                    try writer.add(.init(id: 1, parent: 0, section: 0, position: 0), "\"\(number)\"")
                    try writer.finish()
                }
                // An import whose last answer was lost may be whole.
                let (found, whole) = (try direct.texts(), [before[0], "\"\(number)\""])
                #expect(found == whole || !isDone && found == before, "message \(number)")
            }, tree: "cut_import")
    }
}

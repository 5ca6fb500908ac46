import Bytes
import Levels
import PropertyLists
import TestSources
import Testing
import TreeSources

@testable import DatabaseTrees

/// Expects that a watcher reports an item whose fields are too large, and keeps the last tree.
private func expectLargeFieldsAreNamed(
    _ watcher: DatabaseWatcher, of name: String, change: (_ sql: String) throws -> Void
) throws {
    _ = try watcher.load(replacing: nil)
    let large = String(repeating: "x", count: 60_000)
    for statement in [
        #"UPDATE items SET fields = '{"Title":"\#(large)"}' WHERE id = 1"#,
        #"INSERT INTO items (id, parent, position, fields) VALUES (50, 0, -5, '"\#(large)"')"#,
    ] {
        let before = watcher.document.hash
        try change(statement)
        _ = watcher.refresh()
        #expect(watcher.advance(at: .now) == .arrived)
        let error = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: nil) }
        let (item, reason) = (statement.hasPrefix("UPDATE") ? 1 : 50, "more than 512 MiB as JSON")
        #expect(
            error?.description
                == "\(name): items[\(item)]: in /: its fields have \(reason); store large data in separate files.")
        #expect(watcher.document.hash == before)
        guard case .nothing = watcher.savability(at: .root) else {
            Issue.record("edits are not refused")
            continue
        }
        try change("UPDATE items SET fields = '\"small\"' WHERE id = 1")
        try change("DELETE FROM items WHERE id = 50")
        _ = watcher.refresh()
        _ = watcher.advance(at: .now)
        _ = try watcher.load(replacing: nil)
        guard case .items = watcher.savability(at: .root) else {
            Issue.record("edits are still refused")
            continue
        }
    }
}

/// Numbers at the ends of their ranges, which another program has written to the tables of a tree.
extension SQLiteTreeTests {
    @Test(arguments: [
        "SELECT 1", "DELETE FROM items WHERE id = 9223372036854775807", "DELETE FROM items WHERE parent = 0",
    ])
    func aNewItemGetsAnIDAlthoughTheLargestIDWasUsed(statement: String) throws {
        try other().execute(
            #"INSERT INTO items (id, parent, position, fields) VALUES (9223372036854775807, 0, 9, '"x"')"#)
        let watcher = try loadedWatcher()
        try other().execute(statement)
        if look(watcher) == .arrived { _ = try watcher.load(replacing: watcher.document) }
        for title in ["one", "two"] {
            try edit(watcher, [.insert(.string(title), below: .root, at: .last, section: nil)])
        }
        let ids = try other().first(
            "SELECT count(*), min(id) > 0, max(id) < 9223372036854775807 FROM items WHERE title IN ('one', 'two')")
        #expect(ids == [.integer(2), .integer(1), .integer(1)])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test(arguments: [
        [Int64.min, .min], [.min, .max], [.max, .max], [.max - 1, .max], [.min, .min + 1], [0, .max], [.min, 0],
    ])
    func rowsAreInsertedAndMovedBesideExtremePositions(positions: [Int64]) throws {
        try put(#"{"Title":"R","Children":["a","b","c"]}"#, replaces: true)
        for (id, position) in zip(Int64(1)..., positions) {
            try other().run("UPDATE items SET position = ? WHERE id = ?", .integer(position), .integer(id))
        }
        let watcher = try loadedWatcher()
        let keys = (0..<3).map { watcher.document.child(0)?.key($0) ?? "" }
        let places = [RowPosition.first, .last] + keys.flatMap { [RowPosition.before($0), .after($0)] }
        for (number, place) in places.enumerated() {
            try edit(watcher, [.insert(.string("new \(number)"), below: .root, at: place, section: nil)])
            try edit(watcher, [.move(try path(keys[number % 3]), below: .root, at: .first, section: nil)])
            try edit(watcher, [.move(try path(keys[number % 3]), below: .root, at: .last, section: nil)])
            #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
        }
    }

    @Test(arguments: [
        (
            "UPDATE head SET revision = 9223372036854775807", "UPDATE head SET revision = 1",
            "the table 'head' has the revision 9223372036854775807, and 1 as the oldest; set both to numbers from 0 to 2^62"
        ),
        (
            "UPDATE head SET revision = -9223372036854775808", "UPDATE head SET revision = 1",
            "the table 'head' has the revision -9223372036854775808, and 1 as the oldest; set both to numbers from 0 to 2^62"
        ),
        (
            "UPDATE head SET oldest = -9223372036854775808", "UPDATE head SET oldest = 1",
            "the table 'head' has the revision 1, and -9223372036854775808 as the oldest; set both to numbers from 0 to 2^62"
        ),
        (
            "INSERT INTO items (id, parent, position, fields) VALUES (-9223372036854775808, 0, 1, '\"x\"'), (20, -9223372036854775808, 1, '\"y\"')",
            "DELETE FROM items WHERE id IN (20, -9223372036854775808)",
            "items[-9223372036854775808]: the id -9223372036854775808 is reserved; give the item another id"
        ),
    ])
    func aNumberThatCannotBeUsedIsNamed(damage: String, repair: String, sentence: String) throws {
        let watcher = try loadedWatcher()
        let before = watcher.document.hash
        try other().execute(damage)
        var fault: SourceError?
        switch look(watcher) {
        case .failed(let error)?: fault = error
        case .arrived?: fault = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: nil) }
        case let report: Issue.record("\(String(describing: report))")
        }
        #expect(fault?.description == "sqlite:T.db: \(sentence).")
        #expect(watcher.document.hash == before && watcher.isConnected == false)
        try other().execute(repair)
        if look(watcher) == .arrived { _ = try watcher.load(replacing: watcher.document) }
        try edit(watcher, [.insert(.string("new"), below: .root, at: .last, section: nil)])
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test(
        arguments: [
            ("9223372036854775807", Int32.max), ("-9223372036854775808", .min), ("-1", -1), ("2", 2),
            ("2147483648", .max),
        ] as [(String, Int32)])
    func aSectionThatDoesNotExistIsNamed(section: String, shown: Int32) throws {
        let watcher = try loadedWatcher()
        try other().execute("UPDATE items SET section = \(section) WHERE title = 's1'")
        #expect(look(watcher) == .arrived)
        let error = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: nil) }
        #expect(
            error?.reason == "there is no section \(shown) below the item 8, which has 2; sections count from 0")
    }

    @Test(arguments: [
        "INSERT INTO revisions (revision, mark, at) VALUES (9223372036854775807, 'x', 'x')",
        "INSERT INTO revisions (revision, mark, at) VALUES (-9223372036854775808, 'x', '9999999-01-01')",
        "UPDATE revisions SET at = '-4713-11-24T12:00:00'",
        "INSERT INTO changes (revision, item, section, position) VALUES (9223372036854775807, -9223372036854775808, 9223372036854775807, 1)",
    ])
    func oddRowsOfTheLogDoNotPreventEdits(statement: String) throws {
        try other().execute(statement)
        let watcher = try loadedWatcher()
        _ = look(watcher)
        try edit(watcher, [.insert(.string("new"), below: .root, at: .last, section: nil)])
        #expect(watcher.head?.revision == 2)
        #expect(try source.load(replacing: nil).tree.document.hash == watcher.document.hash)
    }

    @Test func fieldsThatAreTooLargeAreNamed() throws {
        let watcher = DatabaseWatcher(
            source: source, database: SQLiteTree(path: path, name: "sqlite:T.db", mostValueBytes: 20_000))
        try expectLargeFieldsAreNamed(watcher, of: "sqlite:T.db") { try other().execute($0) }
    }

    @Test func fieldsThatAreTooLargeAreNotWritten() throws {
        let item = try Item.Step(level: source.load(replacing: nil).tree.document, row: 0)
        var writer = FieldsWriter(mostBytes: 28)
        try writer.write(item)
        #expect(writer.json.output.count == 28)
        writer = FieldsWriter(mostBytes: 27)
        #expect(throws: FieldsWriter.tooLarge) { try writer.write(item) }
    }

    @Test func numbersThatAreRoundedAreNamed() throws {
        let other = try other()
        for (id, number) in [
            (51, "0.12345678901234567"), (52, "0.123456789012345678"), (53, "1234.5678901234567890"),
            (54, "100000000000000000000e-5"), (55, #"[{"$date":"2024-01-01T00:00:00Z"},-1.23456789012345678e9]"#),
        ] {
            try other.execute(
                "INSERT INTO items (id, parent, position, fields) "
                    + #"VALUES (\#(id), 0, \#(id << 20), '{"Title":"\#(id)","N":\#(number)}')"#)
        }
        let loaded = try source.load(replacing: nil)
        let message = "a number has more digits than a real of 64 bits; the next edit of the item rounds it."
        #expect(loaded.warnings.map(\.description) == [52, 53, 55].map { "sqlite:T.db: items[\($0)]: \(message)" })
        #expect(loaded.omittedWarnings == 0)
        try other.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
            INSERT INTO items (id, parent, position, fields)
              SELECT i, 0, i << 20, '{"Title":"t","N":0.123456789012345678}' FROM n
            """)
        let more = try source.load(replacing: nil)
        #expect(more.warnings.count == 100 && more.omittedWarnings == 3)
    }

    @Test(arguments: ["", "INSERT INTO revisions (revision, mark, at) VALUES (1000, 'm', 'x')"])
    func aRevisionAfterOthersThatTheLogLacksIsLoaded(statement: String) throws {
        let watcher = try loadedWatcher()
        try other().execute("UPDATE head SET revision = 1000; \(statement)")
        #expect(look(watcher) == .arrived)
        _ = try watcher.load(replacing: nil)
        try edit(watcher, [.insert(.string("new"), below: .root, at: .last, section: nil)])
        #expect(watcher.head?.revision == 1001)
    }
}

extension PostgresTreeTests {
    @Test func fieldsThatAreTooLargeAreNamed() throws {
        try server.makeTree("large_fields", ["a", "b"])
        let address = try server.address("large_fields")
        let source = try DatabaseTree.postgres(
            "postgres://drilldown@/trees?host=\(server.folder)&tree=large_fields", passwordFile: nil)
        let watcher = DatabaseWatcher(source: source, database: PostgresTree(address: address, mostBytes: 20_000))
        let other = try server.connection()
        try other.run("SET search_path = large_fields")
        try expectLargeFieldsAreNamed(watcher, of: source.name) { try other.run($0) }
    }

    @Test func numbersThatCannotBeUsedAreNamed() throws {
        let tree = try server.makeTree("extreme", ["a"])
        let last = try tree.head()
        let other = try server.connection()
        for (column, number) in [("revision", Int64.max), ("revision", -1), ("oldest", .min), ("oldest", .max)] {
            let old = column == "revision" ? last.revision : last.oldest
            try other.run("UPDATE extreme.head SET \(column) = \(number)")
            let (revision, oldest) = column == "revision" ? (number, last.oldest) : (last.revision, number)
            let sentence =
                "the table 'head' has the revision \(revision), and \(oldest) as the oldest; set both to numbers from 0 to 2^62"
            for attempt in [{ _ = try tree.head() }, { _ = try tree.revisions(after: last) }, { _ = try tree.rows() }] {
                #expect(throws: DatabaseError(kind: .other, reason: sentence)) { try attempt() }
            }
            try other.run("UPDATE extreme.head SET \(column) = \(old)")
        }
        for (time, date) in [
            ("infinity", 0), ("10000-01-01", 0), ("9999-12-31 23:59:59", 253_402_300_799),
            ("0001-01-01", -62_135_596_800),
            ("0001-12-31 23:59:59 BC", 0),
        ] as [(String, Double)] {
            try other.run("SET TimeZone = 'UTC'; UPDATE extreme.revisions SET at = '\(time)'")
            #expect(try tree.head().date == date, "\(time)")
        }
        try other.run("INSERT INTO extreme.items VALUES (9223372036854775807, 0, 0, 9223372036854775807, '\"b\"')")
        #expect(try tree.reserveIDs(2).allSatisfy { (1..<Int64.max).contains($0) })
        try other.run("SELECT setval('extreme.items_id_seq', 9223372036854775807)")
        let error = #expect(throws: DatabaseError.self) { try tree.reserveIDs(2) }
        #expect(
            error?.reason == "nextval: reached maximum value of sequence \"items_id_seq\" (9223372036854775807)")
    }
}

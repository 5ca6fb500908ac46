import Bytes
import Foundation
import Levels
import Locking
import PropertyLists
import Testing
import Threads
import TreeSources

@testable import DatabaseTrees
@testable import TestSupport

/// A tree in a SQLite file, with another program that writes to it.
@Suite struct SQLiteTreeTests {
    private let scratch: ScratchFolder
    let path: String

    init() throws {
        scratch = try ScratchFolder()
        path = scratch("T.db")
        try put(Self.yard)
    }

    private static let yard = #"""
        {"Title":"Yard","Rows":[{"Title":"left","N":100},{"Title":"branch","Children":["a","b",{"Title":"c","Children":["d","e"]}]},
        {"Title":"parts","Sections":[{"Title":"One","Rows":["s1","s2"]},{"Title":"Two","Rows":["t1"]}]},
        {"Title":"named","Sections":{"B":["b1"],"A":["a1","a2"]},"SectionKeys":["A","B"]},{"Title":"leaf","K":1}]}
        """#

    func put(_ json: String, names: StructuralNames = .init(), replaces: Bool = false) throws {
        var builder = TreeBuilder(names: names)
        try JSONPropertyListReader.read(.memory(Array(json.utf8)), limits: .init(), into: &builder)
        try source.importDocument(try builder.finish(), keys: names, replaces: replaces)
    }

    var source: DatabaseTree { .sqlite(path: path, name: "sqlite:T.db") }

    /// Another program's connection.
    func other() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA foreign_keys = ON")
        return connection
    }

    func loadedWatcher() throws -> DatabaseWatcher {
        let watcher = DatabaseWatcher(source: source, database: SQLiteTree(path: path, name: "sqlite:T.db"))
        _ = try watcher.load(replacing: nil)
        return watcher
    }

    /// The watcher's report on a look.
    func look(_ watcher: DatabaseWatcher) -> SourceReport? {
        _ = watcher.refresh()
        return watcher.advance(at: .now)
    }

    func edit(_ watcher: DatabaseWatcher, _ edits: [Edit]) throws {
        let group = try watcher.beginEdits()
        _ = try group.apply(EditBatch(edits, isExact: true), by: "alice")
        _ = try group.save()
    }

    func path(_ keys: String...) throws -> ItemPath {
        try ItemPath(Array(keys.joined(separator: "/").utf8).span)
    }

    // MARK: What others write

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func followsAsALoadWouldRead(_ seed: UInt64) throws {
        var random = SplitMix(seed)
        let watcher = try loadedWatcher()
        let connection = try other()
        for step in 0..<40 {
            try connection.execute("BEGIN IMMEDIATE")
            for _ in 0..<Int.random(in: 1...3, using: &random) { try write(connection, step, &random) }
            try connection.execute("COMMIT")
            switch look(watcher) {
            case .advanced: break
            case .arrived: _ = try watcher.load(replacing: watcher.document)
            case .confirmed, .committed: continue
            case let report:
                Issue.record("step \(step): \(String(describing: report))")
                return
            }
            let loaded = try loadedWatcher()
            let (followed, read) = (try json(watcher.document), try json(loaded.document))
            try #require(followed == read, "seed \(seed), step \(step)")
            try #require(watcher.document.hash == loaded.document.hash, "seed \(seed), step \(step)")
            try #require(watcher.index.placeless == loaded.index.placeless, "seed \(seed), step \(step)")
            // Also of the items that were deleted.
            for id in try 0...(ids(connection).max() ?? 0) + 10 {
                let (followed, read) = (watcher.index, loaded.index)
                let isSame = followed.rows(below: id) == read.rows(below: id) && followed.holds(id) == read.holds(id)
                try #require(isSame, "seed \(seed), step \(step), item \(id)")
            }
        }
    }

    private func ids(_ connection: SQLiteConnection) throws -> [Int64] {
        var ids: [Int64] = []
        try connection.rows("SELECT id FROM items") { ids.append($0.integer(0)) }
        return ids
    }

    func json(_ document: Level) throws -> String {
        var writer = JSONPropertyListWriter()
        var walk = TreeWalk(level: document, row: 0)
        try walk.finish(to: &writer)
        return String(decoding: Array(copying: writer.output.span), as: UTF8.self)
    }

    private func write(_ connection: SQLiteConnection, _ step: Int, _ random: inout SplitMix) throws {
        guard let id = try ids(connection).filter({ $0 > 0 }).randomElement(using: &random) else { return }
        let parent = try connection.first("SELECT parent, section FROM items WHERE id = ?", .integer(id)) ?? []
        let place = Int64.random(in: 0...(20 << 32), using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            try connection.run(
                "INSERT INTO items (parent, section, position, fields) VALUES (?, ?, ?, ?)", parent[0], parent[1],
                .integer(place), .text(#"{"Title":"new \#(step)","N":\#(step)}"#))
        case 1: try connection.run("UPDATE items SET position = ? WHERE id = ?", .integer(place), .integer(id))
        case 2: try connection.run("DELETE FROM items WHERE id = ?", .integer(id))
        case 3:
            try connection.run(
                "UPDATE items SET fields = json_set(fields, '$.N', ?) WHERE id = ? AND json_type(fields) = 'object'",
                .integer(Int64(step)), .integer(id))
        case 4:
            try connection.run(
                "INSERT INTO items (parent, position, fields) SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM items WHERE parent = ?)",
                .integer(id), .integer(place), .text(#""below \#(step)""#), .integer(id))
        case 5: try connection.run("DELETE FROM items WHERE parent = ?", .integer(id))
        case 6:
            // The order of sections in the level is not that of their numbers.
            let fields = #"{"Title":"named","Sections":{"B":null,"A":null},"SectionKeys":["A","B"]}"#
            try connection.run(
                "INSERT INTO items (parent, section, position, fields) VALUES (?, ?, ?, ?)", parent[0], parent[1],
                .integer(place), .text(fields))
            let owner = try connection.first("SELECT last_insert_rowid()")?[0] ?? .null
            for section in Int64(0)...1 {
                try connection.run(
                    "INSERT INTO items (parent, section, position, fields) VALUES (?, ?, 1, ?)", owner,
                    .integer(section), .text("\"of \(section)\""))
            }
        default:
            // A leaf goes below the first row of another level.
            try connection.run(
                """
                UPDATE items SET parent = ?, section = ?, position = ? WHERE id = (SELECT id FROM items AS i
                  WHERE id <> ? AND id > 0 AND NOT EXISTS (SELECT 1 FROM items WHERE parent = i.id) LIMIT 1)
                """, parent[0], parent[1], .integer(place), .integer(id))
        }
    }

    @Test func namesTheItemThatBreaksARule() throws {
        let watcher = try loadedWatcher()
        try other().execute(#"UPDATE items SET fields = '{"Title":"x","F":[null]}' WHERE id = 1"#)
        #expect(look(watcher) == .arrived)
        let error = #expect(throws: SourceError.self) { _ = try watcher.load(replacing: nil) }
        #expect(
            watcher.savability(at: .root)
                == .nothing(
                    SaveRefusal(
                        "a row of the document breaks a rule: items[1]: in /x: 'null' stands for the rows of an item or of a section, and for no other value; leave the entry out"
                    )))
        #expect(
            error?.description
                == "sqlite:T.db: items[1]: in /x: 'null' stands for the rows of an item or of a section, and for no other value; leave the entry out."
        )
        try other().execute(#"UPDATE items SET fields = '"x"' WHERE id = 1"#)
        #expect(look(watcher) == .arrived)
        _ = try watcher.load(replacing: nil)
        #expect(watcher.isConnected == true && watcher.savability(at: .root) == .items)
    }

    @Test(arguments: ["branch", "parts", "named"])
    func followsTheLossOfTheLastRow(_ title: String) throws {
        let watcher = try loadedWatcher()
        try other().run("DELETE FROM items WHERE parent = (SELECT id FROM items WHERE title = ?)", .text(title))
        guard case .advanced(let advances)? = look(watcher) else {
            Issue.record("it is not followed")
            return
        }
        #expect(advances.map(\.cause) == [.database(author: nil)])
        #expect(try json(watcher.document) == json(source.load(replacing: nil).tree.document))
    }

    @Test(arguments: [#"{"Title":"R","Rows":[]}"#, "[]"])
    func followsARowThatComesAndGoesBelowARootWithoutRows(root: String) throws {
        try put(root, replaces: true)
        let watcher = try loadedWatcher()
        try other().execute(
            "BEGIN; INSERT INTO items (id, parent, position, fields) VALUES (9, 0, 1, '\"x\"'); DELETE FROM items WHERE id = 9; COMMIT"
        )
        guard case .advanced? = look(watcher) else {
            Issue.record("it is not followed")
            return
        }
        #expect(try json(watcher.document) == json(source.load(replacing: nil).tree.document))
    }

    @Test func followsAnItemWithoutAPlaceForRowsThatLosesItsLastRow() throws {
        for isLoaded in [false, true] {
            var watcher = try loadedWatcher()
            try other().execute(#"INSERT INTO items (parent, position, fields) VALUES (1, 1, '"below"')"#)
            guard case .advanced? = look(watcher) else {
                Issue.record("it is not followed")
                return
            }
            if isLoaded { watcher = try loadedWatcher() }
            try other().execute("DELETE FROM items WHERE parent = 1")
            guard case .advanced? = look(watcher) else {
                Issue.record("it is not followed")
                return
            }
            #expect(try json(watcher.document) == json(source.load(replacing: nil).tree.document))
        }
        let watcher = try loadedWatcher()
        let text = "(SELECT id FROM items WHERE title = 'a')"
        try other().execute(
            "INSERT INTO items (parent, position, fields) SELECT id, 1, '\"below\"' FROM items WHERE title = 'a'")
        _ = look(watcher)
        try other().execute("DELETE FROM items WHERE parent = \(text)")
        // Only the database says that the item is a string.
        #expect(look(watcher) == .arrived)
    }

    @Test func saysWhatIsWrongWithTheFile() throws {
        // Nobody waits for a file that is missing.
        let missing = DatabaseTree.sqlite(path: scratch("none.db"), name: "sqlite:none.db", patience: .seconds(3_000))
        let absent = #expect(throws: SourceError.self) { _ = try missing.makeWatcher().load(replacing: nil) }
        let command = "drilldown import DOCUMENT sqlite:\(scratch("none.db"))"
        #expect(
            absent?.description == "sqlite:none.db: the file does not exist; make a tree with '\(command)'.")
        try scratch.write("text.db", String(repeating: "this is text\n", count: 50))
        let text = DatabaseTree.sqlite(path: scratch("text.db"), name: "sqlite:text.db")
        let refused = #expect(throws: SourceError.self) { _ = try text.load(replacing: nil) }
        #expect(refused?.description == "sqlite:text.db: the file is not a SQLite database.")
    }

    @Test func givesATreeThatWasReplacedByAnOlderCopyAnotherEpoch() throws {
        let copy = scratch("copy.db")
        try other().execute("VACUUM INTO '\(copy)'")
        let notices = Guarded<[SourceNotice]>([])
        let database = SQLiteTree(path: path, name: "sqlite:T.db") { notice in notices.withLock { $0.append(notice) } }
        let (watcher, second) = (DatabaseWatcher(source: source, database: database), try loadedWatcher())
        _ = try watcher.load(replacing: nil)
        let old = watcher.head
        try edit(watcher, [.delete(try path("leaf"))])
        for ending in ["-wal", "-shm"] { _ = unsafe unlink(path + ending) }
        #expect(unsafe rename(copy, path) == 0)
        #expect(look(watcher) == .arrived)
        _ = try watcher.load(replacing: nil)
        #expect(watcher.head?.revision == old?.revision)
        #expect(watcher.head?.epoch != old?.epoch)
        let lost = try #require(old).name(of: 2)
        #expect(notices.withLock(\.self) == [.olderCopy(name: "sqlite:T.db", revision: lost)])
        try edit(watcher, [.delete(try path("left"))])
        #expect(try other().first("SELECT epoch FROM head")?[0].string == watcher.head?.epoch)
        #expect(look(second) == .arrived)
        _ = try second.load(replacing: nil)
        #expect(second.head?.epoch == watcher.head?.epoch)
    }

    @Test func noticesAnotherRevisionOfTheSameNumber() throws {
        let watcher = try loadedWatcher()
        let old = watcher.head
        try other().execute("UPDATE revisions SET mark = 'of an older copy'")
        let error = #expect(throws: SaveError.self) { try edit(watcher, [.delete(try path("leaf"))]) }
        guard case .changedMeanwhile? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(look(watcher) == .arrived)
        _ = try watcher.load(replacing: nil)
        #expect(watcher.head?.revision == old?.revision && watcher.head?.epoch != old?.epoch)
    }

    @Test func replacesATreeAsOneRevision() throws {
        let watcher = try loadedWatcher()
        // The import also replaces changes that do not have a revision yet.
        try other().execute("DELETE FROM items WHERE id = 16")
        try put(#"["one"]"#, replaces: true)
        #expect(look(watcher) == .arrived)
        let loaded = try watcher.load(replacing: nil)
        #expect(loaded.revision?.name == watcher.head.map { "\($0.epoch)-2" })
        #expect(loaded.history.map(\.cause) == [.importer, .importer])
        #expect(throws: SourceError.self) { try put(#"["two"]"#) }
    }

    @Test func replacesATreeByOneWithOtherStructuralNames() throws {
        let watcher = try loadedWatcher()
        let names = try StructuralNames(mapping: "title=name,children=entries")
        try put(
            #"{"name":"R","entries":[{"name":"x","Key":"k"},{"name":"y","entries":["z"]}]}"#, names: names,
            replaces: true)
        #expect(try other().first("SELECT group_concat(title) FROM items") == [.text("R,x,y,z")])
        #expect(look(watcher) == .arrived)
        #expect(try watcher.load(replacing: nil).tree.document.hash == source.load(replacing: nil).tree.document.hash)
        try put(Self.yard, replaces: true)
        #expect(try other().first("SELECT count(title) FROM items") == [.integer(17)])
        #expect(throws: DatabaseError.self) { try other().execute("UPDATE items SET fields = '{}' WHERE id = 1") }
    }

    // MARK: What operators see

    @Test func countsItsWork() throws {
        let watcher = try loadedWatcher()
        try other().execute(#"UPDATE items SET fields = '"other"' WHERE id = 1"#)
        _ = look(watcher)
        try edit(watcher, [.insert(.string("new"), below: .root, at: .last, section: nil)])
        let work = watcher.databaseWork
        #expect(work.openConnections == 1 && work.madeConnections == 1 && work.doubts == .init())
        #expect([work.looks, work.reservations, work.commits, work.lag].map(\.count) == [1, 1, 1, 1])
        #expect(work.lag.seconds < 60)
    }

    @Test(arguments: [
        ("DROP TABLE revisions", "the table 'revisions' is missing; restore the file from a backup"),
        (
            "PRAGMA application_id = 7",
            "the database holds no tree; make a tree with 'drilldown import DOCUMENT sqlite:NEW.db'"
        ),
        (
            // A tree of another format may have other tables.
            "UPDATE head SET format = 2; DROP TABLE changes",
            "the tree has the format 2, and this program reads the format 1; use a newer drilldown"
        ),
        ("DELETE FROM head", "the tree has no row in its table 'head'; restore it, or import it again"),
    ])
    func refusesAFileThatIsNoTree(statement: String, sentence: String) throws {
        try other().execute(statement)
        for isImported in [true, false] {
            let error = #expect(throws: SourceError.self) {
                if isImported { try put("[]", replaces: true) } else { _ = try source.load(replacing: nil) }
            }
            #expect(error?.description == "sqlite:T.db: \(sentence).")
        }
    }
}

/// A reproducible source of random numbers (SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

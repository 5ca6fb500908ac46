import Glibc
import Levels
import Locking
import PropertyLists
import Testing
import TreeSources

@testable import DatabaseTrees

/// The files of a SQLite database that are removed or replaced beneath a server, or cannot be read.
extension SQLiteTreeTests {
    private func insert(_ title: String, _ watcher: DatabaseWatcher) throws {
        try edit(watcher, [.insert(.string(title), below: .root, at: .last, section: nil)])
    }

    private func remove(_ endings: [String]) throws {
        for ending in endings { try #require(unsafe unlink(path + ending) == 0) }
    }

    @Test(arguments: [["-wal", "-shm"], ["-wal"], ["-shm"]])
    func noCommitIsLostWithTheLog(endings: [String]) throws {
        let watcher = try loadedWatcher()
        for number in 0..<3 {
            try insert("before \(number)", watcher)
            try remove(endings)
            try insert("after \(number)", watcher)
            let read = try source.load(replacing: nil).tree.document
            #expect(try json(read) == json(watcher.document))
            #expect(watcher.document.child(0)?.count == 7 + 2 * number)
        }
        #expect(try other().first("PRAGMA integrity_check") == [.text("ok")])
    }

    @Test func onlyTheFirstLoadWaits() throws {
        var errors = [DatabaseError(kind: .busy, reason: "locked"), DatabaseError(kind: .away, reason: "away")]
        var noted: [DatabaseError] = []
        func read() throws(DatabaseError) -> String {
            guard errors.isEmpty else { throw errors.removeFirst() }
            return "read"
        }
        let found = try waiting(.seconds(120), onWait: { noted.append($0) }, read)
        #expect(found == "read" && noted.map(\.reason) == ["locked"])
        let notices = Guarded<[SourceNotice]>([])
        let tree = DatabaseTree.sqlite(path: path, name: "sqlite:T.db", patience: .seconds(1)) { notice in
            notices.withLock { $0.append(notice) }
        }
        let watcher = tree.makeWatcher()
        _ = try watcher.load(replacing: nil)
        try remove([""])
        #expect(throws: SourceError.self) { _ = try watcher.load(replacing: nil) }
        #expect(notices.withLock(\.self) == [])
    }

    @Test func editsWaitUntilTheFilesHaveSettled() throws {
        let database = SQLiteTree(path: path, name: "sqlite:T.db", settlingTime: .seconds(60))
        let watcher = DatabaseWatcher(source: source, database: database)
        _ = try watcher.load(replacing: nil)
        try remove(["-wal", "-shm"])
        let error = #expect(throws: SaveError.self) { try insert("new", watcher) }
        guard case .away(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            reason == "the database or its log was removed or replaced; it is opened again in a moment"
                && watcher.isConnected == true)
    }

    /// Another program has changed the database, so the content of the removed log would damage it.
    @Test func theLogOfAnOlderDatabaseIsNotWrittenToABackup() throws {
        let watcher = try loadedWatcher()
        let copy = path + ".copy"
        try other().run("VACUUM INTO ?", .text(copy))
        try SQLiteConnection(path: copy).execute("PRAGMA journal_mode = WAL")
        try insert("lost", watcher)
        // The log is left beside the backup.
        try #require(unsafe rename(copy, path) == 0)
        #expect(look(watcher) == .arrived)
        _ = try watcher.load(replacing: nil)
        try insert("new", watcher)
        let read = try source.load(replacing: nil).tree.document
        #expect(try json(read) == json(watcher.document) && watcher.document.child(0)?.count == 6)
        #expect(try other().first("PRAGMA integrity_check") == [.text("ok")])
    }

    @Test func theLogOfADatabaseGoesWithIt() throws {
        let watcher = try loadedWatcher()
        let (copy, moved) = (path + ".copy", path + ".moved")
        try other().run("VACUUM INTO ?", .text(copy))
        try SQLiteConnection(path: copy).execute("PRAGMA journal_mode = WAL")
        try insert("kept", watcher)
        try #require(unsafe rename(path, moved) == 0)
        _ = look(watcher)
        // The backup arrives only now.
        try #require(unsafe rename(copy, path) == 0)
        _ = look(watcher)
        _ = try watcher.load(replacing: nil)
        try insert("new", watcher)
        #expect(try other().first("PRAGMA integrity_check") == [.text("ok")])
        let count = "SELECT count(*) FROM items WHERE fields LIKE '%kept%'"
        #expect(try other().first(count) == [.integer(0)])
        #expect(try SQLiteConnection(path: moved).first(count) == [.integer(1)])
    }

    @Test func aReplacedDatabaseDiffersFromOneWithoutItsLog() throws {
        let endings = ["", "-wal", "-shm"]
        func make(_ endings: [String]) throws -> SQLiteFiles {
            // Another file takes the place of each, so that it cannot have the same number.
            for ending in endings {
                try SQLiteConnection(path: path + ".new", for: .create).execute("CREATE TABLE t (a)")
                try #require(unsafe rename(path + ".new", path + ending) == 0)
            }
            return SQLiteFiles(path: path)
        }
        for replaced in [[], [""], ["-wal"], ["-shm"], ["", "-wal"], ["", "-shm"], ["-wal", "-shm"], endings] {
            for removed in [[], ["-wal"], ["-shm"], ["-wal", "-shm"]]
            where removed.allSatisfy({ !replaced.contains($0) }) {
                let old = try make(endings)
                try remove(removed)
                let new = try make(replaced)
                #expect(new.hasLog == removed.isEmpty)
                #expect(new.areSame(as: old) == (replaced.isEmpty && removed.isEmpty))
                #expect(new.lackOnlyLog(of: old) == replaced.isEmpty)
                let isLogOld = !(replaced + removed).contains("-wal")
                #expect(new.haveOnlyLog(of: old) == (replaced.contains("") && isLogOld))
            }
        }
    }

    @Test(arguments: [
        (5, DatabaseError.Kind.busy, "another program holds the lock of the database; end its transaction", nil),
        (6, .busy, "another program holds the lock of the database; end its transaction", nil),
        (
            8, .readOnly,
            "the database is read-only; give the server permission to write to it and to its folder, where SQLite keeps its log",
            "the file cannot be opened; check that the server may read it. If its journal mode is WAL, the server must also have permission to write to its folder, where SQLite keeps the index of the log"
        ),
        (9, .timeout, "the statement exceeded its time limit", nil),
        (10, .noSpace, "the database cannot be written to: not an error", nil),
        (11, .other, "the file is damaged; restore it from a backup, or repair it with 'sqlite3 .recover'", nil),
        (13, .noSpace, "the database cannot be written to: not an error", nil),
        (18, .tooLarge, "a value is too large to be read", nil),
        (3, .other, "there is no permission to open the file", nil),
        (23, .other, "there is no permission to open the file", nil),
        (26, .other, "the file is not a SQLite database", nil),
        (1, .other, "the database cannot be read: not an error", nil),
    ])
    func saysWhyAStatementFails(code: Int32, kind: DatabaseError.Kind, reason: String, whenRead: String?) throws {
        #expect(try SQLiteConnection(path: path).failure(code) == DatabaseError(kind: kind, reason: reason))
        let reading = try SQLiteConnection(path: path, for: .read).failure(code)
        #expect(reading == DatabaseError(kind: kind, reason: whenRead ?? reason))
    }

    @Test func aConnectionForReadingDoesNotWrite() throws {
        #expect(throws: DatabaseError.self) {
            try SQLiteConnection(path: path, for: .read).execute("CREATE TABLE new (a)")
        }
        #expect(try other().first("SELECT 1 FROM sqlite_master WHERE name = 'new'") == nil)
        let missing = #expect(throws: DatabaseError.self) {
            _ = try SQLiteConnection(path: path + ".none", for: .write)
        }
        #expect(
            missing?.reason
                == "the file cannot be opened; check that it exists, and that the server may read it and write to its folder, where SQLite keeps its log"
        )
        let unread = #expect(throws: DatabaseError.self) { _ = try SQLiteConnection(path: path + ".none", for: .read) }
        #expect(unread == (try SQLiteConnection(path: path, for: .read)).failure(8))
    }

    @Test func aStatementIsCompiledOnceUntilTheStatementsAreForgotten() throws {
        let connection = try other()
        let compiled = try connection.statement("SELECT 1")
        #expect(try connection.statement("SELECT 1") === compiled && connection.statement("SELECT 2") !== compiled)
        connection.forgetStatements()
        #expect(try connection.statement("SELECT 1") !== compiled)
    }

    @Test func aReadErrorIsNotAWriteError() throws {
        // The beginning of a process's memory cannot be read.
        let error = #expect(throws: DatabaseError.self) {
            let connection = try SQLiteConnection(path: "/proc/self/mem", for: .read)
            _ = try connection.first("SELECT 1 FROM sqlite_master")
        }
        #expect(error == DatabaseError(kind: .other, reason: "the database cannot be read: disk I/O error"))
    }
}

import Glibc
import Levels
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

    @Test func aReadErrorIsNotAWriteError() throws {
        // The beginning of a process's memory cannot be read.
        let error = #expect(throws: DatabaseError.self) {
            let connection = try SQLiteConnection(path: "/proc/self/mem", for: .read)
            _ = try connection.first("SELECT 1 FROM sqlite_master")
        }
        #expect(error == DatabaseError(kind: .other, reason: "the database cannot be read: disk I/O error"))
    }
}

internal import Bytes
internal import Files
internal import Glibc
import Threads
internal import TreeSources

/// A tree in a SQLite file.
///
/// Triggers log all writes, at first without a revision. At each look, the server gives one revision to the changes
/// that other programs have made. A commit of the server gives revisions to its own changes. If changes of other
/// programs still lack a revision, the commit fails with `changedMeanwhile`.
final class SQLiteTree: TreeDatabase {
    let name: String
    private let path: String
    private let onNotice: @Sendable (SourceNotice) -> Void
    private var connection: SQLiteConnection?
    private var madeConnections = 0
    /// The files that were opened last, as they were at the latest look; nil before a file is opened.
    private var files: SQLiteFiles?
    /// The earliest time at which the files are opened again after one of them was removed or replaced.
    private var reopening = ContinuousClock.now
    /// The pause before the files are opened again. A restore removes the log and replaces the database; opening the
    /// files in between would mix the backup with the wrong log.
    private let settlingTime: Duration
    private let mostValueBytes: Int
    private let events: SQLiteFileEvents
    /// The value of `PRAGMA data_version` at the latest look; nil before the first look. Commits of other programs
    /// change the value.
    private var dataVersion: Int64?
    /// The largest id that is in use or reserved; 0 before the first reservation.
    private var lastID: Int64 = 0
    /// Set after an older copy has replaced the file, and by a server that cannot give other programs' changes a
    /// revision; otherwise nil.
    var ownEpoch: NewEpoch?
    /// The latest change without a revision at the latest look of a server that cannot write; nil if there was none.
    private(set) var unnumbered: Int64?
    /// Whether there may be more revisions than the latest call of `revisions` has returned.
    private var hasMore = false

    init(
        path: String, name: String, settlingTime: Duration = .zero, mostValueBytes: Int = SQLiteConnection.largestRow,
        onNotice: @escaping @Sendable (SourceNotice) -> Void = { _ in }
    ) {
        (self.path, self.name, self.settlingTime, self.onNotice) = (path, name, settlingTime, onNotice)
        self.mostValueBytes = mostValueBytes
        events = SQLiteFileEvents(path: path)
    }

    // MARK: The file

    /// Returns the connection to the file that is now at the path. Opens the file if necessary.
    ///
    /// - Parameter toWrite: whether to open a read-only file again, because its owner may have changed the permissions.
    func connected(toWrite: Bool = false) throws(DatabaseError) -> SQLiteConnection {
        if toWrite, connection?.isReadOnly == true { connection = nil }
        if keepsCommits(), let connection { return connection }
        guard let found = FileIdentity(path: path) else {
            // A file that existed before may come back, for example from a backup.
            throw DatabaseError(
                kind: files == nil ? .other : .away, reason: "the file does not exist; \(Self.advice(for: path))")
        }
        guard found.isRegular else { throw DatabaseError(kind: .other, reason: "it is not a file") }
        guard .now >= reopening else { throw Self.isBeingReplaced }
        let opened = try SQLiteConnection(path: path, mostValueBytes: mostValueBytes)
        try opened.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL")
        try check(opened)
        // The check has also opened the log.
        let isLogged = try opened.first("PRAGMA journal_mode")?[0].string == "wal" && !opened.isReadOnly
        let files = SQLiteFiles(path: path)
        guard !isLogged || files.hasLog, files.database?.isSameFile(as: found) == true else {
            throw Self.isBeingReplaced
        }
        (connection, self.files, dataVersion) = (opened, files, nil)
        madeConnections += 1
        return opened
    }

    private static let isBeingReplaced = DatabaseError(
        kind: .away, reason: "the database or its log was removed or replaced; it is opened again in a moment")

    /// Returns whether all commits are in the files that are now at the path. If a file was removed or replaced, ends the
    /// connection. If it was only the log, which SQLite still has open, the log is first written to the database.
    func keepsCommits() -> Bool {
        guard let connection, let known = files else { return false }
        let found = SQLiteFiles(path: path)
        if found.areSame(as: known) {
            files = found
            return true
        }
        self.connection = nil
        reopening = .now + settlingTime
        events.lookAgain(at: reopening)
        defer { connection.leaveLog() }
        // The log belongs to the database that was moved away. With it, SQLite would damage a backup at the path.
        if found.haveOnlyLog(of: known), connection.emptiesLog || found.database != nil {
            for ending in ["-wal", "-shm"] { _ = unsafe unlink(path + ending) }
        }
        // If another program has changed the database or made a log, the old log would damage the database.
        return found.lackOnlyLog(of: known) && connection.emptiesLog && SQLiteFiles(path: path).areSame(as: found)
    }

    var connections: (open: Int, made: Int) { (connection == nil ? 0 : 1, madeConnections) }

    /// A commit to a file does not depend on a connection that can break.
    var doubts: DatabaseWork.Doubts { .init() }

    private static func advice(for path: String) -> String {
        "make a tree with 'drilldown import DOCUMENT sqlite:\(path)'"
    }

    /// Refuses a database of another program, a tree that lacks a table, and a tree of a newer version.
    private func check(_ connection: SQLiteConnection) throws(DatabaseError) {
        guard try connection.holdsTree else {
            throw DatabaseError(kind: .other, reason: "the database holds no tree; \(Self.advice(for: "NEW.db"))")
        }
        // A tree of another format may have other tables and columns.
        if let format = try connection.first("SELECT format FROM head")?[0].integer,
            let fault = TreeHead.fault(ofFormat: format)
        {
            throw fault
        }
        for table in ["items", "revisions", "changes"] {
            guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = \(text: table)") != nil else {
                throw DatabaseError(
                    kind: .other, reason: "the table '\(table)' is missing; restore the file from a backup")
            }
        }
        _ = try TreeHead(connection.first(Self.statements.head()))
    }

    // MARK: Reading

    static let statements = TreeStatements(
        schema: "", seconds: "(strftime('%s', r.at) * 1000 + substr(r.at, 21, 3)) / 1000.0",
        now: "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')", fields: "c.fields")

    func head() throws(DatabaseError) -> TreeHead { try head(connected()).head }

    /// Returns the counter, and the mark of a revision.
    func head(
        _ connection: SQLiteConnection, markOf revision: Int64 = -1
    ) throws(DatabaseError) -> (head: TreeHead, mark: String?) {
        let row = try connection.first(Self.statements.head(markOf: revision))
        var head = try TreeHead(row)
        head.adopt(&ownEpoch)
        return (head, row?[7].string)
    }

    func readItems(
        _ body: (_ place: ItemPlace, _ fields: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> TreeHead {
        hasMore = false
        let connection = try connected()
        try numberForeignChanges(connection)
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        _ = try noteUnnumbered(connection)
        let head = try head(connection).head
        let columns: SQL = "SELECT id, parent, section, position"
        var count: Int64 = 0
        while true {
            do throws(DatabaseError) {
                try connection.rows("\(columns), fields FROM items ORDER BY id LIMIT -1 OFFSET \(count)") {
                    row throws(DatabaseError) in
                    count += 1
                    let place = Self.place(row)
                    try row.withContent(4, .text) { fields throws(DatabaseError) in try body(place, fields) }
                }
                return head
            } catch {
                guard error.kind == .tooLarge else { throw error }
                try connection.rows("\(columns) FROM items ORDER BY id LIMIT 1 OFFSET \(count)") {
                    row throws(DatabaseError) in try body(Self.place(row), [UInt8]().span)
                }
                count += 1
            }
        }
    }

    private static func place(_ row: SQLiteStatement) -> ItemPlace {
        ItemPlace(
            id: row.integer(0), parent: row.isNull(1) ? nil : row.integer(1), section: Int(row.integer(2)),
            position: row.integer(3))
    }

    func revisions(after last: TreeHead) throws(DatabaseError) -> [LoggedRevision]? {
        hasMore = false
        let connection = try connected()
        try numberForeignChanges(connection)
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        guard try !noteUnnumbered(connection) else { return nil }
        let (newest, mark) = try head(connection, markOf: last.revision)
        let rows: [[DatabaseValue]]
        do throws(DatabaseError) {
            rows = try connection.allRows(Self.statements.log(after: last.revision))
        } catch {
            // The load reports the item whose fields are too large.
            guard error.kind == .tooLarge else { throw error }
            return nil
        }
        switch LogLook(after: last, newest: newest, mark: mark, rows: rows) {
        case .revisions(let revisions, let hasMore):
            self.hasMore = hasMore
            return revisions
        case .forked: ownEpoch = NewEpoch(old: ownEpoch?.old ?? newest.epoch)
        case .otherEpoch: break
        case .incomplete: return nil
        }
        onNotice(.olderCopy(name: name, revision: last.name(of: last.revision)))
        return nil
    }

    /// Gives the tree an epoch of its own if this server cannot write and other programs' changes have no revision,
    /// because the same revision must not stand for different trees. Returns whether these changes are others than at
    /// the latest look.
    private func noteUnnumbered(_ connection: SQLiteConnection) throws(DatabaseError) -> Bool {
        guard connection.isReadOnly else { return false }
        let newest = try connection.first("SELECT max(seq) FROM changes WHERE revision IS NULL")?[0].integer
        guard newest != unnumbered else { return false }
        unnumbered = newest
        ownEpoch = nil
        if newest != nil { ownEpoch = NewEpoch(old: try head(connection).head.epoch) }
        return true
    }

    func history(upTo last: TreeHead, limit: Int) throws(DatabaseError) -> [LoggedRevision] {
        try connected().allRows(Self.statements.history(upTo: last.revision, limit: limit)).reversed()
            .compactMap { LoggedRevision($0) }
    }

    // MARK: Writing

    func reserveIDs(_ count: Int) throws(DatabaseError) -> [Int64] {
        let connection = try connected()
        // The id of a deleted item is not used again as long as the id is in the log.
        if lastID == 0 { lastID = try connection.first("SELECT max(item) FROM changes")?[0].integer ?? 0 }
        lastID = max(lastID, try connection.first("SELECT max(id) FROM items")?[0].integer ?? 0)
        // If the largest id is in use, SQLite itself chooses an id at random, too. Hardly any of 2^62 ids are in use.
        if lastID > .max / 2 { lastID = .random(in: 0 ... .max / 2) }
        defer { lastID += Int64(count) }
        return Array(lastID + 1...lastID + Int64(count))
    }

    // MARK: News

    func addWaits(to waits: inout WaitSet) {
        events.addWaits(to: &waits)
        if hasMore { waits.wake(by: .now) }
    }

    func isWoken(at now: ContinuousClock.Instant) -> Bool { events.isLookDue(at: now) && hasChanged || hasMore }

    /// Whether another program has committed since the latest look, or has replaced the file.
    private var hasChanged: Bool {
        guard let connection, let files, SQLiteFiles(path: path).areSame(as: files) else { return true }
        do throws(DatabaseError) {
            let version = try connection.first("PRAGMA data_version")?[0].integer
            defer { dataVersion = version }
            return version == nil || version != dataVersion
        } catch {
            // Reading the log reports the fault.
            return true
        }
    }

    func beginImport(keys: String?, replaces: Bool) throws(DatabaseError) -> any TreeImport {
        try SQLiteImport(path: path, keys: keys, replaces: replaces)
    }
}

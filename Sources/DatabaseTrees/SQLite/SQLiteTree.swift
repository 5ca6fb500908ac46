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
    /// revision; otherwise nil. `old` is the epoch in the file, and `new` is the epoch that this server gives to the
    /// tree.
    var ownEpoch: (old: String, new: String)?
    /// The latest change without a revision at the latest look of a server that cannot write; nil if there was none.
    private(set) var unnumbered: Int64?

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
        for table in ["items", "revisions", "changes"] {
            guard try connection.first("SELECT 1 FROM sqlite_master WHERE name = ?", .text(table)) != nil else {
                throw DatabaseError(
                    kind: .other, reason: "the table '\(table)' is missing; restore the file from a backup")
            }
        }
        let format = try connection.first("SELECT format FROM head")?[0].integer
        guard let format else { throw TreeHead.missing }
        if let fault = TreeHead.fault(ofFormat: format) { throw fault }
    }

    // MARK: Reading

    func head() throws(DatabaseError) -> TreeHead { try head(connected()) }

    func head(_ connection: SQLiteConnection) throws(DatabaseError) -> TreeHead {
        let row = try connection.first(
            """
            SELECT epoch, head.revision, oldest, keys, mark, strftime('%s', at) * 1000 + substr(at, 21, 3)
            FROM head LEFT JOIN revisions ON revisions.revision = head.revision
            """)
        guard let row, let epoch = row[0].string, let revision = row[1].integer, let oldest = row[2].integer else {
            throw TreeHead.missing
        }
        if let ownEpoch, ownEpoch.old != epoch { self.ownEpoch = nil }
        let head = TreeHead(
            epoch: ownEpoch?.new ?? epoch, revision: revision, mark: row[4].string,
            date: LoggedRevision.date(row[5].integer.map { Double($0) / 1_000 }), oldest: oldest, keys: row[3].string)
        if let fault = head.fault { throw fault }
        return head
    }

    func readItems(
        _ body: (_ place: ItemPlace, _ fields: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> TreeHead {
        let connection = try connected()
        try numberForeignChanges(connection)
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        _ = try noteUnnumbered(connection)
        let head = try head(connection)
        let columns = "SELECT id, parent, section, position"
        var count: Int64 = 0
        while true {
            do throws(DatabaseError) {
                try connection.rows("\(columns), fields FROM items ORDER BY id LIMIT -1 OFFSET ?", [.integer(count)]) {
                    row throws(DatabaseError) in
                    count += 1
                    let place = Self.place(row)
                    try row.withContent(4, .text) { fields throws(DatabaseError) in try body(place, fields) }
                }
                return head
            } catch {
                guard error.kind == .tooLarge else { throw error }
                try connection.rows("\(columns) FROM items ORDER BY id LIMIT 1 OFFSET ?", [.integer(count)]) {
                    row throws(DatabaseError) in try body(Self.place(row), [UInt8]().span)
                }
                count += 1
            }
        }
    }

    private static func place(_ row: SQLiteStatement, from column: Int32 = 0) -> ItemPlace {
        ItemPlace(
            id: row.integer(column), parent: row.isNull(column + 1) ? nil : row.integer(column + 1),
            section: Int(row.integer(column + 2)), position: row.integer(column + 3))
    }

    func revisions(after last: TreeHead) throws(DatabaseError) -> [LoggedRevision]? {
        let connection = try connected()
        try numberForeignChanges(connection)
        try connection.execute("BEGIN")
        defer { connection.rollBack() }
        guard try !noteUnnumbered(connection) else { return nil }
        let head = try head(connection)
        guard try follows(last, head: head, connection: connection) else {
            if head.epoch == last.epoch { ownEpoch = (ownEpoch?.old ?? head.epoch, RandomNames.epoch()) }
            onNotice(.olderCopy(name: name, revision: last.name(of: last.revision)))
            return nil
        }
        guard head.oldest <= last.revision + 1 else { return nil }
        guard head.revision > last.revision else { return [] }
        let range: [DatabaseValue] = [.integer(last.revision), .integer(head.revision)]
        let isWhole = try connection.first(
            "SELECT 1 FROM revisions WHERE revision > ? AND revision <= ? AND is_whole", range)
        guard isWhole == nil else { return nil }
        var revisions = try self.revisions(connection, condition: "revision > ? AND revision <= ?", values: range)
        guard Int64(revisions.count) == head.revision - last.revision else { return nil }
        var next = 0
        do throws(DatabaseError) {
            try connection.rows(
                """
                SELECT revision, item, parent, section, position, fields FROM changes
                WHERE revision > ? ORDER BY revision, seq
                """, [.integer(last.revision)]
            ) { row throws(DatabaseError) in
                while next < revisions.count, revisions[next].number < row.integer(0) { next += 1 }
                guard next < revisions.count else { return }
                revisions[next].changes.append(Self.change(row))
            }
        } catch {
            // The load reports the item whose fields are too large.
            guard error.kind == .tooLarge else { throw error }
            return nil
        }
        return revisions
    }

    /// Whether the database still has a known revision, and not a different revision with the same number.
    func follows(
        _ last: TreeHead, head: TreeHead, connection: SQLiteConnection
    ) throws(DatabaseError) -> Bool {
        guard head.epoch == last.epoch, head.revision >= last.revision else { return false }
        let mark = try connection.first("SELECT mark FROM revisions WHERE revision = ?", .integer(last.revision))?[0]
        // If the log no longer has the known revision, the mark of the revision cannot be compared.
        let isTrimmed = mark == nil && head.oldest > last.revision
        return isTrimmed || mark?.string == last.mark
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
        if newest != nil { ownEpoch = (try head(connection).epoch, RandomNames.epoch()) }
        return true
    }

    private static func change(_ row: SQLiteStatement) -> ItemChange {
        if row.isNull(5) { return .gone(row.integer(1)) }
        return .row(ItemRow(place: place(row, from: 1), fields: row.withContent(5, .text) { Array(copying: $0) }))
    }

    func history(upTo last: TreeHead, limit: Int) throws(DatabaseError) -> [LoggedRevision] {
        try revisions(
            connected(), condition: "revision <= ? AND revision > ?",
            values: [.integer(last.revision), .integer(max(last.revision - Int64(limit), last.oldest - 1))])
    }

    private func revisions(
        _ connection: SQLiteConnection, condition: String, values: [DatabaseValue]
    ) throws(DatabaseError) -> [LoggedRevision] {
        var revisions: [LoggedRevision] = []
        try connection.rows(
            """
            SELECT revision, mark, strftime('%s', at) * 1000 + substr(at, 21, 3), author, writer FROM revisions
            WHERE \(condition) ORDER BY revision
            """, values
        ) { row in
            revisions.append(
                LoggedRevision(
                    number: row.integer(0), mark: row.value(1).string,
                    date: LoggedRevision.date(Double(row.integer(2)) / 1_000),
                    author: row.value(3).string, writer: LoggedRevision.Writer(row.value(4).string), changes: []))
        }
        return revisions
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

    func addWaits(to waits: inout WaitSet) { events.addWaits(to: &waits) }

    func isWoken(at now: ContinuousClock.Instant) -> Bool { events.isLookDue(at: now) && hasChanged }

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

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
    /// The identity of the file that was opened last; nil before a file is opened.
    private var identity: FileIdentity?
    private let events: SQLiteFileEvents
    /// The value of `PRAGMA data_version` at the latest look; nil before the first look. Commits of other programs
    /// change the value.
    private var dataVersion: Int64?
    private var nextID: Int64 = 1
    /// Set after an older copy has replaced the file, and by a server that cannot give other programs' changes a
    /// revision; otherwise nil. `old` is the epoch in the file, and `new` is the epoch that this server gives to the
    /// tree.
    var ownEpoch: (old: String, new: String)?
    /// The latest change without a revision at the latest look of a server that cannot write; nil if there was none.
    private var unnumbered: Int64?

    init(path: String, name: String, onNotice: @escaping @Sendable (SourceNotice) -> Void = { _ in }) {
        (self.path, self.name, self.onNotice) = (path, name, onNotice)
        events = SQLiteFileEvents(path: path)
    }

    // MARK: The file

    /// Returns the connection to the file that is now at the path. Opens the file if necessary.
    func connected() throws(DatabaseError) -> SQLiteConnection {
        let found = FileIdentity(path: path)
        if let connection, let identity, let found, found.isSameFile(as: identity) { return connection }
        connection = nil
        guard let found else {
            // A file that existed before may come back, for example from a backup.
            throw DatabaseError(
                kind: identity == nil ? .other : .away, reason: "the file does not exist; \(Self.advice(for: path))")
        }
        guard found.isRegular else { throw DatabaseError(kind: .other, reason: "it is not a file") }
        let opened = try SQLiteConnection(path: path)
        try opened.execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL")
        try check(opened)
        (connection, identity, dataVersion) = (opened, found, nil)
        madeConnections += 1
        return opened
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

    var readOnlyReason: String? {
        connection?.isReadOnly == true
            ? "the database is read-only; give the server permission to write to it and to its folder" : nil
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
        return TreeHead(
            epoch: ownEpoch?.new ?? epoch, revision: revision, mark: row[4].string,
            date: Double(row[5].integer ?? 0) / 1_000,
            oldest: oldest,
            keys: row[3].string)
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
        try connection.rows(
            "SELECT id, parent, section, position, fields FROM items"
        ) { row throws(DatabaseError) in
            let place = Self.place(row)
            try row.withContent(4, .text) { fields throws(DatabaseError) in try body(place, fields) }
        }
        return head
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
        let isWhole = try connection.first(
            "SELECT 1 FROM revisions WHERE revision > ? AND is_whole", .integer(last.revision))
        guard isWhole == nil else { return nil }
        var revisions = try self.revisions(connection, condition: "revision > ?", values: [.integer(last.revision)])
        var next = 0
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
        return .row(ItemRow(place: place(row, from: 1), fields: row.withText(5) { Array(copying: $0) }))
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
                    number: row.integer(0), mark: row.value(1).string, date: Double(row.integer(2)) / 1_000,
                    author: row.value(3).string, writer: LoggedRevision.Writer(row.value(4).string), changes: []))
        }
        return revisions
    }

    // MARK: Writing

    func reserveIDs(_ count: Int) throws(DatabaseError) -> [Int64] {
        let connection = try connected()
        let last = try connection.first("SELECT max(id) FROM items")?[0].integer ?? 0
        if nextID == 1 {
            // The id of a deleted item is not used again as long as the id is in the log.
            nextID = (try connection.first("SELECT max(item) FROM changes")?[0].integer ?? 0) + 1
        }
        let first = max(nextID, last + 1)
        nextID = first + Int64(count)
        return Array(first..<nextID)
    }

    // MARK: News

    func addWaits(to waits: inout WaitSet) { events.addWaits(to: &waits) }

    func isWoken(at now: ContinuousClock.Instant) -> Bool { events.isLookDue(at: now) && hasChanged }

    /// Whether another program has committed since the latest look, or has replaced the file.
    private var hasChanged: Bool {
        guard let connection, let identity, let found = FileIdentity(path: path), found.isSameFile(as: identity) else {
            return true
        }
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

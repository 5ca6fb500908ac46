internal import Levels
internal import Threads
internal import TreeSources

/// A tree in PostgreSQL: a schema with the tables of `PostgresSchema`.
///
/// Reads and edits use the same connection. With `read=standby` in the address, there are two connections: reads prefer
/// a standby, and edits use the primary server.
final class PostgresTree: TreeDatabase {

    let address: PostgresAddress
    let statements: PostgresTreeStatements
    /// The connection for reading and following the tree.
    let reader: PostgresLink
    /// The connection for writing the tree. It is the same as `reader`, unless the address has `read=standby`.
    let writer: PostgresLink
    private let pollInterval: Duration
    /// The number of revisions that the log keeps.
    let keptRevisions: Int64
    /// The longest time to spend on finding out the outcome of a commit during which the connection broke.
    let commitPatience: Duration

    /// Called when the connection breaks during a commit, before the search for the outcome of the commit begins.
    private(set) var reportDoubt: (DatabaseError) -> Void = { _ in }
    let onNotice: @Sendable (SourceNotice) -> Void
    var doubts = DatabaseWork.Doubts()

    /// The latest revision that was read or written. Notifications of this revision and of earlier revisions are
    /// ignored.
    var latest: Int64 = -1
    /// The first revision in the log, as found by the latest look.
    var oldest: Int64 = 1
    /// Whether old revisions stay in the log, because this role may not delete them.
    var leavesLog = false
    /// Set after an older copy has replaced the database; otherwise nil. The next commit writes the new epoch, unless a
    /// commit of another server comes first.
    var ownEpoch: NewEpoch?
    var lock = TreeLock.unwanted
    /// Whether there may be more revisions than the latest call of `revisions` has returned.
    var hasMore = false
    private var lastLook: ContinuousClock.Instant?

    /// The pause between two looks at a server that sends no notifications.
    static let standbyInterval = Duration.milliseconds(50)
    /// The longest time to hold the lock of the tree while no commit follows.
    static let longestLock = Duration.milliseconds(500)

    /// - Parameters:
    ///   - password: the password of the role; nil if libpq finds a password itself, or needs none.
    ///   - pollInterval: the pause between two looks at the database while no notification arrives.
    init(
        address: PostgresAddress, password: String? = nil, pollInterval: Duration = .seconds(5),
        commitPatience: Duration = .seconds(30), keptRevisions: Int64 = 100_000, mostBytes: Int = ItemRow.mostBytes,
        onNotice: @escaping @Sendable (SourceNotice) -> Void = { _ in }
    ) {
        (self.address, self.pollInterval, self.commitPatience) = (address, pollInterval, commitPatience)
        (self.keptRevisions, self.onNotice) = (keptRevisions, onNotice)
        statements = PostgresTreeStatements(tree: address.tree, mostBytes: mostBytes)
        let isSplit = address.readsStandby
        reader = PostgresLink(
            parameters: address.parameters(for: isSplit ? .reading : .everything, password: password), listens: true)
        writer =
            isSplit
            ? PostgresLink(parameters: address.parameters(for: .writing, password: password), listens: false) : reader
    }

    var name: String { address.shown }

    var connections: (open: Int, made: Int) {
        let links = reader === writer ? [reader] : [reader, writer]
        return (links.count { $0.current != nil }, links.reduce(0) { $0 + $1.made })
    }

    // MARK: Reading

    func head() throws(DatabaseError) -> TreeHead {
        try head(
            reading { connection throws(PostgresFailure) in try connection.query(statements.common.head()).first })
    }

    func readItems(
        _ body: (_ place: ItemPlace, _ fields: Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> TreeHead {
        hasMore = false
        releaseLock()
        let row = try reading { connection throws(PostgresFailure) in
            try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0")
            return try connection.query(statements.common.head()).first
        }
        let head = try head(row)
        guard let connection = reader.current else { throw failed(.lost) }
        var rows = BinaryRows()
        try connection.copyOut(
            statements.copiedItems.text,
            take: { piece throws(DatabaseError) in
                try rows.read(piece) { place, fields throws(DatabaseError) in try body(place, fields) }
            }, failing: failed)
        do throws(PostgresFailure) {
            try connection.run("COMMIT")
        } catch {
            throw failed(error)
        }
        return head
    }

    func reserveIDs(_ count: Int) throws(DatabaseError) -> [Int64] {
        try writing { connection throws(PostgresFailure) in
            try connection.query(statements.ids(count)).compactMap(\.[0].integer)
        }
    }

    func whenInDoubt(_ report: @escaping (DatabaseError) -> Void) { reportDoubt = report }

    // MARK: Waiting

    func addWaits(to waits: inout WaitSet) {
        if let connection = reader.current { waits.add(connection.socket) }
        waits.wake(by: nextWake)
    }

    private var nextWake: ContinuousClock.Instant {
        if hasMore { return .now }
        guard reader.current != nil else { return reader.nextAttempt ?? .now }
        return min(nextLook, lock.end ?? nextLook)
    }

    func isWoken(at now: ContinuousClock.Instant) -> Bool {
        // No commit has followed.
        if let end = lock.end, now >= end { releaseLock() }
        guard let connection = reader.current else { return now >= (reader.nextAttempt ?? now) }
        guard let payloads = connection.notifications() else { return true }
        return hasMore || now >= nextLook || payloads.contains(where: isNews)
    }

    /// Whether a notification such as `music 1207` announces a revision of this tree that is not known yet.
    private func isNews(_ payload: String) -> Bool {
        guard let space = payload.lastIndex(of: " "), payload[..<space] == address.tree[...],
            let revision = Int64(payload[payload.index(after: space)...])
        else { return false }
        return revision > latest
    }

    /// Records that the database is looked at now.
    func noteLook() { lastLook = .now }

    /// The time of the next look at the database if no notification arrives earlier.
    private var nextLook: ContinuousClock.Instant {
        guard let lastLook else { return .now }
        return lastLook + (reader.mustPoll ? min(Self.standbyInterval, pollInterval) : pollInterval)
    }
}

extension PostgresTree {
    /// Runs statements that read, on the connection for reading.
    func reading<Value>(
        _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(DatabaseError) -> Value {
        noteLook()
        return try using(reader, body)
    }

    /// Runs statements on the connection for writing.
    func writing<Value>(
        _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(DatabaseError) -> Value { try using(writer, body) }

    func using<Value>(
        _ link: PostgresLink, _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(DatabaseError) -> Value {
        do throws(PostgresFailure) {
            return try body(link.open())
        } catch {
            // A failed statement leaves a transaction that accepts no further statements.
            if link.current?.isInTransaction == true { link.close() }
            throw failed(error)
        }
    }

    func failed(_ failure: PostgresFailure) -> DatabaseError {
        if writer.current == nil { lock.lose() }
        return failure.databaseError(of: address.tree)
    }

    /// Ends the transaction that holds the lock of the tree, if the lock is held.
    func releaseLock() {
        guard lock.end != nil else { return }
        lock.lose()
        // ROLLBACK would wait for the server; closing the connection does not wait.
        writer.close()
    }

    // MARK: The counter

    /// Returns the counter in a row. If this server gives a new epoch to the tree, the counter has the new epoch.
    ///
    /// - Throws: `DatabaseError` if the tree cannot be used. An open transaction is then ended.
    func head(_ row: [DatabaseValue]?) throws(DatabaseError) -> TreeHead {
        do throws(DatabaseError) {
            var head = try TreeHead(row)
            head.adopt(&ownEpoch)
            (latest, oldest) = (head.revision, head.oldest)
            return head
        } catch {
            releaseLock()
            for link in [reader, writer] where link.current?.isInTransaction == true { link.close() }
            throw error
        }
    }
}

/// The lock of a tree, with which no other program can commit.
enum TreeLock {
    case unwanted
    /// The next call of `revisions` takes the lock, because another commit came before the latest commit of this server,
    /// or the lock was lost.
    case wanted
    /// The lock is held for the next commit, but only until a time.
    case held(until: ContinuousClock.Instant)

    /// The time until which the lock is held; nil if it is not held.
    var end: ContinuousClock.Instant? { if case .held(let end) = self { end } else { nil } }

    /// Notes that the lock is no longer held. It stays wanted until a commit succeeds, or nobody else has committed.
    mutating func lose() { if case .held = self { self = .wanted } }
}

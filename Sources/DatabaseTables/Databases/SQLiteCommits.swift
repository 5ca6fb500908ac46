internal import DatabaseTrees
internal import Files
internal import Locking
internal import Threads
internal import TreeSources

/// Notices commits of other programs to a database.
protocol TableCommits: CommitWatcher {
    /// Whether the database cannot be read at present.
    var isAway: Bool { get }

    /// Ignores the commits that have not been reported so far.
    func forget()

    /// Returns whether to report a commit, as `takeCommit(at:)` does.
    ///
    /// - Parameter isAsked: whether to look at the version even if no look is due.
    func takeCommit(at now: ContinuousClock.Instant, isAsked: Bool) -> Bool
}

extension TableCommits {
    func takeCommit(at now: ContinuousClock.Instant) -> Bool { takeCommit(at: now, isAsked: false) }
}

/// Notices commits of other programs to a SQLite file, and the replacement of the file by another.
final class SQLiteCommits: TableCommits {
    private let path: String
    private let options: TableOptions
    private let events: SQLiteFileEvents
    /// The connection that reads the version of the database; nil while the file cannot be opened.
    private var database: SQLiteTables?
    private var version: DatabaseValue = .null
    /// Whether a commit was noticed, but `takeCommit` has not reported it yet.
    private var hasNews = false
    private var lastTaken: ContinuousClock.Instant?
    /// Whether the latest look at the version failed. A look that met a lock does not count.
    private(set) var isAway = false

    /// The minimum time between two reports of commits.
    private static let interval = Duration.milliseconds(100)

    init(path: String, options: TableOptions) {
        (self.path, self.options) = (path, options)
        events = SQLiteFileEvents(path: path)
        forget()
    }

    /// Ignores the commits that have not been reported so far.
    func forget() {
        _ = hasChanged(at: .now)
        hasNews = false
    }

    func addWaits(to waits: inout WaitSet) {
        events.addWaits(to: &waits)
        if hasNews { waits.wake(by: lastTaken.map { $0 + Self.interval } ?? .now) }
    }

    func takeCommit(at now: ContinuousClock.Instant, isAsked: Bool) -> Bool {
        let isDue = events.isLookDue(at: now)
        if isDue || isAsked, hasChanged(at: now) { hasNews = true }
        guard hasNews, lastTaken.map({ now >= $0 + Self.interval }) ?? true else { return false }
        (hasNews, lastTaken) = (false, now)
        return true
    }

    /// Returns whether something has changed since the latest look: another program has committed, the file was
    /// replaced, or the file became readable or unreadable.
    ///
    /// While another program holds a lock, the result is false, and the next look is due soon.
    private func hasChanged(at now: ContinuousClock.Instant) -> Bool {
        do throws(DatabaseError) {
            guard let database, database.isCurrent else {
                let isNew = database != nil || isAway
                database = nil
                let opened = try SQLiteTables(path: path, options: options)
                opened.connection.setBusyTimeout(.zero)
                version = try opened.dataVersion
                database = opened
                isAway = false
                return isNew
            }
            let latest = try database.dataVersion
            defer { (version, isAway) = (latest, false) }
            return isAway || latest != version
        } catch {
            if error.kind == .busy { events.lookAgain(at: now + .milliseconds(50)) }
            guard error.kind != .busy, !isAway else { return false }
            isAway = true
            return true
        }
    }
}

/// Numbers the states of a SQLite file for all connections.
///
/// Each connection numbers the states in its own way (`PRAGMA data_version`): the number changes when another
/// connection has committed. The clock watches the file through a connection of its own, and numbers the states for all
/// other connections. If the clock returns the same number before and after another connection begins to read, that
/// connection reads the state with this number.
final class StateClock: Sendable {
    private struct Look {
        let connection: SQLiteConnection
        let identity: FileIdentity
        var version: DatabaseValue
    }

    private struct Looks {
        var last: Look?
        var number: Int64 = 0
    }

    private let path: String
    private let looks = Guarded(Looks())

    init(path: String) { self.path = path }

    /// Returns the number of the present state of a file. Returns nil if the file cannot be read now, or if the clock
    /// must open the file and the path leads to another file.
    func number(of identity: FileIdentity) -> Int64? {
        looks.withLock { looks in
            do throws(DatabaseError) {
                if var look = looks.last, look.identity.isSameFile(as: identity) {
                    let version = try Self.version(look.connection)
                    if version != look.version { looks.number += 1 }
                    look.version = version
                    looks.last = look
                    return looks.number
                }
                looks.last = nil
                let connection = try SQLiteConnection(path: path, for: .read)
                connection.setBusyTimeout(.zero)
                let version = try Self.version(connection)
                guard FileIdentity(path: path)?.isSameFile(as: identity) ?? false else { return nil }
                looks.last = Look(connection: connection, identity: identity, version: version)
                looks.number += 1
                return looks.number
            } catch {
                return nil
            }
        }
    }

    private static func version(_ connection: SQLiteConnection) throws(DatabaseError) -> DatabaseValue {
        try connection.first("PRAGMA data_version")?[0] ?? .null
    }
}

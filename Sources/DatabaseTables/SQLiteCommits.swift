internal import DatabaseTrees
internal import Threads
internal import TreeSources

/// Notices commits of other programs to a SQLite file, and that the file is another one.
final class SQLiteCommits: CommitWatcher {
    private let path: String
    private let rows: TableRows
    private let events: SQLiteFileEvents
    /// What looks at the version of the database; nil while it cannot be opened.
    private var database: OpenDatabase?
    private var version: SQLiteValue = .null
    /// Whether there was a commit that was not taken.
    private var hasNews = false
    private var lastTaken: ContinuousClock.Instant?
    /// Whether the latest look has failed.
    private(set) var isAway = false

    /// The least time between two commits that are taken.
    private static let interval = Duration.milliseconds(100)

    /// - Parameter path: the file of `rows`.
    init(path: String, rows: TableRows) {
        (self.path, self.rows) = (path, rows)
        events = SQLiteFileEvents(path: path)
        forget()
    }

    /// Forgets what was committed until now.
    func forget() {
        _ = hasChanged(at: .now)
        hasNews = false
    }

    func addWaits(to waits: inout WaitSet) {
        events.addWaits(to: &waits)
        if hasNews { waits.wake(by: lastTaken.map { $0 + Self.interval } ?? .now) }
    }

    func takeCommit(at now: ContinuousClock.Instant) -> Bool { takeCommit(at: now, isAsked: false) }

    /// - Parameter isAsked: whether to look although nothing has happened in the folder.
    func takeCommit(at now: ContinuousClock.Instant, isAsked: Bool) -> Bool {
        let isDue = events.isLookDue(at: now)
        if isDue || isAsked, hasChanged(at: now) { hasNews = true }
        guard hasNews, lastTaken.map({ now >= $0 + Self.interval }) ?? true else { return false }
        (hasNews, lastTaken) = (false, now)
        return true
    }

    /// Whether another program has committed since the latest look, or the file is another one.
    private func hasChanged(at now: ContinuousClock.Instant) -> Bool {
        do throws(DatabaseError) {
            guard let database, database.isCurrent(path: path) else {
                let isNew = database != nil || isAway
                database = nil
                let opened = try rows.pool.open()
                opened.connection.setBusyTimeout(.zero)
                version = try opened.connection.first("PRAGMA data_version")?[0] ?? .null
                database = opened
                isAway = false
                return isNew
            }
            let latest = try database.connection.first("PRAGMA data_version")?[0] ?? .null
            defer { version = latest }
            return latest != version
        } catch {
            if error.kind == .busy { events.lookAgain(at: now + .milliseconds(50)) }
            guard error.kind != .busy, !isAway else { return false }
            isAway = true
            return true
        }
    }
}

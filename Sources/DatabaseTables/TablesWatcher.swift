internal import DatabaseTrees
internal import Levels
internal import PropertyLists
internal import Threads
internal import TreeSources

/// Publishes a version of a database after other programs have committed, so that waiting requests are answered.
final class TablesWatcher: SourceWatcher {
    private let source: DatabaseTables
    private let path: String
    private let rows: TableRows
    private let events: SQLiteFileEvents
    private var document = Level.empty
    /// What looks at the version of the database; nil while it cannot be opened.
    private var database: OpenDatabase?
    private var version: SQLiteValue = .null
    /// Whether there is a version that was not published.
    private var hasNews = false
    private var isAsked = false
    private var lastPublished: ContinuousClock.Instant?
    private var patience: Duration

    /// The least time between two publications.
    private static let interval = Duration.milliseconds(100)

    init(_ source: DatabaseTables, path: String, _ rows: TableRows, patience: Duration) {
        (self.source, self.path, self.rows, self.patience) = (source, path, rows, patience)
        events = SQLiteFileEvents(path: path)
    }

    func refresh() -> Bool {
        isAsked = true
        return false
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let loaded = try source.load(rows, patience: patience)
        patience = .zero
        document = loaded.tree.document
        // From here on, each commit is seen.
        _ = hasChanged(at: .now)
        hasNews = false
        return loaded
    }

    func addWaits(to waits: inout WaitSet) {
        events.addWaits(to: &waits)
        if isAsked { waits.wake(by: .now) }
        if hasNews { waits.wake(by: lastPublished.map { $0 + Self.interval } ?? .now) }
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let isDue = events.isLookDue(at: now)
        let wasAsked = isAsked
        isAsked = false
        if isDue || wasAsked, hasChanged(at: now) { hasNews = true }
        guard hasNews, lastPublished.map({ now >= $0 + Self.interval }) ?? true else {
            return wasAsked ? .confirmed : nil
        }
        (hasNews, lastPublished) = (false, now)
        return .advanced([TreeAdvance(to: document, rows: rows, cause: .database(author: nil))])
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

    /// Whether the latest look has failed.
    private var isAway = false

    var isConnected: Bool? { !isAway }
}

internal import DatabaseTrees
internal import Threads
internal import TreeSources

/// Notices commits to a PostgreSQL database. A commit changes the database's snapshot, which is read four times a
/// second.
final class PostgresCommits: TableCommits {
    private let database: PostgresDatabase
    /// The connection that reads the version of the database; nil while the database cannot be reached.
    private var reader: PostgresReader?
    private var version = ""
    private var nextLook = ContinuousClock.now
    /// The pause before the next attempt to connect. The pause is doubled after each failure.
    private var pause = PostgresCommits.interval
    private(set) var isAway = false

    /// The time between two looks at the snapshot.
    private static let interval = Duration.milliseconds(250)
    private static let longestPause = Duration.seconds(5)
    /// The time limit for a look.
    private static let patience = Duration.seconds(2)

    init(_ database: PostgresDatabase, options: TableOptions) {
        self.database = database
        forget()
    }

    func forget() { _ = hasChanged() }

    func addWaits(to waits: inout WaitSet) { waits.wake(by: nextLook) }

    func takeCommit(at now: ContinuousClock.Instant, isAsked: Bool) -> Bool {
        guard isAsked || now >= nextLook else { return false }
        return hasChanged()
    }

    private func connected() throws(DatabaseError) -> PostgresReader {
        if let reader { return reader }
        let made = try PostgresReader(database, timeout: Self.patience)
        reader = made
        return made
    }

    /// Returns whether a transaction was committed since the latest look, or the database became reachable or
    /// unreachable since then.
    private func hasChanged() -> Bool {
        defer { nextLook = .now + (isAway ? pause : Self.interval) }
        do throws(DatabaseError) {
            let reader = try connected()
            reader.setDeadline(.now + Self.patience)
            let latest = try reader.look()
            defer { (version, isAway, pause) = (latest, false, Self.interval) }
            return latest != version || isAway
        } catch {
            reader = nil
            pause = min(pause * 2, Self.longestPause)
            defer { isAway = true }
            return !isAway
        }
    }
}

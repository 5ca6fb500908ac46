internal import DatabaseTrees
internal import Levels
internal import PropertyLists
internal import Threads
internal import TreeSources

/// Reports the commits of other programs, so that waiting requests are answered.
final class TablesWatcher: SourceWatcher {
    private let source: DatabaseTables
    private let rows: TableRows
    private let commits: any TableCommits
    private var isAsked = false
    private var patience: Duration

    init(source: DatabaseTables, place: TablesPlace, rows: TableRows, patience: Duration) {
        (self.source, self.rows, self.patience) = (source, rows, patience)
        commits = place.makeCommits(rows.options)
    }

    func savability(at path: ItemPath) -> Savability {
        .nothing(SaveRefusal("the records of a database's tables cannot be edited here; change them in the database"))
    }

    func refresh() -> Bool {
        isAsked = true
        return false
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        let loaded = try source.load(rows, patience: patience)
        patience = .zero
        // Earlier commits need no report: each answer reads the records anew.
        commits.forget()
        return loaded
    }

    func addWaits(to waits: inout WaitSet) {
        commits.addWaits(to: &waits)
        if isAsked { waits.wake(by: .now) }
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let wasAsked = isAsked
        isAsked = false
        if commits.takeCommit(at: now, isAsked: wasAsked) { return .committed }
        return wasAsked ? .confirmed : nil
    }

    var isConnected: Bool? { !commits.isAway }
}

internal import Levels
internal import PropertyLists
import Threads
internal import TreeSources

/// Follows a tree in a database, and saves edits of the tree. The store's thread uses the watcher.
final class DatabaseWatcher: SourceWatcher {
    private let source: DatabaseTree
    let database: any TreeDatabase
    /// The latest revision, which is published or about to be published; nil before the first load.
    private(set) var head: TreeHead?
    private(set) var document = Level.empty
    private(set) var index = ItemIndex()
    /// The rules by which rows are read, with the structural names that the database stores.
    private(set) var interpretation = Interpretation()
    /// Whether the tree must be loaded.
    private var isStale = false
    /// The refusal of edits after a load that failed because of a row; nil if no row is at fault.
    private var brokenRows: SaveRefusal?
    private var isAsked = false
    private var retries = RetrySchedule(first: .milliseconds(50), longest: .seconds(5))

    /// The longest time that the first load waits for a database that is not connected or is locked.
    private var patience: Duration
    private var work = DatabaseWork()

    init(source: DatabaseTree, database: any TreeDatabase, patience: Duration = .zero) {
        (self.source, self.database, self.patience) = (source, database, patience)
    }

    // MARK: Loading

    func refresh() -> Bool {
        isAsked = true
        return false
    }

    func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
        isStale = true
        let read: DatabaseTree.Read
        do throws(SourceError) {
            read = try source.read(database, pool: old.map { LevelPool($0) }, patience: patience)
            brokenRows = nil
        } catch {
            brokenRows = SaveRefusal(brokenRows: error, of: source.name)
            // Without a row at fault, the database itself cannot be read at present.
            if brokenRows == nil { retries.fail(at: .now) } else { retries.reset() }
            throw error
        }
        retries.reset()
        patience = .zero
        adopt(read.tree.document, index: read.index, head: read.head)
        interpretation = read.interpretation
        isStale = false
        var loaded = LoadedTree(tree: read.tree, revision: SourceRevision(read.head), history: read.history)
        loaded.names = read.interpretation.names
        warn(about: read.rounded, in: &loaded)
        return loaded
    }

    private func warn(about rounded: [Int64], in loaded: inout LoadedTree) {
        loaded.warnings = rounded.prefix(DocumentWarnings.most).map { id in
            let message = "a number has more digits than a real of 64 bits; the next edit of the item rounds it"
            return SourceWarning(
                "\(source.name): items[\(id)]", warning: DocumentWarning(position: nil, path: "", message: message))
        }
        loaded.omittedWarnings = rounded.count - loaded.warnings.count
    }

    private func adopt(_ document: Level, index: ItemIndex, head: TreeHead) {
        (self.document, self.index, self.head) = (document, index, head)
    }

    // MARK: Following

    func addWaits(to waits: inout WaitSet) {
        if isAsked { waits.wake(by: .now) }
        if let next = retries.next { waits.wake(by: next) }
        database.addWaits(to: &waits)
    }

    func advance(at now: ContinuousClock.Instant) -> SourceReport? {
        let isWoken = database.isWoken(at: now)
        let isRetried = retries.next.map { now >= $0 } ?? false
        guard isAsked || isWoken || isRetried, let head else { return nil }
        defer { isAsked = false }
        do throws(DatabaseError) {
            let wasAway = retries.next != nil
            let report = try follow(head)
            // Otherwise, the load decides.
            if report != .arrived { retries.reset() }
            return report ?? (isAsked || wasAway ? .confirmed : nil)
        } catch {
            retries.fail(at: now)
            return .failed(SourceError(source.name, reason: error.reason))
        }
    }

    /// Reads the revisions of the log after `last`. Returns nil if there is nothing new.
    private func follow(_ last: TreeHead) throws(DatabaseError) -> SourceReport? {
        let begun = ContinuousClock.now
        defer { work.looks.note(.now - begun) }
        guard let revisions = try database.revisions(after: last), !isStale else { return .arrived }
        return revisions.isEmpty ? nil : follow(revisions, from: last)
    }

    private func follow(_ revisions: [LoggedRevision], from last: TreeHead) -> SourceReport {
        var advances: [TreeAdvance] = []
        var (document, index, head) = (document, index, last)
        for revision in revisions {
            guard
                let next = TreeFollower.follow(
                    revision.changes, from: document, index: &index, interpretation: interpretation)
            else {
                // The load that follows reports the fault in this revision.
                return .arrived
            }
            document = next
            head.revision = revision.number
            (head.mark, head.date) = (revision.mark, revision.date)
            work.lag.note(seconds: max(WallClock.now - revision.date, 0))
            advances.append(TreeAdvance(to: document, revision: SourceRevision(head), cause: revision.cause))
        }
        adopt(document, index: index, head: head)
        return .advanced(advances)
    }

    var isConnected: Bool? { retries.next == nil }

    func whenInDoubt(_ report: @escaping (SourceError) -> Void) {
        database.whenInDoubt { [name = source.name] error in report(SourceError(name, reason: error.reason)) }
    }

    var databaseWork: DatabaseWork {
        var work = work
        (work.openConnections, work.madeConnections) = database.connections
        work.doubts = database.doubts
        return work
    }

    // MARK: Editing

    func savability(at path: ItemPath) -> Savability {
        brokenRows.map { .nothing($0) } ?? .items
    }

    func beginEdits() throws(EditRefusal) -> any EditGroup {
        guard let head else { throw EditRefusal(.conflict, detail: "The database has not been loaded yet.") }
        return DatabaseEdits(watcher: self, base: head)
    }

    /// Reserves ids for new items.
    func reserveIDs() throws(DatabaseError) -> [Int64] {
        let begun = ContinuousClock.now
        defer { work.reservations.note(.now - begun) }
        return try database.reserveIDs(64)
    }

    /// Checks that a revision is still the latest revision of the database.
    func confirm(_ last: TreeHead) throws(SaveError) {
        try committing { () throws(CommitError) in try database.confirm(last) }
    }

    private func committing(_ body: () throws(CommitError) -> Void) throws(SaveError) {
        do throws(CommitError) {
            try body()
        } catch {
            // `advance` then reads the newer revisions, and the edits are tried again.
            isAsked = true
            throw SaveError(error)
        }
    }

    /// Commits the edits of a group.
    func save(
        _ requests: [RevisionWrite], as document: Level, index: ItemIndex, after last: TreeHead
    ) throws(SaveError) {
        let begun = ContinuousClock.now
        defer { work.commits.note(.now - begun) }
        try committing { () throws(CommitError) in try database.commit(requests, after: last) }
        var head = last
        head.revision += Int64(requests.count)
        head.mark = requests.last?.mark
        adopt(document, index: index, head: head)
    }
}

extension SourceRevision {
    /// Creates the latest revision of a database, in the form for clients.
    init(_ head: TreeHead) { self.init(name: head.name(of: head.revision), date: head.date) }
}

extension SaveRefusal {
    /// Creates the refusal of edits because of a row at fault; nil if `error` does not name a row. Only errors that
    /// name a row are for clients.
    ///
    /// - Parameter error: the error of a load.
    fileprivate init?(brokenRows error: SourceError, of name: String) {
        guard error.name.hasPrefix(name + ": ") else { return nil }
        let item = error.name.dropFirst(name.count + 2)
        let place = error.path.map { "in \($0): " } ?? ""
        self.init("a row of the document breaks a rule: \(item): \(place)\(error.reason)")
    }
}

extension LoggedRevision {
    /// The cause of the revision, in the form for clients.
    var cause: Snapshot.Cause {
        switch writer {
        case .server: .edit(author: author)
        case .importer: .importer
        case .other: .database(author: author)
        }
    }
}

extension SaveError {
    init(_ error: CommitError) {
        switch error {
        case .changedMeanwhile: self = .changedMeanwhile
        case .refused(let number, let message, let constraint):
            self = .refused(
                number: number,
                EditRefusal(.constraint(name: constraint), detail: "The database refuses the edit: \(message)."))
        case .failed(let error):
            switch error.kind {
            case .busy: self = .busy(error.reason)
            case .away: self = .away(error.reason)
            case .noSpace: self = .noSpace(error.reason)
            case .readOnly: self = .unwritable(SaveRefusal(error.reason))
            case .other, .timeout, .refused, .tooLarge: self = .failed(error.reason)
            }
        case .unknown(let reason): self = .unknown(reason)
        }
    }
}

public import Levels
import Locking
import PropertyLists
import Threads
public import TreeSources

/// A source in memory with a log of its states, as a database has one: it names its revisions, its watchers follow what
/// others commit without a load, and a save may refuse one request of its group.
public final class MemorySource: TreeSource {
    private struct State {
        var documents: [Level]
        /// Why each state came about.
        var causes: [Snapshot.Cause] = [.importer]
        /// Names the history; another one begins when the source is replaced.
        var epoch = "memory"
        /// The watchers cannot follow the log up to this state.
        var lost = 0
        var isConnected: Bool?
        /// Whether another program has committed rows that are not part of the tree.
        var hasOtherRows = false
        /// Why nothing can be read now.
        var refusal: SourceError?
        /// Fails the saves, the first one first.
        var failures: [SaveError] = []
        var saves = 0
        var wakeups: [Wakeup] = []
    }

    public let name: String
    private let state: Guarded<State>
    private let keepsLog: Bool

    /// - Parameters:
    ///   - json: the first document.
    ///   - keepsLog: whether a load has the entries of all states.
    /// - Throws: `PropertyListError` if it is not one.
    public init(_ json: String, name: String = "memory:test", keepsLog: Bool = false) throws {
        self.name = name
        self.keepsLog = keepsLog
        state = Guarded(State(documents: [try Self.document(json)]))
    }

    /// The document of a JSON text.
    private static func document(_ json: String) throws(PropertyListError) -> Level { try tree(json).document }

    private static func tree(_ json: String) throws(PropertyListError) -> Tree {
        var builder = TreeBuilder(names: StructuralNames(), limits: TreeLimits(), isXML: false)
        try JSONPropertyListReader.read(.memory(Array(json.utf8)), limits: PropertyListLimits(), into: &builder)
        return try builder.finish()
    }

    // MARK: Another program

    /// Commits another document, as another program does.
    public func commit(
        _ json: String, cause: Snapshot.Cause = .edit(author: "another program"), isFollowed: Bool = true
    ) throws {
        let document = try Self.document(json)
        change { state in
            state.documents.append(document)
            state.causes.append(cause)
            state.refusal = nil
            if !isFollowed { state.lost = state.documents.count - 1 }
        }
    }

    /// Replaces all states by one, whose history has another name.
    public func replace(by json: String, epoch: String) throws {
        let document = try Self.document(json)
        change { state in
            (state.documents, state.causes, state.epoch, state.lost) = ([document], [.importer], epoch, 0)
        }
    }

    /// Commits rows that are not part of the tree, as another program does.
    public func commitOtherRows() { change { $0.hasOtherRows = true } }

    /// Sets whether there is a connection, as a database has one.
    public func setConnected(_ isConnected: Bool) { change { $0.isConnected = isConnected } }

    /// Has nothing read until the next commit.
    public func spoil(_ reason: String) {
        let error = SourceError(name, reason: reason)
        change { $0.refusal = error }
    }

    /// Has the next saves fail.
    public func failSaves(with failures: SaveError...) { state.withLock { $0.failures = failures } }

    /// How many saves were begun.
    public var saves: Int { state.withLock { $0.saves } }

    private func takeOtherRows() -> Bool {
        state.withLock { state in
            defer { state.hasOtherRows = false }
            return state.hasOtherRows
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let wakeups = state.withLock { state in
            body(&state)
            return state.wakeups
        }
        for wakeup in wakeups { wakeup.signal() }
    }

    // MARK: A source

    /// The revision of a state by its number, which the source names.
    private static func revision(_ number: Int, epoch: String) -> SourceRevision {
        SourceRevision(name: "\(epoch)-\(number)", date: 1_000 + Double(number))
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try current().loaded }

    private func current() throws(SourceError) -> (number: Int, epoch: String, loaded: LoadedTree) {
        let (refusal, documents, epoch, causes) = state.withLock { ($0.refusal, $0.documents, $0.epoch, $0.causes) }
        if let refusal { throw refusal }
        let number = documents.count - 1
        do throws(PropertyListError) {
            let tree = try Self.tree("[]").edited(to: documents[number])
            let history = causes.enumerated().map { number, cause in
                let revision = Self.revision(number, epoch: epoch)
                return RevisionEntry(name: revision.name, date: revision.date, cause: cause)
            }
            return (
                number, epoch,
                LoadedTree(
                    tree: tree, revision: Self.revision(number, epoch: epoch), history: keepsLog ? history : [])
            )
        } catch {
            throw SourceError(name, reason: error.reason)
        }
    }

    public func makeWatcher() -> any SourceWatcher { Watcher(self) }

    private final class Watcher: SourceWatcher {
        let source: MemorySource
        /// The number of the state that was loaded, or reported, last.
        var seen = 0
        private var epoch = "memory"
        private var isAsked = false
        private let wakeup: Wakeup?

        init(_ source: MemorySource) {
            self.source = source
            wakeup = try? Wakeup()
            if let wakeup { source.state.withLock { $0.wakeups.append(wakeup) } }
        }

        func refresh() -> Bool {
            isAsked = true
            wakeup?.signal()
            return false
        }

        func load(replacing old: Level?) throws(SourceError) -> LoadedTree {
            let (number, epoch, loaded) = try source.current()
            (seen, self.epoch) = (number, epoch)
            return loaded
        }

        var isConnected: Bool? { source.state.withLock { $0.isConnected } }

        func savability(at path: ItemPath) -> Savability { .items }

        func addWaits(to waits: inout WaitSet) { if let wakeup { waits.add(wakeup.descriptor) } }

        func advance(at now: ContinuousClock.Instant) -> SourceReport? {
            let isWoken = wakeup?.reset() ?? false
            let (refusal, documents, causes) = source.state.withLock { ($0.refusal, $0.documents, $0.causes) }
            if let refusal { return isWoken ? .failed(refusal) : nil }
            if source.state.withLock({ $0.epoch != epoch || $0.lost > seen }) { return .arrived }
            if source.takeOtherRows() { return .committed }
            defer { (seen, isAsked) = (documents.count - 1, false) }
            guard seen < documents.count - 1 else { return isAsked ? .confirmed : nil }
            return .advanced(
                (seen + 1..<documents.count).map { number in
                    TreeAdvance(to: documents[number], revision: revision(number), cause: causes[number])
                })
        }

        func revision(_ number: Int) -> SourceRevision { MemorySource.revision(number, epoch: epoch) }

        func beginEdits() throws(EditRefusal) -> any EditGroup {
            Group(self, source.state.withLock { $0.documents[seen] })
        }
    }

    private final class Group: EditGroup {
        private let watcher: Watcher
        private let base: Level
        private var session: EditSession
        /// After each request that was applied.
        private var documents: [Level] = []

        init(_ watcher: Watcher, _ base: Level) {
            (self.watcher, self.base) = (watcher, base)
            session = EditSession(document: base, syntax: .binary)
        }

        /// The states that differ from the one before.
        private var states: [Level] {
            zip([base] + documents, documents).compactMap { $0.hash == $1.hash ? nil : $1 }
        }

        func apply(_ batch: EditBatch, by author: String?) throws(EditRefusal) -> EditedTree? {
            var next = session
            let items = try next.apply(batch)
            session = next
            return edited(session.document, items)
        }

        private func edited(_ document: Level, _ items: [EditedItem]) -> EditedTree {
            documents.append(document)
            return EditedTree(
                document: document, revision: watcher.revision(watcher.seen + states.count), items: items)
        }

        func replaceDocument(with bytes: [UInt8], by author: String?) throws(EditRefusal) -> EditedTree {
            do {
                return edited(try MemorySource.document(String(decoding: bytes, as: UTF8.self)), [])
            } catch {
                throw EditRefusal(.invalid(pointer: nil), detail: "The document would be refused: \(error.reason).")
            }
        }

        func save() throws(SaveError) -> Fingerprint? {
            let (watcher, states) = (watcher, states)
            let failure: SaveError? = watcher.source.state.withLock { state in
                state.saves += 1
                if !state.failures.isEmpty { return state.failures.removeFirst() }
                guard state.documents.count - 1 == watcher.seen else { return .changedMeanwhile }
                state.documents += states
                state.causes += states.map { _ in .edit(author: nil) }
                return nil
            }
            if let failure { throw failure }
            watcher.seen += states.count
            return nil
        }

        func finish() {}
    }
}

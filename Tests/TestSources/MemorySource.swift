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
        /// Why nothing can be read now.
        var refusal: SourceError?
        /// Fails the saves, the first one first.
        var failures: [SaveError] = []
        var saves = 0
        var wakeups: [Wakeup] = []
    }

    public let name: String
    private let state: Guarded<State>
    /// A title that no row of the first level may have.
    public static let forbidden = "forbidden"

    /// - Parameter json: the first document.
    /// - Throws: `PropertyListError` if it is not one.
    public init(_ json: String, name: String = "memory:test") throws {
        self.name = name
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
    public func commit(_ json: String) throws {
        let document = try Self.document(json)
        change { state in
            state.documents.append(document)
            state.refusal = nil
        }
    }

    /// Has nothing read until the next commit.
    public func spoil(_ reason: String) {
        let error = SourceError(name, reason)
        change { $0.refusal = error }
    }

    /// Has the next saves fail.
    public func failSaves(with failures: SaveError...) { state.withLock { $0.failures = failures } }

    /// How many saves were begun.
    public var saves: Int { state.withLock { $0.saves } }

    private func change(_ body: (inout State) -> Void) {
        let wakeups = state.withLock { state in
            body(&state)
            return state.wakeups
        }
        for wakeup in wakeups { wakeup.signal() }
    }

    // MARK: A source

    /// The revision of a state by its number, which the source names.
    private static func revision(_ number: Int) -> SourceRevision {
        SourceRevision("memory-\(number)", date: 1_000 + Double(number))
    }

    public func load(replacing old: Level?) throws(SourceError) -> LoadedTree { try current().loaded }

    private func current() throws(SourceError) -> (number: Int, document: Level, loaded: LoadedTree) {
        let (refusal, documents) = state.withLock { ($0.refusal, $0.documents) }
        if let refusal { throw refusal }
        let number = documents.count - 1
        do throws(PropertyListError) {
            let tree = try Self.tree("[]").edited(to: documents[number])
            return (number, documents[number], LoadedTree(tree: tree, revision: Self.revision(number)))
        } catch {
            throw SourceError(name, error.reason)
        }
    }

    public func makeWatcher() -> any SourceWatcher { Watcher(self) }

    private final class Watcher: SourceWatcher {
        let source: MemorySource
        /// The number of the state that was loaded, or reported, last.
        var seen = 0
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
            let (number, _, loaded) = try source.current()
            seen = number
            return loaded
        }

        func savability(at path: ItemPath) -> Savability { .items }

        func addWaits(to waits: inout WaitSet) { if let wakeup { waits.add(wakeup.descriptor) } }

        func advance(at now: ContinuousClock.Instant) -> SourceReport? {
            let isWoken = wakeup?.reset() ?? false
            let (refusal, documents) = source.state.withLock { ($0.refusal, $0.documents) }
            if let refusal { return isWoken ? .failed(refusal) : nil }
            defer { (seen, isAsked) = (documents.count - 1, false) }
            guard seen < documents.count - 1 else { return isAsked ? .confirmed : nil }
            return .advanced(
                (seen + 1..<documents.count).map { number in
                    TreeAdvance(
                        to: documents[number], revision: revision(number), cause: .edit(author: "another program"))
                })
        }

        func revision(_ number: Int) -> SourceRevision { MemorySource.revision(number) }

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
            session = EditSession(base, syntax: .binary)
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
                throw EditRefusal(.invalid(pointer: nil), "The document would be refused: \(error.reason).")
            }
        }

        func save() throws(SaveError) -> Fingerprint? {
            let (watcher, states) = (watcher, states)
            let failure: SaveError? = watcher.source.state.withLock { state in
                state.saves += 1
                if !state.failures.isEmpty { return state.failures.removeFirst() }
                guard state.documents.count - 1 == watcher.seen else { return .changedMeanwhile }
                if let number = documents.firstIndex(where: Self.isForbidden) {
                    return .refused(
                        number: number, EditRefusal(.invalid(pointer: nil), "The source forbids this title."))
                }
                state.documents += states
                return nil
            }
            if let failure { throw failure }
            watcher.seen += states.count
            return nil
        }

        private static func isForbidden(_ document: Level) -> Bool {
            guard let level = document.child(0) else { return false }
            return level.rowNumbers.contains { level.title($0) == MemorySource.forbidden }
        }

        func finish() {}
    }
}

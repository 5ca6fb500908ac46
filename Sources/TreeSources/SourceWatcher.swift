public import Levels
public import Threads

/// Watches a source for one thread, without ever blocking it, and loads the source on that thread.
///
/// The thread drives any number of watchers: it collects what they wait for, waits for all of it at once, and advances
/// each. Only that thread may use a watcher. A watcher of a composed source drives those of its parts
/// (`WatcherGroup`).
public protocol SourceWatcher: AnyObject {
    /// Determines again what to watch; every change from here on is reported.
    func arm()

    /// Requests the current state of the source.
    ///
    /// - Returns: true if it can be loaded at once; else it is reported when it was fetched, or that it cannot be.
    func refresh() -> Bool

    /// Loads the file, or the document that was fetched last. A first load without one fetches it, and blocks.
    ///
    /// - Parameter old: the tree this one will replace; levels with the same content are shared with it.
    /// - Throws: `SourceError` if no tree can be loaded; nothing has changed then.
    func load(replacing old: Level?) throws(SourceError) -> LoadedTree

    /// The state of what a load would read now; nil if only a load can tell. Cheap to call.
    var fingerprint: Fingerprint? { get }

    /// What can be saved of an edit at a path of the tree that was loaded last. Cheap to call.
    ///
    /// The parts of a composed source answer for their own items.
    func savability(at path: ItemPath) -> Savability

    /// Whether some program has a file of the source open for writing, and so will probably save it; false if the system
    /// does not tell. Cheap to call.
    var isBeingWritten: Bool { get }

    /// Begins edits of the tree that was loaded last.
    ///
    /// - Throws: `EditRefusal` if nothing of the source can be edited, and why.
    func beginEdits() throws(EditRefusal) -> any EditGroup

    /// Adds the descriptors and the point in time at which there is something to do.
    func addWaits(to waits: inout WaitSet)

    /// Does what is due, without blocking.
    ///
    /// - Parameter now: the time of this turn of the thread's loop, the same for all its watchers.
    /// - Returns: what happened; nil if nothing did. If there is more to report, the next wait ends at once.
    func advance(at now: ContinuousClock.Instant) -> SourceReport?
}

extension SourceWatcher {
    /// Nobody can be seen writing to it.
    public var isBeingWritten: Bool { false }

    public func beginEdits() throws(EditRefusal) -> any EditGroup {
        if case .nothing(let refusal) = savability(at: .root) { throw EditRefusal(refusal) }
        throw EditRefusal(.conflict, "The document cannot be edited here; edit it in its own place.")
    }
}

/// What happened to a watched source.
public enum SourceReport: Sendable, Equatable {
    /// The source may have changed, and may soon change again, as in the steps of a save.
    case changed
    /// A complete document was fetched and can be loaded.
    case arrived
    /// The source was requested and has not changed since the last load.
    case confirmed
    /// The source was requested and returned no document.
    case failed(SourceError)
}

/// The watchers of a composed source's parts, driven together.
///
/// Parts can be added and removed between any two turns of the thread's loop, as mounts are with each load.
public struct WatcherGroup<Part: Hashable> {
    /// What happened to one part.
    public struct Report {
        /// The part.
        public let part: Part
        /// What happened to it.
        public let report: SourceReport
    }

    private struct Member {
        let watcher: any SourceWatcher
        /// Counts the members in the order in which they were added.
        let number: Int
    }

    private var members: [Part: Member] = [:]
    private var added = 0

    /// Creates a group without parts.
    public init() {}

    /// The watcher of a part; nil if the group does not have the part. A new watcher replaces the previous one.
    public subscript(part: Part) -> (any SourceWatcher)? {
        get { members[part]?.watcher }
        set {
            guard let newValue else {
                members[part] = nil
                return
            }
            members[part] = Member(watcher: newValue, number: members[part]?.number ?? added)
            added += 1
        }
    }

    /// The parts, in the order in which they were added.
    public var parts: [Part] { ordered.map(\.key) }

    private var ordered: [(key: Part, value: Member)] { members.sorted { $0.value.number < $1.value.number } }

    /// The state of all parts together; nil if only a load can tell that of one of them.
    public var fingerprint: Fingerprint? { Fingerprint(of: ordered.map(\.value.watcher.fingerprint)) }

    /// Adds what the parts wait for.
    public func addWaits(to waits: inout WaitSet) {
        for member in members.values { member.watcher.addWaits(to: &waits) }
    }

    /// Does what is due in all parts, without blocking.
    ///
    /// - Returns: what happened, part by part in the order in which they were added.
    public func advance(at now: ContinuousClock.Instant) -> [Report] {
        var reports: [(number: Int, report: Report)] = []
        for (part, member) in members {
            guard let report = member.watcher.advance(at: now) else { continue }
            reports.append((member.number, Report(part: part, report: report)))
        }
        return reports.sorted { $0.number < $1.number }.map(\.report)
    }
}

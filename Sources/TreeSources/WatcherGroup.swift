public import Threads

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

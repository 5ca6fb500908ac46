import Bytes
import DrilldownDates
import Levels
import Locking
import PropertyLists
import TreeStore

/// The entries of `/changes`, one for each publication since the start, as far as a budget of bytes allows.
final class ChangeLog: Sendable {
    private let publications: Publications
    private let entries: Guarded<Entries>
    /// In bytes: half of the history's, so that the entries never crowd out the snapshots.
    private let budget: Int

    fileprivate struct Entries {
        /// By the number of the publication that each led from.
        var list: NumberedQueue<Change>
        /// The revision that the last entry led to, or from which the log began.
        var revision: String
        var cost = 0

        /// The number of the publication that the first entry led from.
        var first: Int { list.first }
        /// The number of the publication that the last entry led to.
        var last: Int { list.end }
    }

    /// The maximum number of entries: a client that missed more should reload.
    private static let limit = 2_048

    /// Creates an empty log, which begins with the current publication.
    init(_ publications: Publications) {
        self.publications = publications
        let start = publications.current
        entries = Guarded(
            Entries(list: NumberedQueue(first: start.number), revision: start.snapshot.revision))
        budget = publications.historyBytes / 2
    }

    /// Sets the publication that the first entry will lead from, unless an entry was appended.
    func begin(after start: Publication) {
        entries.withLock { entries in
            guard entries.list.count == 0, start.number > entries.first else { return }
            (entries.list, entries.revision) = (NumberedQueue(first: start.number), start.snapshot.revision)
        }
    }

    /// Appends the entry of the next publication, and forgets the oldest entries that exceed the limits.
    func append(_ change: Change, leadingTo publication: Publication) {
        let cost = entries.withLock { entries in
            if entries.list.count == 0 { entries.list = NumberedQueue(first: publication.number - 1) }
            entries.list.append(change)
            entries.revision = change.revision
            entries.cost += change.cost
            entries.shrink(to: budget, count: Self.limit)
            return entries.cost
        }
        publications.reserve(cost)
    }

    /// The revision of the last entry and the number of its publication.
    var now: (revision: String, number: Int) { entries.withLock { ($0.revision, $0.last) } }

    /// The number of the publication with a revision; nil if it is unknown, or entries after it were forgotten.
    func number(of revision: String) -> Int? {
        publications.number(of: revision).flatMap { number in
            entries.withLock { number >= $0.first ? number : nil }
        }
    }

    /// The entries after a revision, the oldest first; nil if it is unknown, or some were forgotten.
    func changes(since revision: String) -> [Change]? {
        publications.number(of: revision).flatMap { number in
            entries.withLock { $0.list.elements(from: number) }
        }
    }

    /// What follows a publication.
    enum Next {
        case change(Change)
        /// There is no later entry yet.
        case nothing
        /// Entries after it were forgotten; the log ends with this revision and number.
        case forgotten(revision: String, number: Int)
    }

    /// The entry after the publication with a number.
    func next(after number: Int) -> Next {
        entries.withLock { entries in
            if number >= entries.last { return .nothing }
            guard number >= entries.first else {
                return .forgotten(revision: entries.revision, number: entries.last)
            }
            return entries.list[number].map(Next.change) ?? .nothing
        }
    }
}

extension ChangeLog.Entries {
    fileprivate mutating func shrink(to budget: Int, count: Int) {
        while cost > budget || list.count > count, let forgotten = list.removeFirst() { cost -= forgotten.cost }
    }
}

/// What one publication changed: an entry of `/changes` (manual, Refresh).
///
/// It is a class, because one entry is sent to many clients and never changes.
final class Change: Sendable {
    /// The revisions before and after the publication.
    let since, revision: String
    /// The entry as an event of a stream.
    let event: [UInt8]
    /// The position of the entry in the event.
    private let entry: Range<Int>

    /// Compares two snapshots; linear in the levels that differ and their rows.
    ///
    /// - Parameter arrangements: keeps the orders of large levels.
    init(
        from old: Snapshot, to new: Snapshot, _ arrangements: ArrangementCache = ArrangementCache(bytes: 0)
    ) {
        since = old.revision
        revision = new.revision
        let difference = TreeDifference(from: old, to: new, arrangements)
        let json = Self.json(difference, of: new)
        event = Self.event(named: "change", revision: new.revision, data: json)
        entry = event.count - 2 - json.count..<event.count - 2
    }

    /// Writes the entry.
    func write(to writer: inout JSONPropertyListWriter) {
        let event = event
        writer.rawValue(event.span.extracting(entry))
    }

    /// The approximate memory use, in bytes.
    var cost: Int { event.count + 256 }

    /// Formats an event of a stream (HTML, section 9.2.5); the data must be one line.
    static func event(named name: String, revision: String, data: [UInt8]) -> [UInt8] {
        Array("event: \(name)\nid: \(revision)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    private static func json(_ difference: TreeDifference, of snapshot: Snapshot) -> [UInt8] {
        // This cannot fail: a JSON writer accepts any text, and every container is closed.
        do { return try written(difference, of: snapshot) } catch { return Array("{}".utf8) }
    }

    private static func written(
        _ difference: TreeDifference, of snapshot: Snapshot
    ) throws(PropertyListError) -> [UInt8] {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        try writer.member("revision", snapshot.revision)
        try writer.member("at", JSONText.date(snapshot.loadedAt.rounded(.down) - CivilDate.unixEpochOffset))
        try writer.member("by", snapshot.cause.text)
        try write(difference.levels, as: "levels", to: &writer)
        try write(difference.details, as: "details", to: &writer)
        if difference.isTruncated { writer.member("truncated", true) }
        writer.endObject()
        let body = try writer.body()
        return Array(copying: body.span)
    }

    private static func write(
        _ links: [String], as name: StaticString, to writer: inout JSONPropertyListWriter
    ) throws(PropertyListError) {
        writer.member(name)
        writer.beginList()
        for link in links { try writer.text(link) }
        writer.endList()
    }
}

extension Snapshot.Cause {
    /// Who made the change: a reload, or the holder of a token.
    fileprivate var text: String {
        switch self {
        case .load: "reload"
        case .edit(nil): "edit"
        case .edit(let author?): "edit \(author)"
        }
    }
}

import Bytes
import DrilldownDates
import HTTPServer
import Levels
import Locking
import PropertyLists
import TreeStore

/// The entries of `/changes`, one for each publication since the start. A budget of bytes limits the log.
final class ChangeLog: Sendable {
    private let publications: Publications
    /// The path with which all links begin.
    private let basePath: String
    private let entries: Guarded<Entries>
    /// The maximum cost of all entries, in bytes. It is half of the history's budget, so that snapshots have the other
    /// half.
    private let budget: Int

    fileprivate struct Entries {
        /// The entries. The number of an entry is the number of the publication before the entry.
        var list: NumberedQueue<Change>
        /// The revision of the last entry, or the revision with which the log began.
        var revision: String
        var cost = 0
    }

    /// The maximum number of entries; a client that missed more should reload.
    private static let limit = 16_384

    /// Creates a log that ends with the current publication. The log contains the entries that the publication's source
    /// has kept.
    init(_ publications: Publications, basePath: String = "") {
        self.publications = publications
        self.basePath = basePath
        budget = publications.historyBytes / 2
        entries = Guarded(Entries(endingWith: publications.current, under: basePath))
        publications.reserve(shrink())
    }

    /// Restarts the log at a publication, from which the next entry will lead. Does nothing if the log already ends
    /// with this publication or a later one.
    func begin(after start: Publication) {
        entries.withLock { if start.number > $0.list.end { $0 = Entries(endingWith: start, under: basePath) } }
    }

    /// Appends the entry of the next publication, and forgets the oldest entries beyond the limits.
    ///
    /// - Parameter old: the snapshot that was replaced. If the new snapshot does not continue the old one, all earlier
    ///   entries are forgotten.
    func append(
        _ publication: Publication, replacing old: Snapshot,
        arrangements: ArrangementCache = ArrangementCache(bytes: 0)
    ) {
        let new = publication.snapshot
        guard new.continues(old) else {
            entries.withLock { $0 = Entries(endingWith: publication, under: basePath) }
            return publications.reserve(shrink())
        }
        let missed = new.entries(after: old).dropLast().map { Change($0, under: basePath) }
        let last = Change(from: old, to: new, arrangements: arrangements, under: basePath)
        append(missed + [last], leadingTo: publication)
    }

    /// Appends consecutive entries. The last entry leads to the publication.
    func append(_ changes: [Change], leadingTo publication: Publication) {
        entries.withLock { entries in
            if entries.list.count == 0 { entries.list = NumberedQueue(first: publication.number - changes.count) }
            for change in changes { entries.append(change) }
        }
        publications.reserve(shrink())
    }

    /// Forgets the oldest entries beyond the limits; returns the cost of the remaining entries in bytes.
    private func shrink() -> Int {
        entries.withLock { entries in
            entries.shrink(to: budget, count: Self.limit)
            return entries.cost
        }
    }

    /// The revision of the last entry and the number of its publication.
    var now: (revision: String, number: Int) { entries.withLock { ($0.revision, $0.list.end) } }

    /// The number of the publication with a revision. Nil if the revision is unknown, or if entries after it were
    /// forgotten.
    func number(of revision: String) -> Int? {
        publications.number(of: revision).flatMap { number in
            entries.withLock { number >= $0.list.first ? number : nil }
        }
    }

    /// Whether a revision is newer than the published revision, as far as its name shows. The revision may come from
    /// another server.
    func isAhead(_ revision: String) -> Bool {
        let current = publications.current.snapshot
        guard current.isNamedBySource, publications.number(of: revision) == nil,
            let own = RevisionName(current.revision),
            let other = RevisionName(revision)
        else { return false }
        return other.epoch == own.epoch && other.number > own.number
    }

    /// The entries after a revision, the oldest first. Nil if the revision is unknown, or if entries after it were
    /// forgotten.
    func changes(since revision: String) -> [Change]? {
        publications.number(of: revision).flatMap { number in
            entries.withLock { $0.list.elements(from: number) }
        }
    }

    enum Next {
        case change(Change)
        case nothing
        /// The next entry was forgotten. The log now ends with this revision and number.
        case forgotten(revision: String, number: Int)
    }

    /// The entry after the publication with a number.
    func next(after number: Int) -> Next {
        entries.withLock { entries in
            if number >= entries.list.end { return .nothing }
            guard number >= entries.list.first else {
                return .forgotten(revision: entries.revision, number: entries.list.end)
            }
            return entries.list[number].map(Next.change) ?? .nothing
        }
    }
}

extension ChangeLog.Entries {
    /// Creates a list of the entries in the source's log that lead to a publication; empty for a source without a log.
    fileprivate init(endingWith publication: Publication, under basePath: String) {
        let changes = publication.snapshot.entries(after: nil).map { Change($0, under: basePath) }
        self.init(
            list: NumberedQueue(first: publication.number - changes.count), revision: publication.snapshot.revision)
        for change in changes { append(change) }
    }

    fileprivate mutating func append(_ change: Change) {
        list.append(change)
        revision = change.revision
        cost += change.cost
    }

    fileprivate mutating func shrink(to budget: Int, count: Int) {
        while cost > budget || list.count > count, let forgotten = list.removeFirst() { cost -= forgotten.cost }
    }
}

/// The change of one publication: an entry of `/changes` (manual, Refresh).
///
/// A class, because the same entry is sent to many clients, and never changes.
final class Change: Sendable {
    /// The revision of the publication.
    let revision: String
    /// The entry as an event of a stream.
    let event: [UInt8]
    /// The range of the entry within `event`.
    private let entry: Range<Int>

    /// Compares two snapshots. The time is linear in the levels that differ and in the rows of these levels.
    convenience init(
        from old: Snapshot, to new: Snapshot, arrangements: ArrangementCache = ArrangementCache(bytes: 0),
        under basePath: String = ""
    ) {
        let entry = RevisionEntry(name: new.revision, date: new.loadedAt, cause: new.cause)
        if case .importer = new.cause {
            self.init(entry, under: basePath)
        } else {
            let difference = TreeDifference(from: old, to: new, arrangements: arrangements)
            self.init(entry: entry, difference: difference, under: basePath)
        }
    }

    /// Makes an entry from the source's log. This log does not contain links, so the entry reports that everything may
    /// differ.
    convenience init(_ entry: RevisionEntry, under basePath: String) {
        self.init(entry: entry, difference: .everything, under: basePath)
    }

    private init(entry: RevisionEntry, difference: TreeDifference, under basePath: String) {
        revision = entry.name
        let json = Self.json(difference, entry: entry, under: basePath)
        event = Self.event(named: "change", revision: entry.name, data: json)
        self.entry = event.count - 2 - json.count..<event.count - 2
    }

    func write(to writer: inout JSONPropertyListWriter) {
        let event = event
        writer.rawValue(event.span.extracting(entry))
    }

    /// The approximate memory use, in bytes.
    var cost: Int { event.count + 256 }

    /// An event of a stream (HTML, section 9.2.5); the data must be one line.
    static func event(named name: String, revision: String, data: [UInt8]) -> [UInt8] {
        Array("event: \(name)\nid: \(revision)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }

    private static func json(_ difference: TreeDifference, entry: RevisionEntry, under basePath: String) -> [UInt8] {
        // The writer cannot fail: a JSON writer accepts any text, and every container is closed.
        do { return try written(difference, entry: entry, under: basePath) } catch { return Array("{}".utf8) }
    }

    private static func written(
        _ difference: TreeDifference, entry: RevisionEntry, under basePath: String
    ) throws(PropertyListError) -> [UInt8] {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        try writer.member("revision", entry.name)
        try writer.member("at", JSONText.date(entry.date.rounded(.down) - CivilDate.unixEpochOffset))
        try writer.member("by", entry.cause.description)
        try writer.member("levels", list: difference.levels, under: basePath)
        try writer.member("details", list: difference.details, under: basePath)
        if difference.isTruncated { writer.member("truncated", true) }
        writer.endObject()
        let body = try writer.body()
        return Array(copying: body.span)
    }
}

/// The events of one stream of `/changes`. The stream keeps a position in the log, not a buffer of its own.
///
/// A client receives `event: reset` if it reads so slowly that the log has forgotten the client's next entry.
final class ChangeStream: EventSource {
    private let log: ChangeLog
    private let state: Guarded<State>

    private struct State {
        /// The number of the publication to which the latest taken entry leads.
        var number: Int
        /// The text that is being sent. The first `sent` bytes of the text have been sent.
        var piece: [UInt8]
        var sent = 0
    }

    /// The time before a client connects again (HTML, section 9.2.6), in milliseconds.
    private static let retry = 2_000

    /// - Parameter since: the revision that the client has; nil to begin with the current revision.
    init(log: ChangeLog, since: String?) {
        self.log = log
        let head = "retry: \(Self.retry)\n"
        if let since {
            // An unknown revision counts as older than every entry.
            state = Guarded(State(number: log.number(of: since) ?? -1, piece: Array((head + "\n").utf8)))
        } else {
            let (revision, number) = log.now
            // Sends the revision at which the stream begins, so that the client can resume there even without an event.
            state = Guarded(State(number: number, piece: Array((head + "id: \(revision)\n\n").utf8)))
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        state.withLock { state in
            if state.sent == state.piece.count {
                guard takeUp(&state) else { return .nothing }
            }
            let count = min(buffer.count, state.piece.count - state.sent)
            unsafe buffer.copyBytes(from: state.piece[state.sent..<state.sent + count])
            state.sent += count
            return .bytes(count)
        }
    }

    /// Takes the next event from the log. Returns false at the end of the log.
    private func takeUp(_ state: inout State) -> Bool {
        switch log.next(after: state.number) {
        case .nothing: return false
        case .change(let change):
            state.piece = change.event
            state.number += 1
        case .forgotten(let revision, let number):
            state.piece = Change.event(
                named: "reset", revision: revision, data: Array("{\"revision\":\"\(revision)\",\"reset\":true}".utf8))
            state.number = number
        }
        state.sent = 0
        return true
    }
}

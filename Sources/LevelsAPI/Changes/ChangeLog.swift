import Levels
import Locking
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

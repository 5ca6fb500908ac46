import Levels
import Locking
import PropertyLists
import TreeStore

/// What was published before, as far as a budget of bytes allows: the entries of `/changes`, and the trees themselves.
///
/// A tree costs what the next one does not share with it.
final class History: Sendable {
    private let records: Guarded<Records>
    private let budget: Int

    /// One publication: what it changed, and the snapshot that it replaced.
    fileprivate struct Record {
        let change: Change
        /// Nil once its memory was wanted back, which is before the change itself is forgotten.
        var replaced: Snapshot?
        var cost: Int
    }

    fileprivate struct Records {
        var list: [Record] = []
        /// How many changes have been forgotten: the number of the first in the list.
        var forgotten = 0
        /// How many changes led to each revision that is remembered.
        var numbers: [String: Int]
        /// The revision of the last change, or of the first snapshot.
        var revision: String
        /// What has been replaced already, before it is known what that changed.
        var justReplaced: Snapshot?
        var cost = 0

        init(_ revision: String) {
            self.revision = revision
            numbers = [revision: 0]
        }

        /// What is kept of what was published before, the newest first.
        var snapshots: [Snapshot] {
            let older = list.reversed().prefix { $0.replaced != nil }.compactMap(\.replaced)
            return justReplaced.map { [$0] + older } ?? older
        }

        /// How many changes there have been.
        var count: Int { forgotten + list.count }
    }

    /// How many snapshots are kept at most, so that looking through them stays cheap.
    private static let keptSnapshots = 512
    /// How many changes are kept at most: a client that missed so many does better to load anew.
    private static let keptChanges = 2_048
    /// How many different states of one level are rendered in search of a version.
    private static let triedStates = 64

    /// - Parameter budget: in bytes; 0 remembers nothing.
    init(_ snapshot: Snapshot, budget: Int) {
        records = Guarded(Records(snapshot.revision))
        self.budget = budget
    }

    /// The revision of the last change, or of the first snapshot.
    var revision: String { records.withLock { $0.revision } }

    /// That revision, and how many changes led to it.
    var now: (revision: String, number: Int) { records.withLock { ($0.revision, $0.count) } }

    /// Remembers a snapshot that was replaced, for as long as it takes to find out what that changed.
    func retain(_ old: Snapshot) { records.withLock { $0.justReplaced = old } }

    /// Notes that a snapshot was replaced, and what that changed.
    ///
    /// Time is linear in the levels that differ and their rows. To be called by one thread at a time.
    func append(_ new: Snapshot, replacing old: Snapshot) {
        let change = Change(from: old, to: new)
        let cost = RetainedBytes.of(old.document, beside: new.document, atMost: budget)
        let dropped = records.withLock { records in
            records.list.append(Record(change: change, replaced: old, cost: cost + change.cost))
            records.revision = new.revision
            records.justReplaced = nil
            records.numbers[new.revision] = records.count
            records.cost += cost + change.cost
            return records.shrink(to: budget, snapshots: Self.keptSnapshots, changes: Self.keptChanges)
        }
        // Freed here, without the lock.
        _ = consume dropped
    }

    /// The changes after a revision, the oldest first; nil where it is unknown, or too long ago.
    func changes(since revision: String) -> [Change]? {
        records.withLock { records in
            records.numbers[revision].map { records.list[($0 - records.forgotten)...].map(\.change) }
        }
    }

    /// How many changes led to a revision; nil where it is unknown, or too long ago.
    func number(of revision: String) -> Int? { records.withLock { $0.numbers[revision] } }

    /// What follows a number of changes.
    enum Next {
        case change(Change)
        /// That is all up to now.
        case nothing
        /// That was too long ago; what there is now.
        case forgotten(revision: String, number: Int)
    }

    func next(after number: Int) -> Next {
        records.withLock { records in
            if number == records.count { return .nothing }
            guard number >= records.forgotten, number < records.count else {
                return .forgotten(revision: records.revision, number: records.count)
            }
            return .change(records.list[number - records.forgotten].change)
        }
    }

    /// The newest of the items that stood at a path and satisfy a condition; nil if none is remembered.
    ///
    /// - Parameter isSought: asked for different states of the item's level only, and not for many.
    func item(at path: ItemPath, butNot current: Item, _ isSought: (Item) -> Bool) -> Item? {
        var last = current
        var tried = 0
        for snapshot in records.withLock({ $0.snapshots }) {
            guard tried < Self.triedStates else { return nil }
            guard case .found(let item) = Item.find(path, in: snapshot.document), !item.hasSameLevel(as: last) else {
                continue
            }
            if isSought(item) { return item }
            last = item
            tried += 1
        }
        return nil
    }
}

extension History.Records {
    /// Forgets snapshots first, the oldest before the others, then changes; gives what was forgotten.
    fileprivate mutating func shrink(to budget: Int, snapshots: Int, changes: Int) -> [Snapshot] {
        var dropped: [Snapshot] = []
        for index in list.indices where cost > budget || list.count - index > snapshots {
            guard let snapshot = list[index].replaced else { continue }
            dropped.append(snapshot)
            list[index].replaced = nil
            cost -= list[index].cost - list[index].change.cost
            list[index].cost = list[index].change.cost
        }
        var first = 0
        while cost > budget || list.count - first > changes, first < list.count {
            cost -= list[first].cost
            numbers[list[first].change.since] = nil
            first += 1
        }
        list.removeFirst(first)
        forgotten += first
        return dropped
    }
}

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
        /// The published revision.
        var revision: String
        var cost = 0
    }

    /// How many snapshots are kept at most, so that looking through them stays cheap.
    private static let keptSnapshots = 512
    /// How many different states of one level are rendered in search of a version.
    private static let triedStates = 64

    /// - Parameter budget: in bytes; 0 remembers nothing.
    init(_ snapshot: Snapshot, budget: Int) {
        records = Guarded(Records(revision: snapshot.revision))
        self.budget = budget
    }

    /// The revision of the last change, or of the first snapshot.
    var revision: String { records.withLock { $0.revision } }

    /// Notes that a snapshot was replaced; gives the change, which is told to whoever waits for one.
    ///
    /// Time is linear in the levels that differ and their rows. To be called by one thread at a time.
    func append(_ new: Snapshot, replacing old: Snapshot) -> Change {
        let change = Change(from: old, to: new)
        let cost = RetainedBytes.of(old.document, beside: new.document, atMost: budget)
        let dropped = records.withLock { records in
            records.list.append(Record(change: change, replaced: old, cost: cost + change.cost))
            records.revision = new.revision
            records.cost += cost + change.cost
            return records.shrink(to: budget, snapshots: Self.keptSnapshots)
        }
        // Freed here, without the lock.
        _ = consume dropped
        return change
    }

    /// The changes after a revision, the oldest first; nil where it is unknown, or too long ago.
    func changes(since revision: String) -> [Change]? {
        records.withLock { records in
            if revision == records.revision { return [] }
            guard let first = records.list.firstIndex(where: { $0.change.since == revision }) else { return nil }
            return records.list[first...].map(\.change)
        }
    }

    /// The newest of the items that stood at a path and satisfy a condition; nil if none is remembered.
    ///
    /// - Parameter isSought: asked for different states of the item's level only, and not for many.
    func item(at path: ItemPath, butNot current: Item, _ isSought: (Item) -> Bool) -> Item? {
        var last = current
        var tried = 0
        for record in records.withLock({ $0.list }).reversed() {
            guard let snapshot = record.replaced, tried < Self.triedStates else { return nil }
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
    fileprivate mutating func shrink(to budget: Int, snapshots: Int) -> [Snapshot] {
        var dropped: [Snapshot] = []
        for index in list.indices where cost > budget || list.count - index > snapshots {
            guard let snapshot = list[index].replaced else { continue }
            dropped.append(snapshot)
            list[index].replaced = nil
            cost -= list[index].cost - list[index].change.cost
            list[index].cost = list[index].change.cost
        }
        var forgotten = 0
        while cost > budget, forgotten < list.count {
            cost -= list[forgotten].cost
            forgotten += 1
        }
        list.removeFirst(forgotten)
        return dropped
    }
}

import Levels
import Locking
import PropertyLists

/// What was published before, as far as a budget of bytes allows: the entries of `/changes`, and the trees themselves.
///
/// A tree costs what the next one does not share with it.
final class History: Sendable {
    private let records: Guarded<Records>
    private let versions: GivenVersions
    private let budget: Int

    /// One publication: what it changed, and the snapshot that it replaced.
    fileprivate struct Record {
        let change: Change
        /// Nil once its memory was wanted back, which is before the change itself is forgotten.
        var replaced: Snapshot?
        /// What the snapshot costs, while it is kept.
        var treeCost: Int
    }

    fileprivate struct Records {
        var list: [Record] = []
        /// How many changes have been forgotten: the number of the first in the list.
        var forgotten = 0
        /// How many changes led to each revision that is remembered, or announced.
        var numbers: [String: Int]
        /// The revision of the last change, or of the first snapshot.
        var revision: String
        /// What is being replaced, until it is known what that changed.
        var replaced: Snapshot?
        var changesCost = 0
        var treesCost = 0

        init(_ revision: String) {
            self.revision = revision
            numbers = [revision: 0]
        }

        /// What is kept of what was published before, the newest first.
        var snapshots: [Snapshot] {
            let older = list.reversed().prefix { $0.replaced != nil }.compactMap(\.replaced)
            return replaced.map { [$0] + older } ?? older
        }

        /// How many changes there have been.
        var count: Int { forgotten + list.count }

        /// An earlier snapshot, by how many changes led to it; nil for one that is not kept.
        func snapshot(_ number: Int) -> Snapshot? {
            if number == count { return replaced }
            return number < forgotten || number > count ? nil : list[number - forgotten].replaced
        }
    }

    /// How many snapshots are kept at most, so that looking through them stays cheap.
    private static let keptSnapshots = 512
    /// How many changes are kept at most: a client that missed so many does better to load anew.
    private static let keptChanges = 2_048

    /// - Parameter budget: in bytes; 0 remembers nothing.
    init(_ snapshot: Snapshot, budget: Int) {
        records = Guarded(Records(snapshot.revision))
        versions = GivenVersions(isEmpty: budget == 0)
        self.budget = budget
    }

    /// The revision of the last change, or of the first snapshot.
    var revision: String { records.withLock { $0.revision } }

    /// That revision, and how many changes led to it.
    var now: (revision: String, number: Int) { records.withLock { ($0.revision, $0.count) } }

    /// Notes that a snapshot will be replaced, before it is: whoever is served the new one can ask for what changed since
    /// either of them, though it is not known yet what that was.
    ///
    /// - Returns: the number of the new snapshot; that of the first is 0.
    @discardableResult
    func announce(_ new: Snapshot, replacing old: Snapshot) -> Int {
        records.withLock { records in
            let number = records.count + 1
            records.numbers[new.revision] = number
            if budget > 0 { records.replaced = old }
            return number
        }
    }

    /// Notes what a replacement changed that was announced.
    ///
    /// Time is linear in the levels that differ and their rows. To be called by one thread at a time.
    func append(_ new: Snapshot, replacing old: Snapshot) {
        let change = Change(from: old, to: new)
        let cost = RetainedBytes.of(old.document, beside: new.document, atMost: budget)
        let dropped = records.withLock { records in
            records.list.append(Record(change: change, replaced: old, treeCost: cost))
            records.revision = new.revision
            records.replaced = nil
            records.changesCost += change.cost
            records.treesCost += cost
            return records.shrink(to: budget, snapshots: Self.keptSnapshots, changes: Self.keptChanges)
        }
        // Freed here, without the lock.
        _ = consume dropped
    }

    /// The changes after a revision, the oldest first; nil where it is unknown, or too long ago.
    func changes(since revision: String) -> [Change]? {
        records.withLock { records in
            records.numbers[revision].map { records.list.dropFirst($0 - records.forgotten).map(\.change) }
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
            if number >= records.count { return .nothing }
            guard number >= records.forgotten else {
                return .forgotten(revision: records.revision, number: records.count)
            }
            return .change(records.list[number - records.forgotten].change)
        }
    }

    /// Notes that a version of a level was rendered from the snapshot of a number.
    func note(_ version: ContentHash, number: Int) { versions.note(Version.words(version), number: number) }

    /// The item at a path in the earlier snapshot that a version was rendered from; nil if either is not held any more.
    func item(at path: ItemPath, havingGiven version: Version.Words) -> Item? {
        guard let number = versions.number(of: version),
            let snapshot = records.withLock({ $0.snapshot(number) }),
            case .found(let item) = Item.find(path, in: snapshot.document)
        else { return nil }
        return item
    }

    /// The items that stood at a path, the newest first: each has another level than the one after it.
    func items(at path: ItemPath, before current: Item) -> some Sequence<Item> {
        let state = (last: current, snapshots: records.withLock { $0.snapshots }.makeIterator())
        return sequence(state: state) { state in
            while let snapshot = state.snapshots.next() {
                guard case .found(let item) = Item.find(path, in: snapshot.document),
                    !item.hasSameLevel(as: state.last)
                else { continue }
                state.last = item
                return item
            }
            return nil
        }
    }
}

extension History.Records {
    /// Forgets what there is no room for; gives the snapshots among it.
    ///
    /// Changes have half of the budget, so that however many there were, they never crowd out the snapshots.
    fileprivate mutating func shrink(to budget: Int, snapshots: Int, changes: Int) -> [Snapshot] {
        forgetChanges(to: budget / 2, atMost: changes) + forgetSnapshots(to: budget - changesCost, atMost: snapshots)
    }

    private mutating func forgetChanges(to budget: Int, atMost count: Int) -> [Snapshot] {
        var first = 0
        while changesCost > budget || list.count - first > count, first < list.count {
            changesCost -= list[first].change.cost
            treesCost -= list[first].treeCost
            numbers[list[first].change.since] = nil
            first += 1
        }
        let dropped = list[..<first].compactMap(\.replaced)
        list.removeFirst(first)
        forgotten += first
        return dropped
    }

    /// The oldest go before the others.
    private mutating func forgetSnapshots(to budget: Int, atMost count: Int) -> [Snapshot] {
        var dropped: [Snapshot] = []
        for index in list.indices where treesCost > budget || list.count - index > count {
            guard let snapshot = list[index].replaced.take() else { continue }
            dropped.append(snapshot)
            treesCost -= list[index].treeCost
            list[index].treeCost = 0
        }
        return dropped
    }
}

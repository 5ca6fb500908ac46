import Levels

/// The snapshots that were replaced, the oldest first, as far as a budget of bytes allows.
///
/// A snapshot costs what its successor does not share with it. Revisions are remembered longer than snapshots.
struct KeptSnapshots {
    /// One publication that was replaced.
    private struct Record {
        let revision: String
        /// Nil after its memory was needed.
        var snapshot: Snapshot?
        /// In bytes; 0 until it is known, and after the snapshot was dropped.
        var cost = 0
    }

    private var records: [Record] = []
    /// The number of the publication of the first record.
    private var first = 0
    private var numbers: [String: Int]
    private var cost = 0

    /// How many snapshots are kept at most, so that looking through them stays cheap.
    private static let snapshotLimit = 512
    /// How many revisions are remembered at most: a client that missed so many publications should load anew.
    private static let revisionLimit = 2_048

    init(_ first: Publication) { numbers = [first.snapshot.revision: first.number] }

    /// Adds the publication that another one replaces.
    ///
    /// - Parameter isKept: whether its snapshot is kept, not only its revision.
    mutating func add(_ old: Publication, replacedBy new: Publication, isKept: Bool) {
        records.append(Record(revision: old.snapshot.revision, snapshot: isKept ? old.snapshot : nil))
        numbers[new.snapshot.revision] = new.number
    }

    /// Sets what keeping a snapshot costs, in bytes, if it is still kept.
    mutating func setCost(of number: Int, to bytes: Int) {
        let index = number - first
        guard records.indices.contains(index), records[index].snapshot != nil else { return }
        cost += bytes - records[index].cost
        records[index].cost = bytes
    }

    /// The number of the publication with a revision; nil if it is unknown or was too long ago.
    func number(of revision: String) -> Int? { numbers[revision] }

    /// The snapshot of a publication that was replaced; nil if it is not kept.
    func snapshot(_ number: Int) -> Snapshot? {
        let index = number - first
        return records.indices.contains(index) ? records[index].snapshot : nil
    }

    /// All snapshots that are kept, the newest first.
    var snapshots: [Snapshot] { records.reversed().prefix { $0.snapshot != nil }.compactMap(\.snapshot) }

    /// Drops what exceeds the limits, the oldest first; returns it, so that the caller frees it outside of its lock.
    mutating func shrink(to budget: Int) -> [Snapshot] {
        var dropped: [Snapshot] = []
        for index in records.indices where cost > budget || records.count - index > Self.snapshotLimit {
            guard let snapshot = records[index].snapshot.take() else { continue }
            dropped.append(snapshot)
            cost -= records[index].cost
            records[index].cost = 0
        }
        forgetRevisions()
        return dropped
    }

    private mutating func forgetRevisions() {
        while records.count > Self.revisionLimit {
            let revision = records.removeFirst().revision
            if numbers[revision] == first { numbers[revision] = nil }
            first += 1
        }
    }
}

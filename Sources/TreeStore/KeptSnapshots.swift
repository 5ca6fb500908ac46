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

    private var records: NumberedQueue<Record>
    /// The number of the first record whose snapshot may still be kept.
    private var firstKept: Int
    private var numbers: [String: Int]
    private var cost = 0

    /// How many snapshots are kept at most, so that looking through them stays cheap.
    private static let snapshotLimit = 512
    /// How many revisions are remembered at most: a client that missed so many publications should load anew.
    private static let revisionLimit = 2_048

    init(_ first: Publication) {
        records = NumberedQueue(first: first.number)
        firstKept = first.number
        numbers = [first.snapshot.revision: first.number]
    }

    /// Adds the publication that another one replaces.
    ///
    /// - Parameter isKept: whether its snapshot is kept, not only its revision.
    mutating func add(_ old: Publication, replacedBy new: Publication, isKept: Bool) {
        records.append(Record(revision: old.snapshot.revision, snapshot: isKept ? old.snapshot : nil))
        numbers[new.snapshot.revision] = new.number
    }

    /// Sets what keeping a snapshot costs, in bytes, if it is still kept.
    mutating func setCost(of number: Int, to bytes: Int) {
        guard var record = records[number], record.snapshot != nil else { return }
        cost += bytes - record.cost
        record.cost = bytes
        records[number] = record
    }

    /// The number of the publication with a revision; nil if it is unknown or was too long ago.
    func number(of revision: String) -> Int? { numbers[revision] }

    /// The snapshot of a publication that was replaced; nil if it is not kept.
    func snapshot(_ number: Int) -> Snapshot? { records[number]?.snapshot }

    /// All snapshots that are kept, the newest first.
    var snapshots: [Snapshot] { (firstKept..<records.end).reversed().compactMap { records[$0]?.snapshot } }

    /// Drops what exceeds the limits, the oldest first; returns it, so that the caller frees it outside of its lock.
    mutating func shrink(to budget: Int) -> [Snapshot] {
        var dropped: [Snapshot] = []
        while firstKept < records.end, cost > budget || records.end - firstKept > Self.snapshotLimit {
            if var record = records[firstKept], let snapshot = record.snapshot.take() {
                dropped.append(snapshot)
                cost -= record.cost
                record.cost = 0
                records[firstKept] = record
            }
            firstKept += 1
        }
        forgetRevisions()
        return dropped
    }

    private mutating func forgetRevisions() {
        while records.count > Self.revisionLimit {
            let number = records.first
            guard let record = records.removeFirst() else { return }
            if numbers[record.revision] == number { numbers[record.revision] = nil }
        }
    }
}

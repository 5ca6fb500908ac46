import Levels

/// The replaced snapshots, oldest first, as far as a budget of bytes allows.
///
/// The cost of a snapshot is the memory of the levels that its successor does not share. Revisions are remembered
/// longer than snapshots.
struct KeptSnapshots {
    /// A replaced publication.
    private struct Record {
        let revision: String
        /// The snapshot; nil if it was dropped or is not to be kept, and for a revision that was not published here.
        var snapshot: Snapshot?
        /// The cost of the snapshot in bytes; 0 before the cost is known, and after the snapshot was dropped.
        var cost = 0
    }

    private var records: NumberedQueue<Record>
    /// The number of the first record whose snapshot may still be kept.
    private var firstKept: Int
    private var numbers: [String: Int]
    private var cost = 0

    /// The largest number of kept snapshots. A search through all of them must stay cheap.
    private static let snapshotLimit = 512
    /// The largest number of remembered revisions. A client that missed more publications should load everything again.
    static let revisionLimit = 16_384

    init(_ first: Publication) {
        records = NumberedQueue()
        firstKept = first.number
        numbers = [:]
        add(first.snapshot.revisions(before: nil))
        numbers[first.snapshot.revision] = first.number
    }

    /// Adds a publication that is replaced by a new publication.
    ///
    /// - Parameter isKept: whether to keep the snapshot of the old publication in addition to its revision.
    mutating func add(_ old: Publication, replacedBy new: Publication, isKept: Bool) {
        records.append(Record(revision: old.snapshot.revision, snapshot: isKept ? old.snapshot : nil))
        // If the new snapshot begins another history, earlier publications do not belong to it, even if a revision of
        // the new history has the same name.
        if !new.snapshot.continues(old.snapshot) { numbers = [:] }
        add(new.snapshot.revisions(before: old.snapshot))
        numbers[new.snapshot.revision] = new.number
    }

    /// Adds revisions that were not published here.
    private mutating func add(_ revisions: [String]) {
        for revision in revisions {
            numbers[revision] = records.end
            records.append(Record(revision: revision))
        }
    }

    /// Sets the cost of a snapshot in bytes, if the snapshot is still kept.
    mutating func setCost(of number: Int, to bytes: Int) {
        guard var record = records[number], record.snapshot != nil else { return }
        cost += bytes - record.cost
        record.cost = bytes
        records[number] = record
    }

    /// The number of the publication with a revision; nil if the revision is unknown or forgotten.
    func number(of revision: String) -> Int? { numbers[revision] }

    /// The snapshot of a replaced publication; nil if the snapshot is not kept.
    func snapshot(_ number: Int) -> Snapshot? { records[number]?.snapshot }

    /// All kept snapshots, newest first.
    var snapshots: [Snapshot] { (firstKept..<records.end).reversed().compactMap { records[$0]?.snapshot } }

    /// Removes the oldest snapshots until the others are within the limits. Returns the removed snapshots, so that the
    /// caller can free them outside its lock.
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

/// Elements with consecutive numbers; the oldest are removed first.
///
/// Adding, removing and finding an element take constant time.
public struct NumberedQueue<Element> {
    /// A nil for each removed element, followed by the elements.
    private var slots: [Element?] = []
    private var removed = 0
    /// The number of the first element; in an empty queue, the number that the next element gets.
    public private(set) var first: Int

    /// Creates an empty queue.
    ///
    /// - Parameter first: the number of the first element.
    public init(first: Int = 0) { self.first = first }

    /// The number of elements.
    public var count: Int { slots.count - removed }

    /// The number that the next element gets.
    public var end: Int { first + count }

    /// The element with a number; nil if it was removed or has not yet been added.
    public subscript(number: Int) -> Element? {
        get { indices.contains(number) ? slots[number - first + removed] : nil }
        set { if indices.contains(number) { slots[number - first + removed] = newValue } }
    }

    /// The numbers of the elements.
    public var indices: Range<Int> { first..<end }

    /// The elements from a number on; nil if some of these elements were removed.
    public func elements(from number: Int) -> [Element]? {
        guard number >= first else { return nil }
        return slots.dropFirst(number - first + removed).compactMap(\.self)
    }

    /// Adds an element and gives it the next number.
    public mutating func append(_ element: Element) { slots.append(element) }

    /// Removes and returns the first element; nil if the queue is empty.
    @discardableResult
    public mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[removed].take()
        first += 1
        removed += 1
        // More than half of the array is unused, so moving the rest takes constant time per removed element.
        if removed >= 16, removed * 2 > slots.count {
            slots.removeFirst(removed)
            removed = 0
        }
        return element
    }
}

extension NumberedQueue: Sendable where Element: Sendable {}

/// The memory that an old tree takes in addition to a new tree: the memory of the levels that the trees do not share.
enum RetainedBytes {
    /// Counts the bytes of a snapshot's documents in all languages.
    static func of(_ old: Snapshot, beside new: Snapshot, atMost bound: Int) -> Int {
        var bytes = of(old.document, beside: new.document, atMost: bound)
        for variant in old.translations?.variants ?? [] {
            bytes += of(variant.document, beside: new.document(in: variant.number), atMost: bound)
        }
        return bytes
    }

    /// Counts the bytes of the levels that differ, until a bound is passed. The time is linear in the number of these
    /// levels and of their rows.
    static func of(_ old: Level, beside new: Level, atMost bound: Int) -> Int {
        var bytes = 0
        var waiting: [(old: Level, new: Level?)] = [(old, new)]
        while bytes <= bound, let (old, new) = waiting.popLast() {
            bytes += old.residentBytes
            for row in old.rowNumbers {
                guard let below = old.child(row) else { continue }
                let place = row < new?.count ?? 0 ? row : 0
                let other = old.row(sameAs: row, in: new, near: place).flatMap { new?.child($0) }
                if other?.hash != below.hash { waiting.append((below, other)) }
            }
        }
        return bytes
    }
}

extension Snapshot {
    /// Returns the revisions of the source's log between the replaced snapshot and this snapshot, oldest first.
    ///
    /// If this snapshot does not continue the replaced snapshot, the result contains all earlier revisions of the log.
    /// Its first element is then the name of the revision before the log; this name is empty if it is unknown.
    ///
    /// - Parameter old: the replaced snapshot; nil for the first snapshot.
    func revisions(before old: Snapshot?) -> [String] {
        let entries = entries(after: old)
        let between = entries.dropLast().map(\.name)
        if let old, continues(old) { return between }
        guard let first = entries.first else { return [] }
        return [RevisionName(first.name)?.previous.text ?? ""] + between
    }
}

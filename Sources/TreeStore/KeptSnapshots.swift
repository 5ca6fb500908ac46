import Levels

/// The snapshots that were replaced, the oldest first, as far as a budget of bytes allows.
///
/// A snapshot costs what its successor does not share with it. Revisions are remembered longer than snapshots.
struct KeptSnapshots {
    /// One publication that was replaced.
    private struct Record {
        let revision: String
        /// Nil after its memory was needed, and for a revision that was never published here.
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
    private static let revisionLimit = 16_384

    init(_ first: Publication) {
        records = NumberedQueue()
        firstKept = first.number
        numbers = [:]
        add(first.snapshot.revisions(before: nil))
        numbers[first.snapshot.revision] = first.number
    }

    /// Adds the publication that another one replaces.
    ///
    /// - Parameter isKept: whether its snapshot is kept, not only its revision.
    mutating func add(_ old: Publication, replacedBy new: Publication, isKept: Bool) {
        records.append(Record(revision: old.snapshot.revision, snapshot: isKept ? old.snapshot : nil))
        // What was published before is no part of the new history, even if a revision of that has the same name.
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

/// Elements with consecutive numbers; the oldest are removed first.
///
/// Adding, removing and finding an element take constant time.
public struct NumberedQueue<Element> {
    /// Those that were removed, as nil, then the elements.
    private var slots: [Element?] = []
    private var removed = 0
    /// The number of the first element, or of the next one that is added.
    public private(set) var first: Int

    /// Creates an empty queue.
    ///
    /// - Parameter first: the number of the first element.
    public init(first: Int = 0) { self.first = first }

    /// The number of elements.
    public var count: Int { slots.count - removed }

    /// The number after that of the last element.
    public var end: Int { first + count }

    /// The element with a number; nil if there is none.
    public subscript(number: Int) -> Element? {
        get { indices.contains(number) ? slots[number - first + removed] : nil }
        set { if indices.contains(number) { slots[number - first + removed] = newValue } }
    }

    /// The numbers of the elements.
    public var indices: Range<Int> { first..<end }

    /// The elements with a number and those after it; nil if there were elements with it that are removed.
    public func elements(from number: Int) -> [Element]? {
        guard number >= first else { return nil }
        return slots.dropFirst(number - first + removed).compactMap(\.self)
    }

    /// Adds an element with the next number.
    public mutating func append(_ element: Element) { slots.append(element) }

    /// Removes the first element; nil if there is none.
    @discardableResult
    public mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[removed].take()
        first += 1
        removed += 1
        // Half of the array has become useless, so that moving the rest is paid for.
        if removed >= 16, removed * 2 > slots.count {
            slots.removeFirst(removed)
            removed = 0
        }
        return element
    }
}

extension NumberedQueue: Sendable where Element: Sendable {}

/// The memory that it costs to keep a tree beside another one: the levels that the other does not share.
enum RetainedBytes {
    /// Counts the bytes of a snapshot's documents in all languages.
    static func of(_ old: Snapshot, beside new: Snapshot, atMost bound: Int) -> Int {
        var bytes = of(old.document, beside: new.document, atMost: bound)
        for variant in old.translations?.variants ?? [] {
            bytes += of(variant.document, beside: new.document(in: variant.number), atMost: bound)
        }
        return bytes
    }

    /// Counts the bytes until a bound is passed; linear in the levels that differ and their rows.
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
    /// The revisions that precede it and were not published: those of the source's log, and the one before them if no
    /// earlier one is known.
    ///
    /// - Parameter old: the snapshot that it replaces; nil for the first one.
    func revisions(before old: Snapshot?) -> [String] {
        let entries = entries(after: old)
        let between = entries.dropLast().map(\.name)
        if let old, continues(old) { return between }
        guard let first = entries.first else { return [] }
        return [RevisionName(first.name)?.previous.text ?? ""] + between
    }
}

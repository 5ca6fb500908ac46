internal import Bytes
internal import Glibc
internal import Heap
internal import Levels

/// Rows of `items` in memory, in the order of the document: by parent, section, position and id.
struct ItemTable {
    private struct Entry {
        let id: Int64
        /// `noParent` for the root.
        let parent: Int64
        let position: Int64
        let section: Int32
        /// The length of its text.
        let count: Int32
        let block: Int32
        /// The beginning of its text in the block.
        let offset: Int32
    }

    private static var noParent: Int64 { .min }

    /// The entries, in the order in which they were added.
    private var entries: [Entry] = []
    /// The texts, in several blocks, because one large array would be copied each time it grows.
    private var blocks: [[UInt8]] = []
    private static let blockBytes = 1 << 20
    /// Whether there was memory for all rows.
    private(set) var isComplete = true
    /// The numbers of the entries, in order; the root is the first.
    private var order: [Int32] = []
    /// The items that have rows, by id, with the numbers of these rows.
    private var below: [(id: Int64, rows: Range<Int>)] = []
    private var items: [Int64: Item.Step] = [:]

    var count: Int { entries.count }

    mutating func add(_ place: ItemPlace, fields: Span<UInt8>) {
        if (blocks.last?.capacity ?? 0) - (blocks.last?.count ?? 0) < fields.count {
            let size = max(fields.count, blocks.isEmpty ? 4_096 : Self.blockBytes)
            guard isComplete, MemoryBudget.hasRoom(forBuffer: size), blocks.count < Int32.max else {
                isComplete = false
                return
            }
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(size)
        }
        let last = blocks.count - 1
        let offset = blocks[last].count
        unsafe fields.withUnsafeBufferPointer { unsafe blocks[last].append(contentsOf: $0) }
        add(place, count: fields.count, block: last, offset: offset)
    }

    mutating func add(_ place: ItemPlace, text fields: [UInt8]) { add(place, fields: fields.span) }

    mutating func add(_ place: ItemPlace, item: Item.Step) {
        items[place.id] = item
        add(place, count: 0, block: 0, offset: 0)
    }

    private mutating func add(_ place: ItemPlace, count: Int, block: Int, offset: Int) {
        guard let count = Int32(exactly: count), let offset = Int32(exactly: offset), entries.count < Int32.max else {
            isComplete = false
            return
        }
        entries.append(
            Entry(
                id: place.id, parent: place.parent ?? Self.noParent, position: place.position,
                // No item has so many sections.
                section: Int32(clamping: place.section), count: count, block: Int32(block), offset: offset))
    }

    /// Puts the rows in order; they can be read then.
    mutating func sort() {
        var counts: [Int64: Int] = [:]
        forEachRun { parent, run in counts[parent, default: 0] += run.count }
        var ends: [Int64: Int] = [:]
        var end = 0
        // The root's row is before all others.
        for parent in counts.keys.sorted() {
            let count = counts[parent] ?? 0
            if parent != Self.noParent { below.append((parent, end..<end + count)) }
            ends[parent] = end
            end += count
        }
        var order = [Int32](repeating: 0, count: entries.count)
        forEachRun { parent, run in
            let start = ends[parent] ?? 0
            for (offset, number) in run.enumerated() { order[start + offset] = Int32(number) }
            ends[parent] = start + run.count
        }
        for (_, rows) in below where !isSorted(order[rows]) {
            order[rows].sort { precedes(entries[Int($0)], entries[Int($1)]) }
        }
        self.order = order
    }

    /// Calls a closure for the runs of entries that have one parent.
    private func forEachRun(_ body: (_ parent: Int64, _ run: Range<Int>) -> Void) {
        var start = 0
        while start < entries.count {
            let parent = entries[start].parent
            var end = start + 1
            while end < entries.count, entries[end].parent == parent { end += 1 }
            body(parent, start..<end)
            start = end
        }
    }

    private func isSorted(_ rows: ArraySlice<Int32>) -> Bool {
        zip(rows, rows.dropFirst()).allSatisfy { precedes(entries[Int($0)], entries[Int($1)]) }
    }

    private func precedes(_ one: Entry, _ other: Entry) -> Bool {
        (one.section, one.position, one.id) < (other.section, other.position, other.id)
    }

    /// The numbers of the rows below an item, by section, position and id.
    ///
    /// - Parameter hint: an index to try first: the search is O(1) if it is right, otherwise binary. It is set to the
    ///   index of the first item whose id is not less.
    func rows(below id: Int64, near hint: inout Int) -> Range<Int> {
        if hint >= below.count || id > below[hint].id || hint > 0 && id <= below[hint - 1].id {
            var (low, high) = (0, below.count)
            while low < high {
                let middle = (low + high) / 2
                if below[middle].id < id { low = middle + 1 } else { high = middle }
            }
            hint = low
        }
        return hint < below.count && below[hint].id == id ? below[hint].rows : 0..<0
    }

    func rows(below id: Int64) -> Range<Int> {
        var hint = 0
        return rows(below: id, near: &hint)
    }

    /// The ids of the items that have rows.
    var parents: some Sequence<Int64> { below.lazy.map(\.id) }

    func place(_ row: Int) -> ItemPlace {
        let entry = entries[Int(order[row])]
        return ItemPlace(
            id: entry.id, parent: entry.parent == Self.noParent ? nil : entry.parent, section: Int(entry.section),
            position: entry.position)
    }

    /// The item of a tree that a row stands for, with everything below it; nil for a row with text.
    func item(_ row: Int) -> Item.Step? { items.isEmpty ? nil : items[place(row).id] }

    /// The column `fields` of a row.
    func withFields<Result, Failure: Error>(
        _ row: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let entry = entries[Int(order[row])]
        let range = Int(entry.offset)..<Int(entry.offset) + Int(entry.count)
        guard !range.isEmpty else { return try body([UInt8]().span) }
        return try unsafe blocks[Int(entry.block)].withUnsafeBufferPointer { block throws(Failure) in
            try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: block[range])))
        }
    }

    /// Whether the fields of a row may contain a dictionary for a type that JSON lacks, as `{"$date":…}`.
    func mayHaveTypes(_ row: Int) -> Bool {
        withFields(row) { fields in
            unsafe fields.withUnsafeBytes { fields in
                guard let start = fields.baseAddress else { return false }
                return unsafe memchr(start, 0x24, fields.count) != nil
            }
        }
    }

    func fields(_ row: Int) -> [UInt8] { withFields(row) { Array(copying: $0) } }

    /// The number of the root's row; nil without one.
    var root: Int? { entries.isEmpty || place(0).id != 0 ? nil : 0 }
}

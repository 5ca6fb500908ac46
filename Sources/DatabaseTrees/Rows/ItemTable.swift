internal import Bytes
internal import Glibc
internal import Heap
internal import Levels

/// Rows of `items` in memory, in the order of the document: by parent, section, position and id.
struct ItemTable {
    private struct Entry {
        let id: Int64
        /// The id of the item above; `noParent` for the root.
        let parent: Int64
        let position: Int64
        let section: Int32
        /// The length of the item's text.
        let count: Int32
        let block: Int32
        /// The offset at which the item's text begins in the block.
        let offset: Int32
    }

    private static var noParent: Int64 { .min }

    /// The entries, in the order in which they were added.
    private var entries: [Entry] = []
    /// The texts, in several blocks, because one large array would be copied each time it grows.
    private var blocks: [[UInt8]] = []
    private static let blockBytes = 1 << 20
    /// Whether there was enough memory for all rows.
    private(set) var isComplete = true
    /// The numbers of the entries in the order of the document, the root first.
    private var order: [Int32] = []
    /// The items that have rows, in the order of their ids, each with the numbers of its rows.
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
                // Clamping changes nothing, because no item has more sections than `Int32.max`.
                section: Int32(clamping: place.section), count: count, block: Int32(block), offset: offset))
    }

    /// Puts the rows in order. Rows can be read only after this call.
    mutating func sort() {
        var counts: [Int64: Int] = [:]
        forEachRun { parent, run in counts[parent, default: 0] += run.count }
        var ends: [Int64: Int] = [:]
        var end = 0
        // `noParent` is less than all ids, so the root's row is the first.
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

    /// Calls a closure for each run of consecutive entries that have the same parent.
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
    /// - Parameter hint: the index to try first. The search is O(1) if the hint is right; otherwise, the search is
    ///   binary. When this returns, the hint is the index of the first item whose id is not less than `id`.
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

    /// The item of an existing tree that a row stands for, with everything below it; nil for a row with text.
    func item(_ row: Int) -> Item.Step? { items.isEmpty ? nil : items[place(row).id] }

    /// Calls a closure with the column `fields` of a row.
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

    /// Whether the fields of a row may contain a dictionary that stands for a type that JSON lacks, such as
    /// `{"$date":…}`.
    func mayHaveTypes(_ row: Int) -> Bool {
        withFields(row) { fields in
            unsafe fields.withUnsafeBytes { fields in
                guard let start = fields.baseAddress else { return false }
                return unsafe memchr(start, 0x24, fields.count) != nil
            }
        }
    }

    func fields(_ row: Int) -> [UInt8] { withFields(row) { Array(copying: $0) } }

    /// The number of the root's row; nil without a root.
    var root: Int? { entries.isEmpty || place(0).id != 0 ? nil : 0 }
}

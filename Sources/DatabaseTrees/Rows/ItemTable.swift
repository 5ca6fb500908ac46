internal import Bytes
internal import Glibc
internal import Heap
internal import Levels

/// Rows of `items` in memory, in the order in which they were added.
struct ItemRows {
    fileprivate struct Entry {
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

    fileprivate static var noParent: Int64 { .min }

    /// The entries, in the order in which they were added. They are in pages, and the texts are in blocks, because one
    /// large array would be copied each time it grows.
    private var pages: [[Entry]] = []
    private static let pageBits = 18
    private(set) var blocks: [[UInt8]] = []
    /// Each block is as large as all blocks before it, up to this size.
    private static let largestBlock = 8 << 20
    private var blockBytes = 0
    private(set) var count = 0
    /// Whether there was enough memory for all rows.
    private(set) var isComplete = true
    fileprivate private(set) var items: [Int64: Item.Step] = [:]

    mutating func add(_ place: ItemPlace, fields: Span<UInt8>) {
        if blocks.last.map({ $0.capacity - $0.count < fields.count }) ?? true {
            let size = max(fields.count, min(max(blockBytes, 4_096), Self.largestBlock))
            guard isComplete, MemoryBudget.hasRoom(forBuffer: size), blocks.count < Int32.max else {
                isComplete = false
                return
            }
            blocks.append(Self.empty(capacity: size))
            blockBytes += size
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
        let page = self.count >> Self.pageBits
        let needsPage = page == pages.count
        guard let bytes = Int32(exactly: count), let offset = Int32(exactly: offset), self.count < Int32.max,
            !needsPage || page == 0 || MemoryBudget.hasRoom(forBuffer: MemoryLayout<Entry>.stride << Self.pageBits)
        else {
            isComplete = false
            return
        }
        if needsPage {
            // The first page grows, because most tables have only a few rows.
            pages.append(page == 0 ? [] : Self.empty(capacity: 1 << Self.pageBits))
        }
        pages[page].append(
            Entry(
                id: place.id, parent: place.parent ?? Self.noParent, position: place.position,
                // Clamping changes nothing, because no item has more sections than `Int32.max`.
                section: Int32(clamping: place.section), count: bytes, block: Int32(block), offset: offset))
        self.count += 1
    }

    private static func empty<Element>(capacity: Int) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(capacity)
        return elements
    }

    fileprivate func entry(_ number: Int) -> Entry {
        pages[number >> Self.pageBits][number & (1 << Self.pageBits - 1)]
    }

    /// Calls a closure for each run of consecutive entries that have the same parent.
    fileprivate func forEachRun(_ body: (_ parent: Int64, _ run: Range<Int>) -> Void) {
        var start = 0
        while start < count {
            let parent = entry(start).parent
            var end = start + 1
            while end < count, entry(end).parent == parent { end += 1 }
            body(parent, start..<end)
            start = end
        }
    }
}

/// Rows of `items` in the order of the document: by parent, section, position and id.
///
/// A class of constants: copies of a structure would count a reference to each array, and variables of a class would be
/// checked for exclusive access, both once for each row.
final class ItemTable {
    private let rows: ItemRows
    /// The numbers of the entries in the order of the document, the root first.
    private let order: [Int32]
    /// The items that have rows, in the order of their ids, each with the numbers of its rows.
    private let below: [(id: Int64, rows: Range<Int>)]

    var count: Int { rows.count }

    /// Puts rows in order.
    init(_ rows: ItemRows) {
        var counts: [Int64: Int] = [:]
        rows.forEachRun { parent, run in counts[parent, default: 0] += run.count }
        var below: [(id: Int64, rows: Range<Int>)] = []
        var ends: [Int64: Int] = [:]
        var end = 0
        // `noParent` is less than all ids, so the root's row is the first.
        for parent in counts.keys.sorted() {
            let count = counts[parent] ?? 0
            if parent != ItemRows.noParent { below.append((parent, end..<end + count)) }
            ends[parent] = end
            end += count
        }
        var order = [Int32](repeating: 0, count: rows.count)
        rows.forEachRun { parent, run in
            let start = ends[parent] ?? 0
            for (offset, number) in run.enumerated() { order[start + offset] = Int32(number) }
            ends[parent] = start + run.count
        }
        func precedes(_ one: Int32, _ other: Int32) -> Bool {
            let (one, other) = (rows.entry(Int(one)), rows.entry(Int(other)))
            return (one.section, one.position, one.id) < (other.section, other.position, other.id)
        }
        for (_, range) in below where !zip(order[range], order[range].dropFirst()).allSatisfy(precedes) {
            order[range].sort(by: precedes)
        }
        (self.rows, self.order, self.below) = (rows, order, below)
    }

    /// The numbers of the rows below an item, by section, position and id.
    ///
    /// - Parameter hint: the index to try first. The search is O(1) if the hint is right; otherwise, the search is
    ///   binary. When this returns, the hint is the index of the first item whose id is not less than `id`.
    func rows(below id: Int64, near hint: inout Int) -> Range<Int> {
        if hint >= below.count || id > below[hint].id || hint > 0 && id <= below[hint - 1].id {
            hint = below.partitioningIndex { $0.id >= id }
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
        let entry = rows.entry(Int(order[row]))
        return ItemPlace(
            id: entry.id, parent: entry.parent == ItemRows.noParent ? nil : entry.parent, section: Int(entry.section),
            position: entry.position)
    }

    /// The item of an existing tree that a row stands for, with everything below it; nil for a row with text.
    func item(_ row: Int) -> Item.Step? { rows.items.isEmpty ? nil : rows.items[place(row).id] }

    /// Calls a closure with the column `fields` of a row.
    func withFields<Result, Failure: Error>(
        _ row: Int, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let entry = rows.entry(Int(order[row]))
        let range = Int(entry.offset)..<Int(entry.offset) + Int(entry.count)
        guard !range.isEmpty else { return try body([UInt8]().span) }
        return try unsafe rows.blocks[Int(entry.block)].withUnsafeBufferPointer { block throws(Failure) in
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
    var root: Int? { count == 0 || place(0).id != 0 ? nil : 0 }
}

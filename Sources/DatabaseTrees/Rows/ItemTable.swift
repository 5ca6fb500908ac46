internal import Heap
internal import Levels

/// Rows of `items` in memory, in the order of the document: by parent, section, position and id.
final class ItemTable {
    /// The content of a row.
    enum Content {
        /// The column `fields`.
        case fields([UInt8])
        /// An item of a tree, with everything below it.
        case item(Item.Step)
    }

    private struct Entry {
        let place: ItemPlace
        /// The range of its text; empty for an item of a tree.
        let text: Range<Int>
    }

    private var entries: [Entry] = []
    private var text: [UInt8] = []
    /// Whether there was memory for all rows.
    private(set) var isComplete = true
    private var isSorted = true
    /// The rows below each item.
    private var below: [Int64: Range<Int>] = [:]
    private var items: [Int64: Item.Step] = [:]

    var count: Int { entries.count }

    func add(_ place: ItemPlace, fields: Span<UInt8>) {
        let start = text.count
        if start + fields.count > text.capacity, !MemoryBudget.hasRoom(forBuffer: 2 * (start + fields.count)) {
            isComplete = false
        }
        guard isComplete else { return }
        unsafe fields.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
        add(Entry(place: place, text: start..<text.count))
    }

    func add(_ place: ItemPlace, text fields: [UInt8]) { add(place, fields: fields.span) }

    func add(_ place: ItemPlace, _ item: Item.Step) {
        items[place.id] = item
        add(Entry(place: place, text: 0..<0))
    }

    private func add(_ entry: Entry) {
        if let last = entries.last, !Self.precedes(last, entry) { isSorted = false }
        entries.append(entry)
    }

    private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
        let (one, other) = (one.place, other.place)
        // The root comes first.
        let (above, otherAbove) = (one.parent ?? .min, other.parent ?? .min)
        if above != otherAbove { return above < otherAbove }
        return (one.section, one.position, one.id) < (other.section, other.position, other.id)
    }

    /// Puts the rows in order; they can be read then.
    func sort() {
        if !isSorted { entries.sort(by: Self.precedes) }
        isSorted = true
        var start = 0
        while start < entries.count {
            let parent = entries[start].place.parent
            var end = start + 1
            while end < entries.count, entries[end].place.parent == parent { end += 1 }
            if let parent { below[parent] = start..<end }
            start = end
        }
    }

    /// The numbers of the rows below an item, by section, position and id.
    func rows(below id: Int64) -> Range<Int> { below[id] ?? 0..<0 }

    /// The ids of the items that have rows.
    var parents: some Sequence<Int64> { below.keys }

    func place(_ row: Int) -> ItemPlace { entries[row].place }

    func content(_ row: Int) -> Content {
        if let item = items[entries[row].place.id] { return .item(item) }
        return .fields(Array(text[entries[row].text]))
    }

    /// The number of the root's row; nil without one.
    var root: Int? { entries.first?.place.id == 0 ? 0 : nil }
}

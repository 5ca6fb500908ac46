@testable import TestDocuments

/// Items of unique titles, some levels deep, that come and go.
struct ChangingItems {
    var generator: SeededGenerator
    private var items: [PlainItem] = []
    private var made = 0
    private let isOrdered: Bool
    /// The titles of items that were given another number to be sorted by.
    private var moved: Set<String> = []

    init(seed: UInt64, isOrdered: Bool) {
        generator = SeededGenerator(seed: seed)
        self.isOrdered = isOrdered
        items = (0...generator.below(6)).map { _ in item(depth: 3) }
    }

    var document: String { #"{"SortBy":"\#(isOrdered ? "-Tag" : "")","Rows":\#(PlainItem.document(items))}"# }

    /// The paths of all items, in order.
    var paths: [String] { PlainRow.flattened(items).map { $0.path.joined(separator: "/") } }

    /// Whether neither the item at a path nor one above it was given another number.
    func isInPlace(_ path: String) -> Bool { moved.isDisjoint(with: path.split(separator: "/").map(String.init)) }

    /// Some items more and some less, and some with other numbers, anywhere.
    mutating func change() {
        var changed = items
        for _ in 0..<(isOrdered ? generator.below(3) : 0) { renumber(in: &changed) }
        for _ in 0..<generator.below(3) { insert(into: &changed) }
        for _ in 0..<generator.below(3) { remove(from: &changed) }
        items = changed
    }

    private mutating func item(depth: Int) -> PlainItem {
        made += 1
        let title = (isOrdered ? ["a", "b", "c"][generator.below(3)] : "n") + "\(made)"
        let children = depth > 0 ? (0..<generator.below(5)).map { _ in item(depth: depth - 1) } : []
        guard isOrdered else { return PlainItem(title: title, number: 0, children: children) }
        let orders = ["", #""SortBy":"Tag","#, #""SortBy":"-Tag,Title","#, #""GroupBy":"initial","SortBy":"Tag","#]
        return PlainItem(
            title: title, number: generator.below(5), children: children, order: orders[generator.below(4)])
    }

    private mutating func insert(into items: inout [PlainItem]) {
        if items.isEmpty || generator.one(in: 3) {
            items.insert(item(depth: generator.below(2)), at: generator.below(items.count + 1))
        } else {
            insert(into: &items[generator.below(items.count)].children)
        }
    }

    private mutating func renumber(in items: inout [PlainItem]) {
        guard !items.isEmpty else { return }
        let index = generator.below(items.count)
        if items[index].children.isEmpty || generator.one(in: 3) {
            items[index].number = generator.below(5)
            moved.insert(items[index].title)
        } else {
            renumber(in: &items[index].children)
        }
    }

    private mutating func remove(from items: inout [PlainItem]) {
        guard !items.isEmpty else { return }
        let index = generator.below(items.count)
        if items[index].children.isEmpty || generator.one(in: 4) {
            items.remove(at: index)
        } else {
            remove(from: &items[index].children)
        }
    }
}

@testable import TestDocuments

/// An item of a random document, kept in the plainest way: what listings show of it is computed with arrays alone.
struct PlainItem: Equatable {
    /// Unique among its siblings, so that it is the key too.
    var title: String
    var number: Int
    var children: [PlainItem]
    /// The order of the children as members, such as `"SortBy":"Title",`.
    var order = ""

    /// The document whose root has these children.
    static func document(_ items: [PlainItem]) -> String { "[" + items.map(\.json).joined(separator: ",") + "]" }

    private var json: String {
        #"{"Title":"\#(title)","Tag":\#(number),\#(order)"Children":\#(Self.document(children))}"#
    }

    /// Random items, some levels deep.
    static func random(depth: Int, using generator: inout SeededGenerator) -> [PlainItem] {
        var titles: Set<String> = []
        return (0..<generator.below(depth == 2 ? 24 : 5)).compactMap { _ in
            let title = title(using: &generator)
            guard titles.insert(title).inserted else { return nil }
            let children = depth > 0 ? random(depth: depth - 1, using: &generator) : []
            return PlainItem(title: title, number: generator.below(3), children: children)
        }
    }

    static func title(using generator: inout SeededGenerator) -> String {
        String((0...generator.below(3)).map { _ in Character(Unicode.Scalar(97 + UInt8(generator.below(5)))) })
    }
}

/// The expected answer about an item, with its position relative to the level of the answer.
struct PlainRow: Equatable {
    /// The titles from the level to the item, the item's own last.
    let path: [String]
    let item: PlainItem

    var title: String { item.title }
    var href: String { (item.children.isEmpty ? "/detail/" : "/levels/") + path.joined(separator: "/") }

    /// All items in document order, each followed by those below it.
    static func flattened(_ items: [PlainItem], below path: [String] = []) -> [PlainRow] {
        items.flatMap { item in
            let row = PlainRow(path: path + [item.title], item: item)
            return [row] + flattened(item.children, below: row.path)
        }
    }
}

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
}

/// The expected answer about an item, with its position relative to the level of the answer.
struct PlainRow: Equatable {
    /// The titles from the level to the item, the item's own last.
    let path: [String]
    let item: PlainItem

    /// All items in document order, each followed by those below it.
    static func flattened(_ items: [PlainItem], below path: [String] = []) -> [PlainRow] {
        items.flatMap { item in
            let row = PlainRow(path: path + [item.title], item: item)
            return [row] + flattened(item.children, below: row.path)
        }
    }
}

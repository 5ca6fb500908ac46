internal import PropertyLists

extension Slot {
    /// `Children` or `Rows`: the item's level, an array of items, or of arrays, which are sections.
    static let children = Slot("children", names: .role(.children), value: Expectation(array: .rows)) { name in
        "'\(quoted: name)' must be an array of items"
    }
}

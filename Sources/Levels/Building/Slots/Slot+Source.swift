internal import PropertyLists

extension Slot {
    /// `Source`: the path of a document whose root's level is the item's; in an item that has a level of its own, and
    /// with a value that is not text, an ordinary field.
    static let source = Slot(
        "source", names: .fixed([PartReference.sourceName]), value: Expectation(.text), check: .noName
    ) { name in "'\(quoted: name)' must be the path of a document" }
}

extension Slot {
    /// `Title`: the text that an item's row shows.
    ///
    /// For a weaker name, only the item's end determines whether its value is the title or any field.
    static let title = Slot(
        "title", names: .role(.title), value: Expectation(.text, .number, .boolean, .date), check: .firstName
    ) { _ in "a title must be text, a number or a date" }
}

internal import PropertyLists

extension Slot {
    /// `Sections`: the item's level, as an array of arrays and dictionaries or a dictionary of arrays.
    static let sections = Slot(
        "sections", names: .role(.sections), value: Expectation(dictionary: .list, array: .list), array: .sections,
        dictionary: .namedSections
    ) { name in "'\(quoted: name)' must be an array of sections or a dictionary of arrays" }
}

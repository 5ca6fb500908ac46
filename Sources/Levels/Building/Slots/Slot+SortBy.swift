internal import PropertyLists

extension Slot {
    /// `SortBy`: the order of the level below, as in the query option `sort`.
    static let sortBy = Slot("sortBy", names: .fixed(["SortBy"]), value: Expectation(.text), arrangesLevel: true) {
        name in
        "'\(quoted: name)' must be the names of fields as text, such as -Price,Title"
    }
}

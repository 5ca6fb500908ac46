internal import PropertyLists

extension Slot {
    /// `GroupBy`: the sections of the level below, as in the query option `group`.
    static let groupBy = Slot("groupBy", names: .fixed(["GroupBy"]), value: Expectation(.text), arrangesLevel: true) {
        name in
        "'\(quoted: name)' must be text: initial, or the name of a field"
    }
}

extension Slot {
    /// `TitleBy`: the field that is the title of a record.
    static let titleBy = Slot("titleBy", names: .fixed(["TitleBy"]), value: Expectation(.text)) { _ in
        "'TitleBy' must be the name of a field"
    }
}

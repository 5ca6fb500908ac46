internal import PropertyLists

/// The structural keys of a section that is a dictionary.
extension Slot {
    static let sectionTitle = heading("sectionTitle", names: .role(.title))
    static let sectionIndex = heading("sectionIndex", names: .fixed(["Index"]))
    static let sectionFooter = heading("sectionFooter", names: .fixed(["Footer"]))

    static let sectionRows = Slot("sectionRows", names: .role(.children), value: Expectation(array: .sectionRows)) {
        name in "'\(quoted: name)' must be an array of items"
    }

    private static func heading(_ name: String, names: Names) -> Slot {
        Slot(name, names: names, value: Expectation(.text, .number, .boolean, .date)) { _ in
            "a title must be text, a number or a date"
        }
    }
}

extension Slot {
    /// `SectionTitles`: the titles of sections that are arrays.
    static let sectionTitles = Slot(
        "sectionTitles", names: .role(.sectionTitles), value: Expectation(array: .value), isHidden: true
    ) { _ in "'SectionTitles' must be an array of titles" }
}

extension Slot {
    /// `SectionKeys`: the order of named sections.
    static let sectionKeys = Slot(
        "sectionKeys", names: .role(.sectionKeys), value: Expectation(array: .value), isHidden: true
    ) { _ in "'SectionKeys' must be an array of names" }
}

/// The tables of all slots: readers start here.
extension Slot {
    /// The structural keys of an item.
    static let ofItems: [Slot] = [
        .title,
        .key,
        .children,
        .sections,
        .sectionKeys,
        .sectionTitles,
        .source,
        .records,
        .drillBy,
        .titleBy,
        .type,
        .preferenceSpecifiers,
        .sortBy,
        .groupBy,
    ]

    /// The structural keys of a section that is a dictionary.
    static let ofSections: [Slot] = [
        .sectionTitle,
        .sectionRows,
        .sectionIndex,
        .sectionFooter,
        .sectionType,
    ]
}

internal import PropertyLists

/// Sections that are a list of arrays and dictionaries; `SectionTitles` gives the arrays their titles.
enum ListedSections: LevelStrategy {
    static func level(
        of rows: SetAsideRows, in item: GatheredItem, _ builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        var rows = rows
        let titles = try builder.texts(of: .sectionTitles, in: item) ?? []
        for (number, title) in titles.enumerated().prefix(rows.sections.count)
        where rows.sections[number].fields.isEmpty {
            rows.sections[number].title = title
        }
        return try builder.sectionedLevel(of: rows)
    }
}

extension ListRule {
    /// `Sections`, as an array.
    static let sections = ListRule(
        kind: .sectionList, elements: Expectation(dictionary: .section, array: .sectionRows), form: .sections,
        strategy: ListedSections.self)

    /// `Children`, as an array of arrays.
    static let arraysOfRows = ListRule(
        kind: .sectionList, elements: Expectation(array: .sectionRows), form: .arraysOfRows,
        strategy: ListedSections.self)
}

extension TreeBuilder {
    /// The level of rows in sections; without a row that is shown, it shows no section either.
    mutating func sectionedLevel(of rows: SetAsideRows) throws(PropertyListError) -> Level {
        var rows = rows
        if !rows.sections.contains(where: { !$0.isHidden && $0.count > 0 }) {
            warn("all sections are empty, so the item is a leaf", at: rows.position)
            for number in rows.sections.indices { rows.sections[number].isHidden = true }
        }
        return try level(of: rows)
    }
}

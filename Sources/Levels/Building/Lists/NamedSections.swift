internal import PropertyLists

/// Sections that are the entries of a dictionary, in the order of `SectionKeys`.
enum NamedSections: LevelStrategy {
    static func level(
        of rows: SetAsideRows, in item: GatheredItem, _ builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level {
        var rows = rows
        if let order = try builder.texts(of: .sectionKeys, in: item) { try arrange(&rows, by: order) }
        return try builder.sectionedLevel(of: rows)
    }

    /// Orders the sections; those that are not named are hidden and come last.
    ///
    /// - Throws: `PropertyListError` for a name that no section has, or a repeated one.
    private static func arrange(_ rows: inout SetAsideRows, by order: [String]) throws(PropertyListError) {
        var sections = rows.sections
        let numbers = Dictionary(
            uniqueKeysWithValues: sections.indices.map { (Array((sections[$0].title ?? "").utf8), $0) })
        var left = Set(sections.indices)
        let position = rows.position
        let listed = try order.map { (name) throws(PropertyListError) -> Int in
            guard let number = numbers[Array(name.utf8)], left.remove(number) != nil else {
                let isKnown = numbers[Array(name.utf8)] != nil
                let reason = isKnown ? "twice" : "but 'Sections' does not contain it"
                throw PropertyListError(
                    "'SectionKeys' names '\(quoted: name)' \(reason); name each section once", at: position)
            }
            return number
        }
        for number in left { sections[number].isHidden = true }
        let places = listed + left.sorted()
        rows.sections = places.map { sections[$0] }
        // A level has fewer sections than Int32 can count.
        for (number, place) in places.enumerated() {
            rows.sections[place].writtenShift = Int32(truncatingIfNeeded: number - place)
        }
        rows.followSections()
    }
}

extension ListRule {
    /// `Sections`, as a dictionary.
    static let namedSections = ListRule(
        kind: .namedSections, elements: Expectation(array: .sectionRows), form: .namedSections,
        strategy: NamedSections.self)
}

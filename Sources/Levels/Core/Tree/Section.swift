internal import Bytes

/// A run of consecutive rows of a level under one heading.
public struct Section: Sendable, Equatable {
    /// The heading; nil without one.
    public var title: String?
    /// The letter or word for a table's index strip; nil without one.
    public var index: String?
    /// The text below the rows; nil without one.
    public var footer: String?
    /// The number of the first row in the level.
    public var start: Int
    /// The number of rows.
    public var count: Int
    /// Whether the section is kept but not shown. `SectionKeys` omits the section, or all sections are empty.
    public var isHidden = false
    /// The difference between two section numbers, which is 0 unless `SectionKeys` changes the order. If this section
    /// has the number `n`, the section at place `n` of the document's dictionary has the number `n + writtenShift`. The
    /// version of the level does not depend on this difference.
    var writtenShift: Int32 = 0
    /// The packed fields of the section's dictionary, with a hole for the rows; empty if the section is an array.
    var fields: [UInt8] = []

    public init(rows: Int) { self.init(start: 0, count: rows) }

    /// A copy without the members that answers do not show.
    public var shown: Section { Section(title: title, index: index, footer: footer, start: start, count: count) }

    /// The numbers of the rows.
    public var rows: Range<Int> { start..<start + count }

    var residentBytes: Int {
        [title, index, footer].reduce(128 + fields.count) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// Creates a section that is not hidden and has no packed dictionary.
    public init(title: String? = nil, index: String? = nil, footer: String? = nil, start: Int, count: Int) {
        self.title = title
        self.index = index
        self.footer = footer
        self.start = start
        self.count = count
    }
}

extension Level {
    /// Returns the number of the section at a place in the document's dictionary. `SectionKeys` may give the sections
    /// another order.
    func writtenSection(_ place: Int) -> Int {
        guard form == .namedSections else { return place }
        let number = place + Int(allSections[place].writtenShift)
        return allSections.indices.contains(number) ? number : place
    }

    /// The number of rows of each section, including hidden sections; one number for a plain list.
    package var sectionCounts: [Int] { form == .rows ? [rowCount] : allSections.map(\.count) }

    /// The numbers of the shown sections, in the order of the document.
    package var sectionsAsWritten: [Int] {
        form == .rows ? [0] : allSections.indices.map(writtenSection).filter { !allSections[$0].isHidden }
    }

    /// The range of rows of each shown section, with the sections in the order of the document; one range for a plain
    /// list.
    package var rowsAsWritten: [Range<Int>] {
        guard form != .rows else { return [0..<count] }
        return sectionsAsWritten.map { allSections[$0].start..<allSections[$0].start + allSections[$0].count }
    }

    /// Whether the level has the same sections as another level, apart from the rows of the sections.
    package func hasSections(of other: Level) -> Bool {
        form == other.form && allSections.count == other.allSections.count
            && zip(allSections, other.allSections).allSatisfy { $0.withoutRows == $1.withoutRows }
    }
}

extension Section {
    fileprivate var withoutRows: Section {
        var section = self
        (section.start, section.count) = (0, 0)
        return section
    }

    /// Returns the sections of some rows of a list, without empty sections. `rows` are the positions of these rows in
    /// the list, in ascending order.
    static func dividing(_ rows: [Int], as sections: some Sequence<Section>) -> [Section] {
        var left: [Section] = []
        var start = 0
        for section in sections {
            let end = rows[start...].partitioningIndex { $0 >= section.start + section.count }
            if end > start {
                var shown = section.shown
                (shown.start, shown.count) = (start, end - start)
                left.append(shown)
            }
            start = end
        }
        return left
    }

    static func hiddenRows(in sections: [Section]) -> Int {
        sections.reduce(0) { $0 + ($1.isHidden ? $1.count : 0) }
    }

    /// Adds a place for rows to the section's dictionary, unless the dictionary has a place.
    mutating func addPlaceForRows(named name: String) {
        guard !fields.isEmpty, !PackedField.all(in: 0..<fields.count, of: fields.span).contains(where: \.isHole) else {
            return
        }
        var buffer = ByteBuffer(capacity: 16)
        buffer.appendPlace(named: name, form: .rows)
        fields += Array(copying: buffer.span)
    }
}

extension [Section] {
    /// Returns the sections with other numbers of rows, as a builder makes them. All sections are hidden if all listed
    /// sections are empty.
    ///
    /// - Parameters:
    ///   - listed: the number of sections that `SectionKeys` names.
    ///   - name: the name for rows in a section without a place for them.
    func holding(_ counts: [Int], listed: Int, rowsName name: String) -> [Section] {
        let isEmpty = !counts.prefix(listed).contains { $0 > 0 }
        var start = 0
        return indices.map { number in
            var section = self[number]
            section.start = start
            section.count = counts[number]
            section.isHidden = isEmpty || number >= listed
            if section.count > 0 { section.addPlaceForRows(named: name) }
            start += section.count
            return section
        }
    }
}

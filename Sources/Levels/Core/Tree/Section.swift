internal import Bytes

/// A run of consecutive rows of a level under one heading.
public struct Section: Sendable, Equatable {
    /// The heading; nil without one.
    public var title: String?
    /// The letter or word for a table's index strip.
    public var index: String?
    /// The text below the rows; nil without one.
    public var footer: String?
    /// The number of the first row, counted over the whole level.
    public var start: Int
    /// The number of rows.
    public var count: Int
    /// Whether `SectionKeys` omits it: kept for the document, but not shown.
    public var isHidden = false
    /// The number of the section that the document's dictionary has at this place, less the number of this section; not 0
    /// only if `SectionKeys` changes the order.
    ///
    /// The version of the level does not depend on it.
    var writtenShift: Int32 = 0
    /// The section's own dictionary, packed, with a hole in place of its rows; empty if it is a bare array.
    var fields: [UInt8] = []

    /// A section without a heading.
    public init(rows: Int) { self.init(start: 0, count: rows) }

    /// The section without the parts that are not shown.
    public var shown: Section { Section(title: title, index: index, footer: footer, start: start, count: count) }

    /// The numbers of the rows.
    public var rows: Range<Int> { start..<start + count }

    /// The approximate memory use, in bytes.
    var residentBytes: Int {
        [title, index, footer].reduce(128 + fields.count) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// A section with the parts that are shown.
    public init(title: String? = nil, index: String? = nil, footer: String? = nil, start: Int, count: Int) {
        self.title = title
        self.index = index
        self.footer = footer
        self.start = start
        self.count = count
    }
}

extension Level {
    /// The number of the section at a place in the document; `SectionKeys` may give named sections another order.
    func writtenSection(_ place: Int) -> Int {
        guard form == .namedSections else { return place }
        let number = place + Int(allSections[place].writtenShift)
        return allSections.indices.contains(number) ? number : place
    }
}

extension Section {
    /// The sections of the rows that remain of a longer list, without empty sections.
    ///
    /// - Parameters:
    ///   - rows: their positions in the longer list, in ascending order.
    ///   - sections: the sections of the longer list.
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

    /// Adds a place for rows to a section's dictionary if it has none.
    fileprivate mutating func addPlaceForRows(named name: String) {
        guard !fields.isEmpty, !PackedField.all(in: 0..<fields.count, of: fields.span).contains(where: \.isHole) else {
            return
        }
        var buffer = ByteBuffer(capacity: 16)
        buffer.appendPlace(named: name, form: .rows)
        fields += Array(copying: buffer.span)
    }
}

extension [Section] {
    /// The sections with other numbers of rows, as the builder leaves them.
    ///
    /// A level whose listed sections are all empty shows no sections.
    ///
    /// - Parameters:
    ///   - listed: how many of the sections `SectionKeys` names.
    ///   - name: the name of the rows in a section that had none so far.
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

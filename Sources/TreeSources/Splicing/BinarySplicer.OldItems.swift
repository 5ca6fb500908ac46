internal import Levels
internal import PropertyLists

/// The items of the older document and their objects.
extension BinarySplicer {
    /// An item of the older document, by the row numbers from the root's level down.
    mutating func item(at path: [Int]) throws(PropertyListError) -> OldItem {
        guard let row = path.last else { return root }
        let siblings = try rows(below: Array(path.dropLast()))
        let number = siblings.section(of: row)
        guard let level = siblings.level, number < siblings.sections.count,
            let elements = siblings.sections[number].elements
        else { throw .contradictoryEdit }
        let first = siblings.sections[number].rows.lowerBound
        return OldItem(
            step: Item.Step(level: level, row: row), object: try objects.element(row - first, of: elements))
    }

    /// The entries of an item's dictionary in the older document; none for a new item or one without a dictionary.
    mutating func entries(of origin: [Int]?) throws(PropertyListError) -> [[UInt8]: OldEntry] {
        guard let origin else { return [:] }
        let item = try item(at: origin)
        guard case .dictionary(let fields) = item.step.written else { return [:] }
        return try entries(of: item.object, fields)
    }

    mutating func entries(
        of object: Int, _ fields: [WrittenItem.Field]
    ) throws(PropertyListError) -> [[UInt8]: OldEntry] {
        let objects = Dictionary(
            try objects.lastEntries(of: object).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var entries: [[UInt8]: OldEntry] = [:]
        for field in fields {
            guard let object = objects[field.name] else { throw .notWhatWasRead }
            entries[field.name] = OldEntry(objects: object, field: field)
        }
        return entries
    }

    /// The rows of an item of the older document.
    mutating func rows(below path: [Int]) throws(PropertyListError) -> OldRows {
        if let rows = known[path] { return rows }
        let item = try item(at: path)
        var rows = OldRows(level: item.step.below)
        if let object = try place(of: item) { rows.sections = try sections(in: object, item.step) }
        known[path] = rows
        return rows
    }

    /// The sections of an item of the older document; none if they are in another form.
    mutating func sections(
        of origin: [Int]?, likewise form: LevelForm?
    ) throws(PropertyListError) -> [OldSection] {
        guard let origin, try item(at: origin).step.writtenForm == form else { return [] }
        return try rows(below: origin).sections
    }

    /// The dictionary of an item's named sections in the older document; nil if its rows are in another form.
    mutating func namedSections(of origin: [Int]) throws(PropertyListError) -> Int? {
        let item = try item(at: origin)
        return item.step.writtenForm == .namedSections ? try place(of: item) : nil
    }

    /// The object that an item's rows are in; nil without one.
    private mutating func place(of item: OldItem) throws(PropertyListError) -> Int? {
        switch item.step.writtenKind {
        case .string: return nil
        case .array: return item.object
        case .dictionary:
            guard let place = item.step.place else { return nil }
            return try objects.value(named: place.name, of: item.object)
        }
    }

    /// The sections in an object; one for a plain array of rows.
    private mutating func sections(in object: Int, _ step: Item.Step) throws(PropertyListError) -> [OldSection] {
        let written = step.writtenSections
        let values: [Int]
        switch step.writtenForm {
        case .rows, nil: values = [object]
        case .arraysOfRows, .sections:
            let elements = try objects.elements(of: object)
            values = try (0..<elements.count).map { number throws(PropertyListError) in
                try objects.element(number, of: elements)
            }
        case .namedSections:
            let named = Dictionary(
                try objects.lastEntries(of: object).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            values = try written.map { section throws(PropertyListError) in
                guard let value = named[section.name] else { throw .notWhatWasRead }
                return value
            }
        case .elements, .entries, .specifiers, .facets, .records: throw .contradictoryEdit
        }
        guard values.count == written.count else { throw .notWhatWasRead }
        var sections: [OldSection] = []
        for (section, value) in zip(written, values) {
            let elements = try elements(of: section, in: value)
            guard elements?.count ?? 0 == section.rows.count else { throw .notWhatWasRead }
            sections.append(OldSection(written: section, object: value, elements: elements))
        }
        return sections
    }

    private mutating func elements(
        of section: WrittenSection, in value: Int
    ) throws(PropertyListError) -> BinaryObjects.Elements? {
        guard let fields = section.fields else { return try objects.elements(of: value) }
        guard let place = fields.last(where: { $0.form != nil }) else { return nil }
        return try objects.elements(of: objects.value(named: place.name, of: value))
    }
}

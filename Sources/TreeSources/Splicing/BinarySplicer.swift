internal import Levels
internal import PropertyLists

/// Makes a binary document from an older one: what the edits did not touch keeps its objects.
struct BinarySplicer: ~Copyable {
    private var objects: BinaryObjects
    /// Takes the new document, from the root on: what is new, and references to objects that stay.
    private var writer: BinaryPropertyListWriter
    private let root: OldItem
    /// The rows of items of the older document, by the items' paths.
    private var known: [[Int]: OldRows] = [:]

    private static let nowhere = SourcePosition.byte(offset: 0)

    /// An item of the older document.
    private struct OldItem {
        let step: Item.Step
        let object: Int
    }

    /// The rows of an item of the older document: those of each array.
    private struct OldRows {
        let level: Level?
        var arrays: [(rows: Range<Int>, elements: BinaryObjects.Elements)] = []
    }

    /// An entry of an item's dictionary in the older document.
    private struct OldEntry {
        let objects: BinaryObjects.Entry
        let field: WrittenItem.Field
    }

    /// The document after edits.
    ///
    /// - Parameters:
    ///   - old: the document that was read from `input`, a level whose one row is the root item.
    ///   - new: the document after the edits.
    ///   - provenance: where the items of `new` were in `old`, for the root.
    /// - Throws: `PropertyListError` if the document must be written anew: its objects are not in the order of their
    ///   numbers, are not those of the old tree, or too few of them stay.
    /// - Complexity: O(file) time for the references of its objects; a byte of memory for each object.
    static func revision(
        of input: DocumentInput, old: Level, new: Level, _ provenance: Provenance
    ) throws(PropertyListError) -> BinaryRevision {
        var splicer = try BinarySplicer(BinaryObjects(input), old)
        try splicer.write(Item.Step(level: new, row: 0), by: provenance)
        return try BinaryRevision(of: splicer.objects, splicer.writer)
    }

    private init(_ objects: consuming BinaryObjects, _ old: Level) throws(PropertyListError) {
        root = OldItem(step: Item.Step(level: old, row: 0), object: objects.root)
        writer = try objects.additions()
        self.objects = objects
    }

    // MARK: Items

    /// Writes an item as a value.
    private mutating func write(_ new: Item.Step, by provenance: Provenance) throws(PropertyListError) {
        switch provenance {
        case .new: try writeAnew(new)
        case .same(let path): writer.value(try item(at: path).object)
        case .changed(nil, let runs): try write(new, runs, origin: nil)
        case .changed(let origin?, let runs): try write(new, runs, origin: origin)
        }
    }

    private mutating func writeAnew(_ new: Item.Step) throws(PropertyListError) {
        var walk = TreeWalk(new.level, row: new.row)
        try walk.finish(to: &writer)
    }

    private mutating func write(
        _ new: Item.Step, _ runs: [Provenance.Run]?, origin: [Int]?
    ) throws(PropertyListError) {
        switch new.written {
        case .string(let title): try writer.string(title.span)
        case .array: try writeRows(of: new, runs, origin)
        case .dictionary(let fields):
            let entries = try entries(of: origin)
            writer.beginDictionary(at: Self.nowhere)
            for field in fields {
                let old = entries[field.name]
                try writeKey(field.name, old?.objects)
                if field.form != nil {
                    if runs == nil, let old, old.field.form == field.form {
                        writer.value(old.objects.value)
                    } else {
                        try writeRows(of: new, runs, origin)
                    }
                } else if let old, old.field.form == nil, old.field.packed == field.packed {
                    writer.value(old.objects.value)
                } else {
                    try field.tell(to: &writer)
                }
            }
            try writer.endDictionary()
        }
    }

    private mutating func writeKey(_ name: [UInt8], _ old: BinaryObjects.Entry?) throws(PropertyListError) {
        if let old {
            writer.key(old.key, named: name.span)
        } else {
            try writer.key(name.span, at: Self.nowhere)
        }
    }

    /// The entries of an item's dictionary in the older document; none for a new item or one without a dictionary.
    private mutating func entries(of origin: [Int]?) throws(PropertyListError) -> [[UInt8]: OldEntry] {
        guard let origin else { return [:] }
        let item = try item(at: origin)
        guard case .dictionary(let fields) = item.step.written else { return [:] }
        // Of several entries with one name the last one counts, for readers too.
        let objects = Dictionary(try objects.entries(of: item.object).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        var entries: [[UInt8]: OldEntry] = [:]
        for field in fields {
            guard let object = objects[field.name] else { throw .notWhatWasRead }
            entries[field.name] = OldEntry(objects: object, field: field)
        }
        return entries
    }

    // MARK: Rows

    /// Writes the rows below an item, or its sections, as a value.
    private mutating func writeRows(
        of new: Item.Step, _ runs: [Provenance.Run]?, _ origin: [Int]?
    ) throws(PropertyListError) {
        let form = new.writtenForm
        if form?.isDrilled == true { throw .contradictoryEdit }
        let sections = new.writtenSections
        let runs = runs ?? [.same(0..<(new.below?.writtenRowCount ?? 0))]
        guard form != .rows else {
            return try writeArray(of: sections.first?.rows ?? 0..<0, of: new, runs, origin)
        }
        guard form == .namedSections else {
            writer.beginArray(at: Self.nowhere)
            for section in sections { try write(section, of: new, runs, origin) }
            return try writer.endArray()
        }
        let named = Dictionary(sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        let old = try namedSections(of: origin).filter { named[$0.name] != nil }
        let oldNames = Set(old.map(\.name))
        writer.beginDictionary(at: Self.nowhere)
        for entry in old {
            guard let number = named[entry.name] else { continue }
            try writeKey(entry.name, entry)
            try write(sections[number], of: new, runs, origin)
        }
        for section in sections where !oldNames.contains(section.name) {
            try writeKey(section.name, nil)
            try write(section, of: new, runs, origin)
        }
        try writer.endDictionary()
    }

    /// Writes a section, which is an array of rows or a dictionary with one.
    private mutating func write(
        _ section: WrittenSection, of new: Item.Step, _ runs: [Provenance.Run], _ origin: [Int]?
    ) throws(PropertyListError) {
        guard let fields = section.fields else { return try writeArray(of: section.rows, of: new, runs, origin) }
        writer.beginDictionary(at: Self.nowhere)
        for field in fields {
            try writeKey(field.name, nil)
            if field.form != nil {
                try writeArray(of: section.rows, of: new, runs, origin)
            } else {
                try field.tell(to: &writer)
            }
        }
        try writer.endDictionary()
    }

    /// Writes an array of some of the rows below an item.
    private mutating func writeArray(
        of rows: Range<Int>, of new: Item.Step, _ runs: [Provenance.Run], _ origin: [Int]?
    ) throws(PropertyListError) {
        writer.beginArray(at: Self.nowhere)
        var start = 0
        for run in runs {
            let part = (start..<start + run.count).clamped(to: rows)
            if !part.isEmpty, let level = new.below {
                switch run {
                case .row(let provenance): try write(Item.Step(level: level, row: start), by: provenance)
                case .same(let old):
                    let first = old.lowerBound + part.lowerBound - start
                    try writeSame(first..<first + part.count, of: level, from: part.lowerBound, origin)
                }
            }
            start += run.count
        }
        try writer.endArray()
    }

    /// Writes rows that an item had before, or those of a new item.
    private mutating func writeSame(
        _ old: Range<Int>, of level: Level, from first: Int, _ origin: [Int]?
    ) throws(PropertyListError) {
        guard let origin else {
            for offset in 0..<old.count { try writeAnew(Item.Step(level: level, row: first + offset)) }
            return
        }
        var left = old.count
        for (rows, elements) in try rows(below: origin).arrays {
            for row in old.clamped(to: rows) {
                writer.value(try objects.element(row - rows.lowerBound, of: elements))
                left -= 1
            }
        }
        guard left == 0 else { throw .contradictoryEdit }
    }

    // MARK: The older document

    /// An item of the older document, by the row numbers from the root's level down.
    private mutating func item(at path: [Int]) throws(PropertyListError) -> OldItem {
        guard let row = path.last else { return root }
        let siblings = try rows(below: Array(path.dropLast()))
        guard let level = siblings.level, let array = siblings.arrays.last(where: { $0.rows.contains(row) }) else {
            throw .contradictoryEdit
        }
        return OldItem(
            step: Item.Step(level: level, row: row),
            object: try objects.element(row - array.rows.lowerBound, of: array.elements))
    }

    /// The rows of an item of the older document.
    private mutating func rows(below path: [Int]) throws(PropertyListError) -> OldRows {
        if let rows = known[path] { return rows }
        let item = try item(at: path)
        var rows = OldRows(level: item.step.below)
        if let object = try place(of: item) {
            let sections = item.step.writtenSections
            for (section, object) in zip(sections, try arrays(of: object, item.step, sections)) {
                let elements = try objects.elements(of: object)
                guard elements.count == section.rows.count else { throw .notWhatWasRead }
                rows.arrays.append((section.rows, elements))
            }
        }
        known[path] = rows
        return rows
    }

    /// The object that an item's rows are in; nil without one.
    private mutating func place(of item: OldItem) throws(PropertyListError) -> Int? {
        switch item.step.writtenKind {
        case .string: return nil
        case .array: return item.object
        case .dictionary:
            guard let place = item.step.place else { return nil }
            return try value(named: place.name, of: item.object)
        }
    }

    private mutating func value(named name: [UInt8], of object: Int) throws(PropertyListError) -> Int {
        guard let entry = try objects.entries(of: object).last(where: { $0.name == name }) else {
            throw .notWhatWasRead
        }
        return entry.value
    }

    /// The entries of a dictionary of sections; none for rows in another form.
    private mutating func namedSections(of origin: [Int]?) throws(PropertyListError) -> [BinaryObjects.Entry] {
        guard let origin else { return [] }
        let item = try item(at: origin)
        guard item.step.writtenForm == .namedSections, let place = try place(of: item) else { return [] }
        var entries: [BinaryObjects.Entry] = []
        for entry in try objects.entries(of: place) {
            entries.removeAll { $0.name == entry.name }
            entries.append(entry)
        }
        return entries
    }

    /// The array of each section's rows.
    private mutating func arrays(
        of object: Int, _ step: Item.Step, _ sections: [WrittenSection]
    ) throws(PropertyListError) -> [Int] {
        let values: [Int]
        switch step.writtenForm {
        case .rows, nil: return [object]
        case .arraysOfRows, .sections:
            let elements = try objects.elements(of: object)
            guard elements.count == sections.count else { throw .notWhatWasRead }
            values = try (0..<elements.count).map { number throws(PropertyListError) in
                try objects.element(number, of: elements)
            }
        case .namedSections:
            let named = Dictionary(
                try objects.entries(of: object).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
            values = try sections.map { section throws(PropertyListError) in
                guard let value = named[section.name] else { throw .notWhatWasRead }
                return value
            }
        case .elements, .entries, .specifiers, .facets, .records: throw .contradictoryEdit
        }
        var arrays: [Int] = []
        for (section, value) in zip(sections, values) {
            guard let fields = section.fields else {
                arrays.append(value)
                continue
            }
            guard let place = fields.last(where: { $0.form != nil }) else { throw .notWhatWasRead }
            arrays.append(try self.value(named: place.name, of: value))
        }
        return arrays
    }
}

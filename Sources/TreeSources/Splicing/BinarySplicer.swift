internal import Levels
internal import PropertyLists

/// Makes a binary document from an older one: what the edits did not touch keeps its objects.
struct BinarySplicer: ~Copyable {
    var objects: BinaryObjects
    /// Takes the new document, from the root on: what is new, and references to objects that stay.
    private var writer: BinaryPropertyListWriter
    let root: OldItem
    /// The rows of items of the older document, by the items' paths.
    var known: [[Int]: OldRows] = [:]

    private static let nowhere = SourcePosition.byte(offset: 0)

    /// An item of the older document.
    struct OldItem {
        let step: Item.Step
        let object: Int
    }

    /// The rows of an item of the older document, by section.
    struct OldRows {
        let level: Level?
        var sections: [OldSection] = []

        /// The section with a row, or the first one behind it.
        func section(of row: Int) -> Int {
            var (low, high) = (0, sections.count)
            while low < high {
                let middle = (low + high) / 2
                if sections[middle].rows.upperBound <= row { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    /// A section of the older document, or all rows of an item without sections.
    struct OldSection {
        let written: WrittenSection
        /// Its array, or the dictionary that has its array.
        let object: Int
        /// The rows' references; nil for a section that has no array.
        let elements: BinaryObjects.Elements?

        var rows: Range<Int> { written.rows }
    }

    /// An entry of a dictionary in the older document.
    struct OldEntry {
        let objects: BinaryObjects.Entry
        let field: WrittenItem.Field
    }

    /// The rows of an item in the new document.
    private struct NewRows {
        let step: Item.Step
        let runs: [Provenance.Run]
        /// The first row of each run.
        let starts: [Int]
        /// The item's path in the older document; nil for a new one.
        let origin: [Int]?

        /// The run with a row.
        func run(of row: Int) -> Int { max(starts.firstIndex(from: row + 1) - 1, 0) }
    }

    /// The document after edits.
    ///
    /// - Parameters:
    ///   - old: the document that was read from `input`, a level whose one row is the root item.
    ///   - new: the document after the edits.
    ///   - provenance: where the items of `new` were in `old`, for the root.
    /// - Throws: `PropertyListError` if the document must be written anew: its objects are not in the order of their
    ///   numbers, are not those of the old tree, or too few of them stay.
    /// - Complexity: O(file) time for the references of its objects, and four bytes of memory for each of them.
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
            let old = try entries(of: origin)
            try write(fields, old) { (splicer, place, entry) throws(PropertyListError) in
                if runs == nil, let entry, entry.field.form == place.form {
                    splicer.writer.value(entry.objects.value)
                } else {
                    try splicer.writeRows(of: new, runs, origin)
                }
            }
        }
    }

    /// Writes a dictionary; values that are as in the older document keep their objects.
    ///
    /// - Parameter writePlace: writes the value of the place for rows.
    private mutating func write(
        _ fields: [WrittenItem.Field], _ old: [[UInt8]: OldEntry],
        writePlace: (inout BinarySplicer, WrittenItem.Field, OldEntry?) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        writer.beginDictionary(at: Self.nowhere)
        for field in fields {
            let entry = old[field.name]
            try writeKey(field.name, entry?.objects)
            if field.form != nil {
                try writePlace(&self, field, entry)
            } else if let entry, entry.field.form == nil, entry.field.packed == field.packed {
                writer.value(entry.objects.value)
            } else {
                try field.tell(to: &writer)
            }
        }
        try writer.endDictionary()
    }

    private mutating func writeKey(_ name: [UInt8], _ old: BinaryObjects.Entry?) throws(PropertyListError) {
        if let old {
            writer.key(old.key, named: name.span)
        } else {
            try writer.key(name.span, at: Self.nowhere)
        }
    }

    // MARK: Rows

    /// Writes the rows below an item, or its sections, as a value.
    private mutating func writeRows(
        of new: Item.Step, _ runs: [Provenance.Run]?, _ origin: [Int]?
    ) throws(PropertyListError) {
        let form = new.writtenForm
        if form?.isDrilled == true { throw .contradictoryEdit }
        let runs = runs ?? [.same(0..<(new.below?.writtenRowCount ?? 0))]
        var next = 0
        let starts = runs.map { run in
            defer { next += run.count }
            return next
        }
        let rows = NewRows(step: new, runs: runs, starts: starts, origin: origin)
        let sections = new.writtenSections
        switch form {
        case .rows, nil: try writeArray(of: sections.first?.rows ?? 0..<0, rows)
        case .namedSections: try writeNamed(sections, rows)
        default:
            let old = try self.sections(of: origin, likewise: form)
            writer.beginArray(at: Self.nowhere)
            for (number, section) in sections.enumerated() {
                try write(section, rows, old: old.count == sections.count ? old[number] : nil)
            }
            try writer.endArray()
        }
    }

    /// Writes a dictionary of sections; those that were there stay in their order.
    private mutating func writeNamed(_ sections: [WrittenSection], _ rows: NewRows) throws(PropertyListError) {
        var left = Dictionary(sections.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
        writer.beginDictionary(at: Self.nowhere)
        if let origin = rows.origin, let place = try namedSections(of: origin) {
            let old = Dictionary(
                try self.rows(below: origin).sections.map { ($0.written.name, $0) }, uniquingKeysWith: { $1 })
            for entry in try objects.lastEntries(of: place) {
                guard let number = left.removeValue(forKey: entry.name) else { continue }
                try writeKey(entry.name, entry)
                try write(sections[number], rows, old: old[entry.name])
            }
        }
        for (number, section) in sections.enumerated() where left[section.name] == number {
            try writeKey(section.name, nil)
            try write(section, rows, old: nil)
        }
        try writer.endDictionary()
    }

    /// Writes a section, which is an array of rows or a dictionary with one.
    private mutating func write(
        _ section: WrittenSection, _ rows: NewRows, old: OldSection?
    ) throws(PropertyListError) {
        if let old, old.written.hasSameFields(as: section), isUnchanged(section.rows, rows, since: old.rows) {
            return writer.value(old.object)
        }
        guard let fields = section.fields else { return try writeArray(of: section.rows, rows) }
        var entries: [[UInt8]: OldEntry] = [:]
        if let old, let fields = old.written.fields { entries = try self.entries(of: old.object, fields) }
        try write(fields, entries) { (splicer, _, _) throws(PropertyListError) in
            try splicer.writeArray(of: section.rows, rows)
        }
    }

    /// Whether rows are exactly those that were at a place before.
    private func isUnchanged(_ new: Range<Int>, _ rows: NewRows, since old: Range<Int>) -> Bool {
        guard !new.isEmpty else { return old.isEmpty }
        let run = rows.run(of: new.lowerBound)
        guard rows.origin != nil, rows.runs.indices.contains(run), case .same(let same) = rows.runs[run] else {
            return false
        }
        let first = same.lowerBound + new.lowerBound - rows.starts[run]
        return first..<first + new.count == old && old.upperBound <= same.upperBound
    }

    /// Writes an array of some of the rows below an item.
    private mutating func writeArray(of new: Range<Int>, _ rows: NewRows) throws(PropertyListError) {
        writer.beginArray(at: Self.nowhere)
        var next = new.lowerBound
        var number = rows.run(of: next)
        while next < new.upperBound {
            guard number < rows.runs.count, let level = rows.step.below else { throw .contradictoryEdit }
            let (run, start) = (rows.runs[number], rows.starts[number])
            let part = next..<max(next, min(start + run.count, new.upperBound))
            switch run {
            case .row(let provenance):
                if !part.isEmpty { try write(Item.Step(level: level, row: start), by: provenance) }
            case .same(let old):
                let first = old.lowerBound + part.lowerBound - start
                try writeSame(first..<first + part.count, of: level, from: part.lowerBound, rows.origin)
            }
            next = part.upperBound
            number += 1
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
        let rows = try rows(below: origin)
        var number = rows.section(of: old.lowerBound)
        var next = old.lowerBound
        while next < old.upperBound {
            guard number < rows.sections.count else { throw .contradictoryEdit }
            let section = rows.sections[number]
            number += 1
            let end = min(section.rows.upperBound, old.upperBound)
            // A section without rows need not have an array.
            guard next < end, let elements = section.elements else { continue }
            for row in next..<end {
                writer.value(try objects.element(row - section.rows.lowerBound, of: elements))
            }
            next = end
        }
    }
}

extension WrittenSection {
    /// Whether its dictionary, without the rows, is as that of another section.
    fileprivate func hasSameFields(as other: WrittenSection) -> Bool {
        guard let fields, let others = other.fields else { return fields == nil && other.fields == nil }
        return fields.count == others.count
            && zip(fields, others).allSatisfy { $0.name == $1.name && $0.form == $1.form && $0.packed == $1.packed }
    }
}

internal import Bytes
internal import Heap
internal import PropertyLists

/// A list whose level is made when its item ends: what has been read of it so far.
///
/// The frames of the list and of its sections share one; when the list ends, its item takes it.
final class GatheredList {
    let rule: ListRule
    private(set) var sections: [Section] = []
    /// The section whose dictionary is being read, and whether its rows have been announced.
    var section = Section(start: 0, count: 0)
    private var hasRows = false
    /// Whether any section has a `Type`.
    var hasTypes = false
    /// The name of the section to come, if sections have names.
    var name = ""
    /// The number of the last section of each name, and those whose name came again.
    private var numbers: [[UInt8]: Int] = [:]
    private var repeated: Set<Int> = []
    /// The rows, from the list's end on.
    private var rows: SetAsideRows?

    init(_ rule: ListRule) { self.rule = rule }

    func add(_ section: Section) { sections.append(section) }

    func openSection() {
        section = Section(start: 0, count: 0)
        hasRows = false
    }

    /// Announces the rows of the open section; false if it has some already.
    func claimRows() -> Bool {
        defer { hasRows = true }
        return !hasRows
    }

    /// Adds the open section; without rows, it is before row `row`.
    func closeSection(at row: Int) {
        if !hasRows { section.start = row }
        sections.append(section)
    }

    /// Adds the section with the current name; returns whether an earlier one has the same name.
    func addNamed(_ section: Section) -> Bool {
        var section = section
        section.title = name
        let earlier = numbers.updateValue(sections.count, forKey: Array(name.utf8))
        if let earlier { repeated.insert(earlier) }
        sections.append(section)
        return earlier != nil
    }

    /// Moves the sections out when the list has ended; a document may have a million, so none are kept twice.
    func takeSections() -> [Section] {
        defer { sections = [] }
        return sections
    }

    /// Moves the rows out when the item has ended.
    func takeRows() -> SetAsideRows? { rows.take() }

    /// Takes the rows, less those of sections with a repeated name: of entries with one key, the last counts.
    func take(_ aside: SetAsideRows) {
        var aside = aside
        if !repeated.isEmpty {
            aside.sections = aside.sections.indices.filter { !repeated.contains($0) }.map { aside.sections[$0] }
            aside.followSections()
        }
        if hasTypes { aside.addControls() }
        rows = aside
        numbers = [:]
    }
}

/// A list whose level is made when its item ends: what it contains, and the strategy that makes the level.
struct ListRule: Sendable {
    /// What closes the list.
    let kind: Frame.Kind
    /// What its elements may be.
    let elements: Expectation
    /// How its rows are written in the document.
    let form: LevelForm
    let strategy: any LevelStrategy.Type
}

/// Makes an item's level from the rows of a list, once the whole item has been gathered.
///
/// The `ListRule` of a list names its strategy. The rows are items, or records that the strategy
/// titles and arranges. It reads the item's other slots with `TreeBuilder.text(of:in:)` and `texts(of:in:)`.
protocol LevelStrategy: SendableMetatype {
    /// - Throws: `PropertyListError` if the item's slots do not fit its rows.
    static func level(
        of rows: consuming SetAsideRows, in item: GatheredItem, _ builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level
}

/// Rows taken off the builder's stack, with the bytes they refer to, until their item's end determines their level.
struct SetAsideRows {
    var bytes: [UInt8]
    var rows: [PendingRow]
    private(set) var children: [Level?]
    /// The sections that the rows are in; none if the level has no sections.
    var sections: [Section]
    /// How the rows are written in the document.
    let form: LevelForm
    /// Where their list begins.
    let position: SourcePosition

    /// Puts the rows into the order of the sections, which may have been moved or removed.
    mutating func followSections() {
        reorder(sections.flatMap { $0.start..<$0.start + $0.count })
        var start = 0
        for number in sections.indices {
            sections[number].start = start
            start += sections[number].count
        }
    }

    /// The text of a row's field, a number, date or Boolean as JSON writes it; nil without such a field.
    func text(of name: String, inRow row: Int) -> String? {
        PackedFieldList.value(named: name, in: bytes.span, rows[row].fields).flatMap {
            PackedFieldList.scalarText(at: $0, in: bytes.span)
        }
    }

    /// Gives a row a title that is in none of its fields.
    mutating func setTitle(_ title: String, ofRow row: Int) {
        let start = bytes.count
        bytes += title.utf8
        rows[row].title = start..<bytes.count
    }

    /// Puts the rows with these numbers into this order, and drops all others.
    mutating func reorder(_ order: [Int]) {
        rows = order.map { rows[$0] }
        children = order.map { children[$0] }
    }
}

extension SetAsideRows {
    /// Numbers the rows as the records of a table, and titles each with a field, or else with its number.
    mutating func becomeRecords(titledBy field: String) throws(PropertyListError) {
        let name = Array(field.utf8)
        let end = bytes.count
        var loose = ByteBuffer()
        for row in rows.indices {
            rows[row].marks.insert(.hasRecordNumber)
            rows[row].recordNumber = UInt32(row + 1)
            let value = PackedFieldList.firstValue(named: name.span, in: bytes.span, rows[row].fields)
            if let text = value.flatMap({ PackedFieldList.text(at: $0, in: bytes.span) }), !text.isEmpty {
                rows[row].title = text
                continue
            }
            let start = loose.count
            try FacetText.append(value, in: bytes.span, to: &loose)
            if loose.count == start { loose.append("\(row + 1)") }
            rows[row].title = end + start..<end + loose.count
        }
        guard !loose.isIncomplete, MemoryBudget.hasRoom(for: loose.count * 2) else { throw .outOfMemory }
        bytes.reserveCapacity(end + loose.count)
        bytes += Array(copying: loose.span)
    }
}

extension TreeAssembly {
    /// Takes the rows of a list away; `sections` count their rows from the beginning of the stack.
    mutating func setAside(
        _ frame: Frame, sections: [Section], form: LevelForm
    ) throws(PropertyListError) -> SetAsideRows {
        let size = fields.bytes.count - frame.base.start + (rows.count - frame.base.row) * Self.bytesOfOpenRow
        guard size < 1 << 20 || MemoryBudget.hasRoom(for: size) else { throw .outOfMemory }
        var sections = sections
        for number in sections.indices { sections[number].start -= frame.base.row }
        let aside = SetAsideRows(
            bytes: Array(copying: fields.bytes.span.extracting(frame.base.start..<fields.bytes.count)),
            rows: rows[frame.base.row...].map { $0.moved(by: -frame.base.start) },
            children: Array(children[frame.base.row...]), sections: sections, form: form, position: frame.position)
        rows.removeSubrange(frame.base.row...)
        children.removeSubrange(frame.base.row...)
        fields.bytes.truncate(to: frame.base.start)
        if aside.bytes.count > Self.mostBytesKept { freeRoom() }
        return aside
    }

    /// The size of the largest list whose room is kept for the next one.
    private static let mostBytesKept = 1 << 24

    /// Frees the room that rows took which are set aside, since they exist twice otherwise.
    private mutating func freeRoom() {
        var rest = ByteBuffer(capacity: 1 << 16)
        rest.append(fields.bytes.span)
        fields.bytes = rest
        rows = rows.map(\.self)
        children = children.map(\.self)
    }
}

extension PendingRow {
    fileprivate func moved(by distance: Int) -> PendingRow {
        PendingRow(
            fields: fields.moved(by: distance), title: title.moved(by: distance),
            explicitKey: explicitKey?.moved(by: distance), isString: isString, marks: marks, place: place)
    }
}

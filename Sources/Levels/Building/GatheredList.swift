internal import Bytes
internal import Heap
internal import PropertyLists

/// A list whose level is made at the end of its item: the part of the list that has been read so far.
///
/// The frame of the list and the frames of its sections share one instance. The item takes the instance when the list
/// ends.
final class GatheredList {
    let rule: ListRule
    private(set) var sections: [Section] = []
    /// The section whose dictionary is open. `hasRows` is true after a key for the section's rows.
    var section = Section(start: 0, count: 0)
    private var hasRows = false
    /// Whether any section has a `Type`.
    var hasTypes = false
    /// The name of the next section, in a dictionary of sections.
    var name = ""
    /// The number of the last section with each name. `repeated` contains the numbers of the sections that a later
    /// section of the same name has replaced.
    private var numbers: [[UInt8]: Int] = [:]
    private var repeated: Set<Int> = []
    /// The rows of the list; nil until the list ends.
    private(set) var rows: SetAsideRows?

    init(_ rule: ListRule) { self.rule = rule }

    func add(_ section: Section) { sections.append(section) }

    func openSection() {
        section = Section(start: 0, count: 0)
        hasRows = false
    }

    /// Notes that the rows of the open section follow; returns false if the section already has rows.
    func claimRows() -> Bool {
        defer { hasRows = true }
        return !hasRows
    }

    /// Adds the open section; a section without rows starts at row `row`.
    func closeSection(at row: Int) {
        if !hasRows { section.start = row }
        sections.append(section)
    }

    /// Adds a section under the current name. Returns whether an earlier section has the same name.
    func addNamed(_ section: Section) -> Bool {
        var section = section
        section.title = name
        let earlier = numbers.updateValue(sections.count, forKey: Array(name.utf8))
        if let earlier { repeated.insert(earlier) }
        sections.append(section)
        return earlier != nil
    }

    /// Moves the sections out of the list when it ends, so that a million sections are not kept twice.
    func takeSections() -> [Section] {
        defer { sections = [] }
        return sections
    }

    func takeRows() -> SetAsideRows? { rows.take() }

    /// Takes the rows, except for the rows of replaced sections. Of several sections with the same name, the last one
    /// counts.
    func take(_ aside: SetAsideRows) throws(PropertyListError) {
        var aside = aside
        if !repeated.isEmpty {
            aside.sections = aside.sections.indices.filter { !repeated.contains($0) }.map { aside.sections[$0] }
            aside.followSections()
        }
        if hasTypes { try aside.addControls() }
        rows = aside
        numbers = [:]
    }
}

/// The rule for a list that holds a level or a section's rows.
struct ListRule: Sendable {
    /// The role of the list, which determines the allowed elements.
    let kind: Frame.Kind
    let form: LevelForm
    /// Makes the level at the end of the item; nil if the rows are complete when the list ends.
    var strategy: (any LevelStrategy.Type)?

    /// `Children`, as an array of items.
    static let rows = ListRule(kind: .rows, form: .rows)

    /// The rows of a section.
    static let sectionRows = ListRule(kind: .sectionRows, form: .rows)
}

/// Makes an item's level from the rows of a list, at the end of the item.
///
/// The rows are items, or records that the strategy titles and arranges. The strategy reads the item's other slots with
/// `TreeBuilder.text(of:in:)` and `texts(of:in:)`.
protocol LevelStrategy: SendableMetatype {
    /// - Throws: `PropertyListError` if the item's slots do not fit its rows.
    static func level(
        of rows: consuming SetAsideRows, in item: GatheredItem, builder: inout TreeBuilder
    ) throws(PropertyListError) -> Level
}

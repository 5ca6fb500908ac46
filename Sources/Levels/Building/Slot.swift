internal import PropertyLists

/// A structural key of an item or a section: its names, its values and their meaning.
///
/// Each slot is a static constant, and a line of `Slot.ofItems` or `Slot.ofSections`.
struct Slot: Sendable {
    /// The names of a slot in a document.
    ///
    /// Not an enum: the leak sanitizer does not see an array that an enum with two payloads holds.
    struct Names: Sendable {
        fileprivate let role: StructuralNames.Role?
        fileprivate let fixed: [String]

        /// The names of a role, which `--keys` can change.
        static func role(_ role: StructuralNames.Role) -> Names { Names(role: role, fixed: []) }

        /// Fixed names, the strongest first.
        static func fixed(_ names: [String]) -> Names { Names(role: nil, fixed: names) }
    }

    /// The names of a slot that require an allowed value.
    enum Check: Sendable {
        /// No name; a key whose value is not allowed is an ordinary field.
        case noName
        case allNames
        /// The strongest so far; weaker names are ordinary fields.
        case strongestSoFar
        /// The strongest of all; weaker names may have any value.
        case firstName
    }

    /// The name of the slot in this program.
    let name: String
    let names: Names
    let value: Expectation
    var check = Check.allNames
    /// Whether no detail shows the field.
    var isHidden = false
    /// Whether it is also an ordinary field with any value; then no other name is taken for a typing error of it.
    var keepsAnyValue = false
    /// Whether the key is a slot of only the root, and an ordinary field of other items.
    var isForRoot = false
    /// Whether its value orders the item's level.
    var arrangesLevel = false
    /// The lists that an array and a dictionary open, if `value` says `list`.
    var array, dictionary: ListRule?
    /// The beginning of the error for a wrong value, by the name in the document.
    let demand: @Sendable (_ name: String) -> String

    /// Whether its value is a list.
    var isList: Bool { value.array != .refused && !keepsAnyValue }

    /// Whether its value holds the item's level or the section's rows; an item has only one of these slots.
    var holdsLevel: Bool { value.array.opensLevel || value.dictionary.opensLevel }

    func names(in structure: StructuralNames) -> [String] {
        names.role.map { structure[$0] } ?? names.fixed
    }
}

/// The tables of all slots, a good place to start reading.
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
        .database,
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

extension Slot {
    /// `Title`: the text of an item's row.
    ///
    /// The item's end determines whether the value of a weaker name is the title or a field.
    static let title = Slot(
        name: "title", names: .role(.title), value: Expectation(scalars: .text, .number, .boolean, .date),
        check: .firstName
    ) { _ in "a title must be text, a number or a date" }

    /// `Key`: the item's path segment, in place of its title; beside `Database` also an array, the columns of a key.
    static let key = Slot(
        name: "key", names: .role(.key), value: Expectation(scalars: .text, array: .value), check: .strongestSoFar
    ) { _ in "a Key must be text" }

    /// `Children` or `Rows`: the item's level, an array of items, or of arrays, which are sections.
    static let children = Slot(name: "children", names: .role(.children), value: Expectation(array: .rows)) { name in
        "'\(quoted: name)' must be an array of items"
    }

    /// `Sections`: the item's level, as an array of arrays and dictionaries or a dictionary of arrays.
    static let sections = Slot(
        name: "sections", names: .role(.sections), value: Expectation(dictionary: .list, array: .list),
        array: .sections,
        dictionary: .namedSections
    ) { name in "'\(quoted: name)' must be an array of sections or a dictionary of arrays" }

    /// `SectionKeys`: the order of named sections.
    static let sectionKeys = Slot(
        name: "sectionKeys", names: .role(.sectionKeys), value: Expectation(array: .value), isHidden: true
    ) { _ in "'SectionKeys' must be an array of names" }

    /// `SectionTitles`: the titles of sections that are arrays.
    static let sectionTitles = Slot(
        name: "sectionTitles", names: .role(.sectionTitles), value: Expectation(array: .value), isHidden: true
    ) { _ in "'SectionTitles' must be an array of titles" }

    /// `Source`: the path of a document, whose root has the item's level. An ordinary field if the item has a level of
    /// its own, or if the value is not text.
    static let source = Slot(
        name: "source", names: .fixed([PartReference.sourceName]), value: Expectation(scalars: .text), check: .noName
    ) { name in "'\(quoted: name)' must be the path of a document" }

    /// `Database`: the address of a database, which has the item's level. An ordinary field if the item has a level of
    /// its own, or if the value is not an address.
    static let database = Slot(
        name: "database", names: .fixed([DatabaseReference.name]), value: Expectation(scalars: .text), check: .noName
    ) { name in "'\(quoted: name)' must be the address of a database" }

    /// `Records`: a table, or its file name; its records are the item's level, drilled by the fields of `DrillBy`.
    static let records = Slot(
        name: "records", names: .fixed(["Records"]), value: Expectation(scalars: .text, array: .list), isHidden: true,
        array: .records
    ) { name in "'\(quoted: name)' must be an array of dictionaries or the name of a file" }

    /// `DrillBy`: the fields whose values make the levels above the records.
    static let drillBy = Slot(name: "drillBy", names: .fixed(["DrillBy"]), value: Expectation(array: .value)) { _ in
        "'DrillBy' must be an array of field names"
    }

    /// `TitleBy`: the field that is the title of a record.
    static let titleBy = Slot(name: "titleBy", names: .fixed(["TitleBy"]), value: Expectation(scalars: .text)) { _ in
        "'TitleBy' must be the name of a field"
    }

    /// `PreferenceSpecifiers`: the content of a settings page, in the root; see `SettingsPage`.
    static let preferenceSpecifiers = Slot(
        name: "preferenceSpecifiers", names: .fixed(["PreferenceSpecifiers"]), value: Expectation(array: .value),
        isHidden: true, isForRoot: true
    ) { name in "'\(quoted: name)' must be an array of specifiers" }

    /// `SortBy`: the order of the level below, as in the query option `sort`.
    static let sortBy = Slot(
        name: "sortBy", names: .fixed(["SortBy"]), value: Expectation(scalars: .text), arrangesLevel: true
    ) {
        name in
        "'\(quoted: name)' must be the names of fields as text, such as -Price,Title"
    }

    /// `GroupBy`: the sections of the level below, as in the query option `group`.
    static let groupBy = Slot(
        name: "groupBy", names: .fixed(["GroupBy"]), value: Expectation(scalars: .text), arrangesLevel: true
    ) {
        name in
        "'\(quoted: name)' must be text: initial, or the name of a field"
    }
}

/// `Type`: the kind of a control, if it is one of `ControlType`; any other value is an ordinary field.
extension Slot {
    static let type = kind("type")
    static let sectionType = kind("sectionType")

    private static func kind(_ name: String) -> Slot {
        Slot(name: name, names: .fixed(["Type"]), value: .anything, keepsAnyValue: true) { _ in "a Type may be anything"
        }
    }
}

/// The structural keys of a section that is a dictionary.
extension Slot {
    static let sectionTitle = heading("sectionTitle", names: .role(.title))
    static let sectionIndex = heading("sectionIndex", names: .fixed(["Index"]))
    static let sectionFooter = heading("sectionFooter", names: .fixed(["Footer"]))

    static let sectionRows = Slot(name: "sectionRows", names: .role(.children), value: Expectation(array: .sectionRows))
    {
        name in "'\(quoted: name)' must be an array of items"
    }

    private static func heading(_ name: String, names: Names) -> Slot {
        Slot(name: name, names: names, value: Expectation(scalars: .text, .number, .boolean, .date)) { _ in
            "a title must be text, a number or a date"
        }
    }
}

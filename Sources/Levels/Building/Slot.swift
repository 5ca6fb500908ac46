internal import PropertyLists

/// A structural key of an item or a section: the names of the key, the allowed values and their meaning.
///
/// Each slot is a static constant, and a line of `Slot.ofItems` or `Slot.ofSections`.
struct Slot: Sendable {
    /// The names of a slot in a document.
    ///
    /// Not an enum, because the leak sanitizer does not see an array inside an enum with two payloads.
    struct Names: Sendable {
        fileprivate let role: StructuralNames.Role?
        fileprivate let fixed: [String]

        /// The names of a role, which `--keys` can change.
        static func role(_ role: StructuralNames.Role) -> Names { Names(role: role, fixed: []) }

        /// Fixed names, the strongest first.
        static func fixed(_ names: [String]) -> Names { Names(role: nil, fixed: names) }
    }

    /// Determines which names of a slot require an allowed value.
    enum Check: Sendable {
        /// No name; a key whose value is not allowed is an ordinary field.
        case noName
        case allNames
        /// The strongest name so far; keys with weaker names are ordinary fields.
        case strongestSoFar
        /// The strongest of all names; keys with weaker names may have any value.
        case firstName
    }

    /// The name of the slot in this program.
    let name: String
    let names: Names
    let value: Expectation
    var check = Check.allNames
    /// Whether details omit the field.
    var isHidden = false
    /// Whether the key is also an ordinary field, with any value. No other name then counts as a typing error for this
    /// key.
    var keepsAnyValue = false
    /// Whether the key is a slot only in the root. In other items, the key is an ordinary field.
    var isForRoot = false
    /// Whether the value orders the item's level.
    var arrangesLevel = false
    /// The lists that an array and a dictionary open as the value, if `value` expects a `list`.
    var array, dictionary: ListRule?
    /// Returns the beginning of the error message for a wrong value. The argument is the name of the key in the
    /// document.
    let demand: @Sendable (_ name: String) -> String

    /// Whether the value is a list.
    var isList: Bool { value.array != .refused && !keepsAnyValue }

    /// Whether the value holds the item's level or the section's rows. An item can fill only one slot of this kind.
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
    /// Only the end of the item determines whether a value with a weaker name is the title or an ordinary field.
    static let title = Slot(
        name: "title", names: .role(.title), value: Expectation(scalars: .text, .number, .boolean, .date),
        check: .firstName
    ) { _ in "a title must be text, a number or a date" }

    /// `Key`: the item's path segment, which otherwise is the title. Beside `Database`, the value may also be an array:
    /// the columns that identify a record.
    static let key = Slot(
        name: "key", names: .role(.key), value: Expectation(scalars: .text, array: .value), check: .strongestSoFar
    ) { _ in "a Key must be text" }

    /// `Children` or `Rows`: the item's level. The value is an array of items, or an array of arrays, which are
    /// sections.
    static let children = Slot(name: "children", names: .role(.children), value: Expectation(array: .rows)) { name in
        "'\(quoted: name)' must be an array of items"
    }

    /// `Sections`: the item's level in sections. The value is an array of arrays and dictionaries, or a dictionary of
    /// arrays.
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

    /// `Source`: the path of a document. The level of that document's root is the item's level. The key is an ordinary
    /// field if the item has a level of its own, or if the value is not text.
    static let source = Slot(
        name: "source", names: .fixed([PartReference.sourceName]), value: Expectation(scalars: .text), check: .noName
    ) { name in "'\(quoted: name)' must be the path of a document" }

    /// `Database`: the address of a database, which contains the item's level. The key is an ordinary field if the item
    /// has a level of its own, or if the value is not an address.
    static let database = Slot(
        name: "database", names: .fixed([DatabaseReference.name]), value: Expectation(scalars: .text), check: .noName
    ) { name in "'\(quoted: name)' must be the address of a database" }

    /// `Records`: a table, or the name of the table's file. The records are the item's level, divided by the fields of
    /// `DrillBy`.
    static let records = Slot(
        name: "records", names: .fixed(["Records"]), value: Expectation(scalars: .text, array: .list), isHidden: true,
        array: .records
    ) { name in "'\(quoted: name)' must be an array of dictionaries or the name of a file" }

    /// `DrillBy`: the fields whose values make the levels above the records.
    static let drillBy = Slot(name: "drillBy", names: .fixed(["DrillBy"]), value: Expectation(array: .value)) { _ in
        "'DrillBy' must be an array of field names"
    }

    /// `TitleBy`: the field that contains the title of a record.
    static let titleBy = Slot(name: "titleBy", names: .fixed(["TitleBy"]), value: Expectation(scalars: .text)) { _ in
        "'TitleBy' must be the name of a field"
    }

    /// `PreferenceSpecifiers`, in the root: the content of a settings page; see `SettingsPage`.
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

/// `Type`: the type of a control, if the value is a `ControlType`. With any other value, the key is an ordinary field.
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

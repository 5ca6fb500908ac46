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
        static func fixed(_ names: String...) -> Names { Names(role: nil, fixed: names) }
    }

    let number: SlotNumber
    let names: Names
    /// The kinds of values that remain a field.
    var fieldKinds: ValueKinds = []
    /// The lists that an array and a dictionary open; nil if this value does not open a list.
    var array, dictionary: ListRule?
    /// Whether details omit the field.
    var isHidden = false
    /// Whether the key is also common as an ordinary field. No other name then counts as a typing error for this key.
    var isCommonName = false
    /// Returns the beginning of the error message for a wrong value; nil if every value is allowed. The argument is the
    /// name of the key in the document.
    var demand: (@Sendable (_ name: String) -> String)?

    /// Whether a list holds the item's level or the section's rows. An item can fill only one slot of this kind.
    var holdsLevel: Bool { array != nil }

    /// Whether the value is a list.
    var isList: Bool { holdsLevel || fieldKinds.contains(.array) && fieldKinds != .all }

    func names(in structure: StructuralNames) -> [String] {
        names.role.map { structure[$0] } ?? names.fixed
    }
}

/// Some of the kinds of values.
struct ValueKinds: OptionSet {
    let rawValue: UInt8

    static let text = Self(rawValue: 1)
    static let number = Self(rawValue: 2)
    static let boolean = Self(rawValue: 4)
    static let date = Self(rawValue: 8)
    static let data = Self(rawValue: 16)
    static let uid = Self(rawValue: 32)
    static let array = Self(rawValue: 64)
    static let dictionary = Self(rawValue: 128)

    static let all = Self(rawValue: .max)
    /// JSON's null, which is not a value; only for messages.
    static let null: Self = []
    /// The values that can be titles.
    static let titles: Self = [.text, .number, .boolean, .date]

    /// The kind of a number, a Boolean, a date or a UID.
    @inline(__always)
    static func of(_ value: PropertyListScalar) -> Self {
        switch value {
        case .integer, .real: .number
        case .boolean: .boolean
        case .date: .date
        case .uid: .uid
        }
    }

    /// One kind in a message.
    var phrase: String {
        switch self {
        case .text: "text"
        case .number: "a number"
        case .boolean: "a Boolean"
        case .date: "a date"
        case .data: "data"
        case .uid: "an archive's UID"
        case .array: "an array"
        case .dictionary: "a dictionary"
        default: "null"
        }
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
        .keyBy,
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
        .type,
    ]
}

extension SlotNumber {
    static let title = SlotNumber(rawValue: 1)
    static let key = SlotNumber(rawValue: 2)
    static let children = SlotNumber(rawValue: 3)
    static let sections = SlotNumber(rawValue: 4)
    static let sectionKeys = SlotNumber(rawValue: 5)
    static let sectionTitles = SlotNumber(rawValue: 6)
    static let source = SlotNumber(rawValue: 7)
    static let database = SlotNumber(rawValue: 8)
    static let records = SlotNumber(rawValue: 9)
    static let drillBy = SlotNumber(rawValue: 10)
    static let titleBy = SlotNumber(rawValue: 11)
    static let type = SlotNumber(rawValue: 12)
    static let preferenceSpecifiers = SlotNumber(rawValue: 13)
    static let sortBy = SlotNumber(rawValue: 14)
    static let groupBy = SlotNumber(rawValue: 15)
    static let index = SlotNumber(rawValue: 16)
    static let footer = SlotNumber(rawValue: 17)
    static let keyBy = SlotNumber(rawValue: 18)
}

extension Slot {
    /// The slot of ordinary fields, which have any value.
    static let none = Slot(number: .none, names: .fixed(), fieldKinds: .all)

    /// `Title`: the text of an item's row.
    ///
    /// Only the end of the item determines whether a value with a weaker name is the title or an ordinary field.
    static let title = Slot(number: .title, names: .role(.title), fieldKinds: .titles) { _ in
        "a title must be text, a number or a date"
    }

    /// `Key`: the item's path segment, which otherwise is the title. Beside `Database`, the value may also be an array:
    /// the columns that identify a record.
    static let key = Slot(number: .key, names: .role(.key), fieldKinds: [.text, .array]) { _ in "a Key must be text" }

    /// `Children` or `Rows`: the item's level. The value is an array of items, or an array of arrays, which are
    /// sections.
    static let children = Slot(number: .children, names: .role(.children), array: .rows) { name in
        "'\(quoted: name)' must be an array of items"
    }

    /// `Sections`: the item's level in sections. The value is an array of arrays and dictionaries, or a dictionary of
    /// arrays.
    static let sections = Slot(
        number: .sections, names: .role(.sections), array: .sections, dictionary: .namedSections
    ) { name in "'\(quoted: name)' must be an array of sections or a dictionary of arrays" }

    /// `SectionKeys`: the order of named sections.
    static let sectionKeys = Slot(
        number: .sectionKeys, names: .role(.sectionKeys), fieldKinds: .array, isHidden: true
    ) { _ in "'SectionKeys' must be an array of names" }

    /// `SectionTitles`: the titles of sections that are arrays.
    static let sectionTitles = Slot(
        number: .sectionTitles, names: .role(.sectionTitles), fieldKinds: .array, isHidden: true
    ) { _ in "'SectionTitles' must be an array of titles" }

    /// `Source`: the path of a document. The level of that document's root is the item's level. The key is an ordinary
    /// field if the item has a level of its own, or if the value is not text.
    static let source = Slot(number: .source, names: .fixed(PartReference.sourceName), fieldKinds: .all)

    /// `Database`: the address of a database, which contains the item's level. The key is an ordinary field if the item
    /// has a level of its own, or if the value is not an address.
    static let database = Slot(number: .database, names: .fixed(DatabaseReference.name), fieldKinds: .all)

    /// `Records`: a table, or the name of the table's file. The records are the item's level, divided by the fields of
    /// `DrillBy`.
    static let records = Slot(
        number: .records, names: .fixed(PartReference.recordsName), fieldKinds: .text, array: .records, isHidden: true
    ) { name in "'\(quoted: name)' must be an array of dictionaries or the name of a file" }

    /// `DrillBy`: the fields whose values make the levels above the records.
    static let drillBy = Slot(number: .drillBy, names: .fixed("DrillBy"), fieldKinds: .array) { _ in
        "'DrillBy' must be an array of field names"
    }

    /// `TitleBy`: the field that contains the title of a record.
    static let titleBy = Slot(number: .titleBy, names: .fixed("TitleBy"), fieldKinds: .text) { _ in
        "'TitleBy' must be the name of a field"
    }

    /// `KeyBy`: the field that contains the key of a record.
    static let keyBy = Slot(number: .keyBy, names: .fixed("KeyBy"), fieldKinds: .text) { _ in
        "'KeyBy' must be the name of a field"
    }

    /// `Type`: the type of a control, if the value is a `ControlType`. With any other value, the key is an ordinary
    /// field.
    static let type = Slot(number: .type, names: .fixed("Type"), fieldKinds: .all, isCommonName: true)

    /// `PreferenceSpecifiers`, in the root: the content of a settings page; see `SettingsPage`. In other items, the key
    /// is an ordinary field.
    static let preferenceSpecifiers = Slot(
        number: .preferenceSpecifiers, names: .fixed("PreferenceSpecifiers"), fieldKinds: .array, isHidden: true
    ) { name in "'\(quoted: name)' must be an array of specifiers" }

    /// `SortBy`: the order of the level below, as in the query option `sort`.
    static let sortBy = Slot(number: .sortBy, names: .fixed("SortBy"), fieldKinds: .text) { name in
        "'\(quoted: name)' must be the names of fields as text, such as -Price,Title"
    }

    /// `GroupBy`: the sections of the level below, as in the query option `group`.
    static let groupBy = Slot(number: .groupBy, names: .fixed("GroupBy"), fieldKinds: .text) { name in
        "'\(quoted: name)' must be text: initial, or the name of a field"
    }
}

/// The structural keys of a section that is a dictionary, besides `Type`.
extension Slot {
    static let sectionTitle = heading(.title, names: .role(.title))
    static let sectionIndex = heading(.index, names: .fixed("Index"))
    static let sectionFooter = heading(.footer, names: .fixed("Footer"))
    static let sectionRows = Slot(number: .children, names: .role(.children), array: .sectionRows) { name in
        "'\(quoted: name)' must be an array of items"
    }

    private static func heading(_ number: SlotNumber, names: Names) -> Slot {
        Slot(number: number, names: names, fieldKinds: .titles) { _ in "a title must be text, a number or a date" }
    }
}

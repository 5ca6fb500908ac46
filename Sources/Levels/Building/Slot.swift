/// A structural key of an item or a section: its names, the values it takes, and what becomes of them.
///
/// Each slot is a constant beside them, and a line of `Slot.ofItems` or `Slot.ofSections`.
struct Slot: Sendable {
    /// Which names a slot has in a document.
    ///
    /// Not an enum: the leak sanitizer does not see an array that an enum with two payloads holds.
    struct Names: Sendable {
        fileprivate let role: StructuralNames.Role?
        fileprivate let fixed: [String]

        /// Those of a role, which `--keys` can change.
        static func role(_ role: StructuralNames.Role) -> Names { Names(role: role, fixed: []) }

        /// Always these, the strongest first.
        static func fixed(_ names: [String]) -> Names { Names(role: nil, fixed: names) }
    }

    /// Which of a slot's names require a value that the slot takes.
    enum Check: Sendable {
        /// None: a value that the slot does not take makes an ordinary field.
        case noName
        case allNames
        /// The strongest so far; a weaker name is an ordinary field.
        case strongestSoFar
        /// The strongest of all; the value of a weaker name may be anything.
        case firstName
    }

    /// What the slot is called in this program.
    let name: String
    let names: Names
    /// The values it takes.
    let value: Expectation
    let check: Check
    /// Whether no detail shows the field.
    let isHidden: Bool
    /// Whether it is an ordinary field as well, whatever its value, so that no other name is taken for a slip of it.
    let keepsAnyValue: Bool
    /// Whether the key is a slot of the root alone, and an ordinary field of all other items.
    let isForRoot: Bool
    /// Whether its value orders the item's level.
    let arrangesLevel: Bool
    /// The lists that an array and a dictionary open, if `value` says `list`.
    let array, dictionary: ListRule?
    /// What its value must be, as the beginning of an error, for the name in the document.
    let demand: @Sendable (_ name: String) -> String

    init(
        _ name: String, names: Names, value: Expectation, check: Check = .allNames, isHidden: Bool = false,
        keepsAnyValue: Bool = false, isForRoot: Bool = false, arrangesLevel: Bool = false, array: ListRule? = nil,
        dictionary: ListRule? = nil,
        demand: @escaping @Sendable (_ name: String) -> String
    ) {
        self.name = name
        self.names = names
        self.value = value
        self.check = check
        self.isHidden = isHidden
        self.keepsAnyValue = keepsAnyValue
        self.isForRoot = isForRoot
        self.arrangesLevel = arrangesLevel
        self.array = array
        self.dictionary = dictionary
        self.demand = demand
    }

    /// Whether its value is a list.
    var isList: Bool { value.array != .refused && !keepsAnyValue }

    /// Whether its value holds the item's level, or the section's rows; an item has only one such slot.
    var holdsLevel: Bool { value.array.opensLevel || value.dictionary.opensLevel }

    /// Its names in a document with these structural names.
    func names(in structure: StructuralNames) -> [String] {
        names.role.map { structure[$0] } ?? names.fixed
    }
}

internal import PropertyLists

/// The values that may come next in the innermost open container, and their meaning.
///
/// Every event reads the expectation, so it occupies only a few bytes.
package struct Expectation: BitwiseCopyable, Sendable {
    /// The meaning of an opening dictionary or array.
    enum Opening: UInt8 {
        case refused
        /// A value inside a field.
        case value
        case item
        /// The rows of a level, which is made when the rows end.
        case rows
        /// The rows of a first section. An array as the first element of a list turns the rows of the list into
        /// sections.
        case sectionsOfRows
        /// A list that the slot describes. The level is made at the end of the list's item.
        case list
        /// A section that is a dictionary.
        case section
        /// The rows of one section.
        case sectionRows
        /// A dictionary with only fields, which the strategy of its list turns into an item.
        case record
        /// The root item of an array document, with its rows.
        case document

        /// Whether the container holds a level.
        var opensLevel: Bool { self != .refused && self != .value }
    }

    /// The allowed `ScalarKind`s, one bit each.
    private let scalars: UInt8
    /// Whether a text or a dictionary becomes an item of the innermost list. For a record, this is false.
    package let makesItems: Bool
    var dictionary: Opening
    var array: Opening
    /// The slot that the next value fills; 0 for none.
    var slot: SlotNumber = 0

    @inline(__always)
    init(
        scalars: ScalarKind..., makesItems: Bool = false, dictionary: Opening = .refused, array: Opening = .refused
    ) {
        self.init(
            bits: scalars.reduce(0) { $0 | $1.bit }, makesItems: makesItems, dictionary: dictionary, array: array)
    }

    private init(bits: UInt8, makesItems: Bool = false, dictionary: Opening, array: Opening) {
        scalars = bits
        self.makesItems = makesItems
        self.dictionary = dictionary
        self.array = array
    }

    /// Any value of a field.
    static var anything: Self { Expectation(bits: .max, dictionary: .value, array: .value) }

    /// The elements of a list of items. The parameter `array` is the meaning of an array among the elements.
    static func items(array: Opening) -> Self {
        Expectation(bits: ScalarKind.text.bit, makesItems: true, dictionary: .item, array: array)
    }

    static var records: Self { Expectation(bits: 0, dictionary: .record, array: .refused) }

    static var document: Self { Expectation(bits: 0, dictionary: .item, array: .document) }

    /// Whether the value is that of `Children`.
    package var isChildren: Bool { array == .rows }

    /// Whether the value is that of `Sections`, the only key with two kinds of lists.
    package var isSections: Bool { dictionary == .list }

    /// Whether an array holds the rows of an item or of a section.
    package var holdsRows: Bool {
        switch array {
        case .rows, .sectionsOfRows, .sectionRows: true
        default: isSections
        }
    }

    @inline(__always)
    func allows(_ kind: ScalarKind) -> Bool { scalars & kind.bit != 0 }
}

/// A kind of value that is not a container.
enum ScalarKind: UInt8 {
    case text, number, boolean, date, data, uid

    @inline(__always)
    init(_ value: PropertyListScalar) {
        switch value {
        case .integer, .real: self = .number
        case .boolean: self = .boolean
        case .date: self = .date
        case .uid: self = .uid
        }
    }

    var bit: UInt8 { 1 << rawValue }

    var phrase: String {
        switch self {
        case .text: "text"
        case .number: "a number"
        case .boolean: "a Boolean"
        case .date: "a date"
        case .data: "data"
        case .uid: "an archive's UID"
        }
    }
}

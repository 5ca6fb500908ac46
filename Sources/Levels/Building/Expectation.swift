internal import PropertyLists

/// What may come next in the innermost open container, and what becomes of it.
///
/// A few bytes, because every event reads it: what a place in a document allows is data, not code.
struct Expectation: BitwiseCopyable, Sendable {
    /// What an opening dictionary or array becomes.
    enum Opening: UInt8 {
        case refused
        /// A value inside a field.
        case value
        case item
        /// The rows of a level that is complete when they end.
        case rows
        /// The same, or sections if the first element is an array.
        case sectionsOfRows
        /// A list whose level is made when its item ends; the slot describes it.
        case list
        /// A section that is a dictionary.
        case section
        /// The rows of one section.
        case sectionRows
        /// A dictionary whose keys are all fields; only its list's strategy makes an item of it.
        case record
        /// The root item of a document that is an array, and its rows.
        case document

        /// Whether what is opened holds a level.
        var opensLevel: Bool { self != .refused && self != .value }
    }

    /// The set of allowed `ScalarKind`s, one bit each.
    private let scalars: UInt8
    /// Whether a text is an item.
    let makesItems: Bool
    var dictionary: Opening
    var array: Opening
    /// The slot that the next value fills; 0 for none.
    var slot: SlotNumber = 0

    @inline(__always)
    init(
        _ scalars: ScalarKind..., makesItems: Bool = false, dictionary: Opening = .refused, array: Opening = .refused
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

    /// The value of a field: everything, kept as it is.
    static var anything: Self { Expectation(bits: .max, dictionary: .value, array: .value) }

    /// The elements of a list of items.
    ///
    /// - Parameter array: what an array becomes.
    static func items(array: Opening) -> Self {
        Expectation(bits: ScalarKind.text.bit, makesItems: true, dictionary: .item, array: array)
    }

    /// The elements of a list of records.
    static var records: Self { Expectation(bits: 0, dictionary: .record, array: .refused) }

    /// The whole document.
    static var document: Self { Expectation(bits: 0, dictionary: .item, array: .document) }

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

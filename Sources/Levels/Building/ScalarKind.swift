/// A kind of value that is not a container.
enum ScalarKind: UInt8 {
    case text, number, boolean, date, data, uid

    var bit: UInt8 { 1 << rawValue }

    /// The words for it in errors.
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

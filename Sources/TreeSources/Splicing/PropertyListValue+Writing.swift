internal import Bytes
internal import Levels
internal import PropertyLists

extension PropertyListValue {
    /// The value of a packed field.
    init(_ field: WrittenItem.Field) throws(PropertyListError) {
        var builder = PropertyListValueBuilder()
        try field.tell(to: &builder)
        guard let value = builder.value else { throw .contradictoryEdit }
        self = value
    }

    /// Whether it is an array or a dictionary, or is written as one.
    var isContainer: Bool {
        switch self {
        case .array, .dictionary, .uid: true
        default: false
        }
    }

    /// Whether both are written alike; unlike with `==`, numbers are compared bit for bit.
    func isWritten(like other: PropertyListValue) -> Bool {
        switch (self, other) {
        case (.real(let one), .real(let other)), (.date(let one), .date(let other)):
            one.bitPattern == other.bitPattern
        case (.array(let ones), .array(let others)):
            ones.count == others.count && zip(ones, others).allSatisfy { $0.isWritten(like: $1) }
        case (.dictionary(let one), .dictionary(let other)):
            one.entries.count == other.entries.count
                && zip(one.entries, other.entries).allSatisfy {
                    $0.key.hasSameUTF8(as: $1.key) && $0.value.isWritten(like: $1.value)
                }
        default: self == other
        }
    }
}

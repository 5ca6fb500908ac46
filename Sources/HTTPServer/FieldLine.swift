/// One line of a request's header, where it lies in memory that the request does not own.
struct FieldLine {
    let name: Octets
    /// The value without the white space around it.
    let value: Octets
    /// The value as the library cut it out, which may end in white space.
    let rawValue: Octets
    /// The raw value of the `FieldName`, or `unlisted`.
    let kind: UInt8

    static let unlisted: UInt8 = 0xFF

    init(name: Octets, value rawValue: Octets) {
        self.name = name
        self.rawValue = rawValue
        value = rawValue.trimmed
        kind = FieldName(name)?.rawValue ?? FieldLine.unlisted
    }
}

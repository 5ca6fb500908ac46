/// One line of a request's header, where it lies in memory that the request does not own.
struct FieldLine {
    let name: Octets
    /// The value without the white space around it.
    let value: Octets
    /// The value as the library cut it out, which may end in white space.
    let rawValue: Octets
    /// Which field it is; `nil` for one that is not on the list.
    let field: FieldName?

    init(name: Octets, value rawValue: Octets) {
        self.name = name
        self.rawValue = rawValue
        value = rawValue.trimmed
        field = FieldName(name)
    }
}

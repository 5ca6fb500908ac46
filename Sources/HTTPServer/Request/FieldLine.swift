/// One line of a request's header, in memory that the request does not own.
struct FieldLine {
    let name: Octets
    /// The value without the white space around it.
    let value: Octets
    /// The value as the library delimits it; it may end with white space.
    let rawValue: Octets
    /// The field's name; nil if it is not a listed one.
    let field: FieldName?

    init(name: Octets, value rawValue: Octets) {
        self.name = name
        self.rawValue = rawValue
        value = rawValue.trimmed
        field = FieldName(name)
    }
}

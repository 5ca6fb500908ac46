/// The three syntaxes of a property list, which differ in the values that they can represent.
public enum PropertyListSyntax: String, Sendable, CaseIterable {
    /// An XML property list (Apple's DTD `PropertyList-1.0`): all types. Texts are without control characters, and dates
    /// without fractions of seconds.
    case xml
    /// A binary property list (`bplist00`): all types.
    case binary
    /// JSON (RFC 8259): no dates, data and non-finite numbers.
    case json
}

/// The three syntaxes of a property list.
public enum PropertyListSyntax: String, Sendable, CaseIterable {
    /// An XML property list (Apple's DTD `PropertyList-1.0`).
    case xml
    /// A binary property list (`bplist00`).
    case binary
    /// JSON (RFC 8259).
    case json
}

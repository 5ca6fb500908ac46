/// What a document's file can hold.
public enum FileSyntax: Sendable {
    /// All property-list types; whole seconds, and no control characters.
    case xml
    /// All property-list types.
    case binary
    /// Dates, data and numbers that are not finite are texts, as in a detail.
    case json
}

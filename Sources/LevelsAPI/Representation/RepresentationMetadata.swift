import ContentCodings

/// The metadata of a representation in any coding, for its header lines (RFC 9110, section 8).
struct RepresentationMetadata {
    let contentType: String
    /// The strong tag of the uncoded body, with its quotes; nil for an answer without one.
    var entityTag: String?
    let cacheControl: String
    /// The request fields that selected the representation, without `Origin`.
    let vary: String?
    /// The target of the next page.
    var next: String?
    /// Further header lines.
    var added: [(name: String, value: String)] = []

    /// The tag of the body in a coding.
    func entityTag(_ coding: ContentCoding) -> String? { entityTag.map { EntityTag.of($0, coding) } }

    /// The metadata of the indented body.
    var indented: RepresentationMetadata {
        var indented = self
        indented.entityTag = entityTag.map(EntityTag.indented)
        return indented
    }
}

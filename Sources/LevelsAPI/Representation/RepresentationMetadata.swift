import ContentCodings

/// The metadata of a representation in any coding, for its header lines (RFC 9110, section 8).
struct RepresentationMetadata {
    let contentType: String
    /// The strong tag of the uncoded body, with its quotes; nil for an answer without one.
    var entityTag: String?
    let cacheControl: String
    /// The request fields that selected the representation, without `Origin`.
    private(set) var vary: String?
    /// The target of the next page.
    var next: String?
    /// Further header lines.
    var added: [(name: String, value: String)] = []

    /// Adds what the language of an answer says.
    mutating func note(_ language: AnswerLanguage) {
        vary = AnswerLanguage.vary
        if let tag = language.tag { added.append(("Content-Language", tag)) }
    }

    /// The tag of the body in a coding.
    func entityTag(_ coding: ContentCoding) -> String? { entityTag.map { EntityTag.of($0, coding) } }

    /// The metadata of the indented body.
    var indented: RepresentationMetadata {
        var indented = self
        indented.entityTag = entityTag.map(EntityTag.indented)
        return indented
    }
}

import ContentCodings

/// What the header lines tell of a representation, whatever its coding (RFC 9110, section 8).
struct Representation {
    let contentType: String
    /// The strong tag of the body as it is, with its quotes; nil where the answer has none.
    var entityTag: String?
    let cacheControl: String
    /// The request fields that chose it, `Origin` aside.
    let vary: String?
    /// The target of the next page.
    var next: String?
    /// Header lines beside these.
    var added: [(name: String, value: String)] = []

    /// The tag of the body in a coding.
    func entityTag(_ coding: ContentCoding) -> String? { entityTag.map { EntityTag.of($0, coding) } }

    /// That of the body laid out for people.
    var indented: Representation {
        var indented = self
        indented.entityTag = entityTag.map(EntityTag.indented)
        return indented
    }
}

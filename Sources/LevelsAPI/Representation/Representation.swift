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

    /// How long a link may be to be told in the header, in bytes: it grows with the request.
    private static let longestLink = 2_048

    /// The tag of the body in a coding.
    func entityTag(_ coding: ContentCoding) -> String? { entityTag.map { EntityTag.of($0, coding) } }

    /// That of the body laid out for people.
    var indented: Representation {
        var indented = self
        indented.entityTag = entityTag.map(EntityTag.indented)
        return indented
    }

    /// The header lines of the body in a coding, for a client of an origin.
    func headers(
        _ coding: ContentCoding, _ origins: AllowedOrigins, _ origin: AllowedOrigins.Place
    ) -> [(name: String, value: String)] {
        var headers = [(name: "Content-Type", value: contentType)]
        if coding != .identity { headers.append(("Content-Encoding", coding.token)) }
        if let tag = entityTag(coding) { headers.append(("ETag", tag)) }
        headers.append(("Cache-Control", cacheControl))
        headers += origins.headers(at: origin, vary: vary)
        // The body has it too. A header of more than the library's buffer could not be sent at all.
        if let next, next.utf8.count <= Self.longestLink { headers.append(("Link", "<\(next)>; rel=\"next\"")) }
        return headers + added
    }
}

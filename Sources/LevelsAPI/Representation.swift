import ContentCodings

/// What the header lines tell of a representation, whatever its coding (RFC 9110, section 8).
struct Representation {
    let contentType: String
    /// The strong tag of the body as it is, with its quotes; nil where the answer has none.
    let entityTag: String?
    let cacheControl: String
    /// The request fields that chose it, `Origin` aside.
    let vary: String?
    /// The target of the next page.
    var next: String?

    /// The tag of the body in a coding.
    func entityTag(_ coding: ContentCoding) -> String? { entityTag.map { EntityTag.of($0, coding) } }

    /// The header lines of the body in a coding, for a client of an origin.
    func headers(
        _ coding: ContentCoding, _ origins: AllowedOrigins, _ origin: AllowedOrigins.Place
    ) -> [(name: String, value: String)] {
        var headers = [(name: "Content-Type", value: contentType)]
        if coding != .identity { headers.append(("Content-Encoding", coding.token)) }
        if let tag = entityTag(coding) { headers.append(("ETag", tag)) }
        headers.append(("Cache-Control", cacheControl))
        headers += origins.headers(at: origin, vary: vary)
        if let next { headers.append(("Link", "<\(next)>; rel=\"next\"")) }
        return headers
    }
}

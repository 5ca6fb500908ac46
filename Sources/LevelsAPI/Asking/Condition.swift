import HTTPServer

/// The conditions of a request on the representation that it selects (RFC 9110, section 13.2.2), evaluated only here.
struct Condition {
    private let request: Request
    /// The version in `since`, which replaces a missing `If-None-Match` in a request that waits.
    private let version: RequestedVersion?

    /// The conditions in the header of a request.
    @inline(__always)
    init(_ request: Request) {
        self.request = request
        version = nil
    }

    /// The conditions in the header and in the query of a request.
    init(_ request: Request, _ query: LevelQuery) {
        self.request = request
        version = query.wait == nil ? nil : query.since
    }

    /// Whether the header says which representation the client has.
    var isInHeader: Bool { request.has(.ifNoneMatch) }

    /// Whether the client already has the representation with this tag, so that it gets no body.
    ///
    /// `If-Match` is evaluated first, and once: a request that then waits gets the new representation.
    ///
    /// - Parameter tag: the strong entity tag with its quotes; nil for a representation without one.
    /// - Throws: `Problem` (412) if `If-Match` contains only other tags.
    @inline(__always)
    func isNotModified(_ tag: String?) throws(Problem) -> Bool {
        if request.has(.ifMatch) { try EntityTag.checkMatch(tag, of: request) }
        if request.has(.ifNoneMatch) { return EntityTag.isNamed(tag, by: request) }
        guard let version else { return false }
        return EntityTag.isTag(tag, ofVersion: version.text)
    }
}

import HTTPServer

/// The conditions of a request on the representation that it selects, decided here alone (RFC 9110, section 13.2.2).
struct Condition {
    private let request: Request
    /// The version that counts as the client's if a request without `If-None-Match` waits for another.
    private let version: RequestedVersion?

    /// The conditions in the header of a request.
    @inline(__always)
    init(_ request: Request) {
        self.request = request
        version = nil
    }

    /// The conditions of a request whose query has been read.
    init(_ request: Request, _ query: LevelQuery) {
        self.request = request
        version = query.wait == nil ? nil : query.since
    }

    /// Whether the client has the representation with a tag already, so that it gets no body.
    ///
    /// `If-Match` is judged first, and once: a request that then waits gets what it waited for.
    ///
    /// - Parameter tag: the strong entity tag with its quotes; nil for a representation without one.
    /// - Throws: `Problem` (412) if `If-Match` names other representations only.
    @inline(__always)
    func isHad(_ tag: String?) throws(Problem) -> Bool {
        if request.has(.ifMatch) { try EntityTag.checkMatch(tag, of: request) }
        if request.has(.ifNoneMatch) { return EntityTag.isNamed(tag, by: request) }
        guard let version else { return false }
        return EntityTag.isTag(tag, ofVersion: version.text)
    }
}

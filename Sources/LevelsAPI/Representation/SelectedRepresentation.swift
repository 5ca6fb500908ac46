import HTTPServer
import Levels

/// The representation that a request selects (RFC 9110, section 3.2): its tag is known, its response made when needed.
struct SelectedRepresentation {
    typealias HeaderLines = [(name: String, value: String)]

    let item: Item
    /// The strong entity tag with its quotes, if there is one.
    let entityTag: String?
    private let headers: HeaderLines
    /// The 304, where it is there already.
    private let kept: Response?
    private let make: (HeaderLines) throws(Problem) -> Response

    /// One that is rendered.
    init(_ answer: RenderedAnswer, of item: Item) {
        self.item = item
        entityTag = answer.entityTag
        headers = answer.response.headers
        kept = answer.notModified
        make = { more throws(Problem) in
            guard !more.isEmpty else { return answer.response }
            let response = answer.response
            return Response(status: 200, headers: response.headers + more, body: Array(copying: response.body))
        }
    }

    /// One whose response is made when it is wanted, anew each time.
    ///
    /// - Parameter make: gives the response with the header lines of its own and those it is given.
    init(
        entityTag: String?, headers: HeaderLines, of item: Item,
        make: @escaping (HeaderLines) throws(Problem) -> Response
    ) {
        self.item = item
        self.entityTag = entityTag
        self.headers = headers
        self.make = make
        kept = nil
    }

    /// - Throws: `Problem` (406) for text that the format cannot carry.
    func response(adding more: HeaderLines) throws(Problem) -> Response { try make(more) }

    /// 304 with the header fields that a 200 has (RFC 9110, section 15.4.5).
    func notModified(adding more: HeaderLines) -> Response {
        if more.isEmpty, let kept { return kept }
        return Response(status: 304, headers: headers + more)
    }
}

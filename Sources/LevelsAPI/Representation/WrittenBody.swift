import ContentCodings
import HTTPServer
import PropertyLists

/// A body in memory, which is coded on demand.
///
/// Used by one thread.
final class WrittenBody: RepresentationBody {
    private var rendering: Rendering?
    private let coding: ContentCoding
    /// Makes what is sent instead of the body; nil if the body is always sent.
    private let replacement: (() throws(Problem) -> Rendering?)?
    private var made: Response?
    private(set) var isReplaced = false

    /// - Parameter replacement: called when the body is needed; if it returns nil, the body itself is sent.
    init(
        _ rendering: consuming Rendering, _ coding: ContentCoding,
        replacement: (() throws(Problem) -> Rendering?)? = nil
    ) {
        self.rendering = consume rendering
        self.coding = coding
        self.replacement = replacement
    }

    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response {
        if let made { return made.adding(more) }
        if let replacement, let other = try replacement() {
            rendering = consume other
            isReplaced = true
        }
        guard let rendering = rendering.take() else { throw .unwritten }
        let response = try rendering.response(coding, headers: headers)
        made = response
        return response.adding(more)
    }
}

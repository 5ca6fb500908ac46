import HTTPServer

/// What makes the responses of one representation.
protocol RepresentationBody: AnyObject {
    /// Whether something else is sent in place of what was written.
    var isReplaced: Bool { get }

    /// The response with the header lines of the representation and some more.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot carry.
    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response
}

extension RepresentationBody {
    var isReplaced: Bool { false }
}

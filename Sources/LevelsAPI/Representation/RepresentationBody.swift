import HTTPServer

/// Makes the responses of one representation.
protocol RepresentationBody: AnyObject {
    /// Whether a replacement is sent instead of the written body.
    var isReplaced: Bool { get }

    /// Returns the response with the header lines of the representation and further ones.
    ///
    /// - Throws: `Problem` (406) for text that the format cannot represent.
    func response(
        _ headers: Representation.HeaderLines, adding more: Representation.HeaderLines
    ) throws(Problem) -> Response
}

extension RepresentationBody {
    var isReplaced: Bool { false }
}

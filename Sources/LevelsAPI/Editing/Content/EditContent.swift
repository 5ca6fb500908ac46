import Bytes
import HTTPServer
import PropertyLists

/// What the body of an edit may be.
enum EditContent: Sendable {
    /// Nothing is read; a body is ignored.
    case none
    /// JSON or a property list.
    case value
    /// The same, or a merge patch (RFC 7396).
    case patch
    /// A whole document.
    case document

    /// The media types of the bodies.
    var types: [String] {
        switch self {
        case .none: []
        case .value, .document: ["application/json", "application/x-plist"]
        case .patch: ["application/merge-patch+json", "application/json", "application/x-plist"]
        }
    }

    /// Refuses a request whose header does not announce such a body.
    ///
    /// - Throws: `Problem` (411, 415).
    func check(_ request: Request) throws(Problem) {
        guard self != .none else { return }
        guard request.has(.contentLength) || request.has(.transferEncoding) else { throw .lengthRequired }
        try checkType(request.field(.contentType))
        guard let coding = request.field(.contentEncoding), coding.lowercased() != "identity" else { return }
        throw .contentCoding(coding)
    }

    private func checkType(_ field: String?) throws(Problem) {
        guard let field, !field.isEmpty else {
            throw mediaTypeProblem("The request has no Content-Type")
        }
        // As most clients write it.
        if types.contains(field) { return }
        guard let type = MediaType(field), types.contains(type.name) else {
            throw mediaTypeProblem("A body of the type '\(quoted: field)' cannot be read")
        }
        guard type.charset == nil || type.charset == "utf-8" || type.name == "application/x-plist" else {
            throw mediaTypeProblem("A body in '\(quoted: type.charset ?? "")' cannot be read; write JSON in UTF-8")
        }
    }

    private func mediaTypeProblem(_ fact: String) -> Problem {
        let list = types.joined(separator: ", ")
        var problem = Problem(
            .unsupportedMediaType, "\(fact); the types are \(list).", members: [("allowed", .list(types))])
        // RFC 5789, section 2.2.
        if self == .patch { problem.headers = [("Accept-Patch", list)] }
        return problem
    }
}

extension Problem {
    fileprivate static let lengthRequired = Problem(
        .lengthRequired, "This request needs a body; send one, with Content-Length or in chunks.")

    fileprivate static func contentCoding(_ coding: String) -> Problem {
        var problem = Problem(
            .unsupportedMediaType,
            "A body with the Content-Encoding '\(quoted: coding)' cannot be read; send it without.")
        // RFC 9110, section 15.5.16.
        problem.headers = [("Accept-Encoding", "identity")]
        return problem
    }
}

import Bytes
import HTTPServer
import Levels
import PropertyLists

/// A problem that is sent as the answer (RFC 9457).
struct Problem: Error {
    let kind: ProblemKind
    /// A sentence about this case.
    var detail: String
    /// Further members, in order.
    var members: [(name: StaticString, value: Member)] = []
    /// Header lines for this case.
    var headers: [(name: String, value: String)] = []

    enum Member {
        case text(String)
        case list([String])
        /// A link in canonical form.
        case link(String)
        case flag(Bool)
        case number(Int)
        case values([PropertyListValue])
    }

    init(_ kind: ProblemKind, _ detail: String, members: [(name: StaticString, value: Member)] = []) {
        self.kind = kind
        self.detail = detail
        self.members = members
    }

    /// A violation of HTTP, or of a limit of the server.
    init(badRequest reason: String, status: Int) { self.init(.of(status: status), reason) }

    /// 500 for an answer that cannot be sent.
    ///
    /// - Parameter id: the identifier under which the log has the reason.
    init(fault id: String) {
        let detail = "The answer cannot be sent; the server's log has the reason under '\(id)'."
        self.init(.internalFault, detail, members: [("id", .text(id))])
    }

    /// 400 for a parameter that is unknown, malformed or meaningless here.
    static func badParameter(_ name: String, _ detail: String, allowed: [String] = []) -> Problem {
        var members: [(name: StaticString, value: Member)] = [("parameter", .text(name))]
        if !allowed.isEmpty { members.append(("allowed", .list(allowed))) }
        return Problem(.badParameter, detail, members: members)
    }

    /// 500 for an answer that could not be written; no such answer is known.
    static let unwritten = Problem(.internalFault, "The answer could not be written.")

    /// 412 for a false `If-Match`.
    ///
    /// - Parameter tag: the representation's current entity tag.
    static func preconditionFailed(current tag: String) -> Problem {
        Problem(
            .preconditionFailed, "If-Match does not contain the current entity tag of this resource, \(tag).",
            members: [("current", .text(tag))])
    }

    /// 405 for a method that the endpoint does not allow.
    static func methodNotAllowed(_ allowed: [String]) -> Problem {
        let allow = allowed.joined(separator: ", ")
        var problem = Problem(
            .methodNotAllowed, "This resource allows only \(allow).", members: [("allowed", .list(allowed))])
        problem.headers = [("Allow", allow)]
        return problem
    }

    /// 404 for an asset that does not exist, or is never served.
    static func noSuchFile(_ name: String) -> Problem {
        Problem(.noSuchFile, "There is no file '\(quoted: name)' in the assets folder.")
    }

    /// 416 for ranges that are not in a file.
    ///
    /// - Parameter length: the length of the file in bytes.
    static func rangeNotSatisfiable(length: Int) -> Problem {
        var problem = Problem(
            .rangeNotSatisfiable, "The file has \(Quantity(length, "byte")); none of the ranges in Range is within it.")
        problem.headers = [("Content-Range", "bytes */\(length)")]
        return problem
    }

    /// 503 from `/readyz` while the service is about to stop.
    static let draining = Problem(.draining, "The service stops soon; send new requests to another one.")

    /// 503 if too many files are open.
    static let tooManyFiles = Problem(
        .tooManyFiles, "The limit of files that are sent at once is reached. Try again later.")

    /// 503 if the limit of waiting requests is reached.
    static let tooManyWaiters = Problem(
        .tooManyWaiters,
        "The limit of waiting requests is reached. Send the request without 'wait', or try again later.")

    /// 503 if the answers on their way take all of their memory.
    static let tooManyAnswers = Problem(
        .tooManyAnswers,
        "The long answers on their way take all the memory that they may have. Ask for fewer rows, or try again after the seconds in Retry-After."
    )

    /// 503 if too many requests that take long are ahead.
    ///
    /// - Parameter time: how long they are expected to take.
    static func tooBusy(for time: Duration) -> Problem {
        var problem = Problem(
            .tooBusy,
            "Too many requests that look through many items are ahead of this one. Try again after the seconds in Retry-After."
        )
        let seconds = time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        problem.headers = [("Retry-After", "\(min(max(seconds, 1), 300))")]
        return problem
    }

    /// 503 for an answer for which there is not enough memory.
    static let outOfMemory = Problem(
        .outOfMemory,
        "There is not enough memory for the answer. Ask for less, or try again after the seconds in Retry-After.")

    /// The response; `instance` is the target as it was sent.
    func response(instance: String, headers: [(name: String, value: String)] = []) -> Response {
        var body = ByteBuffer()
        do {
            body = try write(instance: instance)
        } catch {
            // A JSON writer accepts any text, and every container is closed here.
            body.append("{}\n" as StaticString)
        }
        let all =
            [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")] + kind.row.headers
            + self.headers
            + headers
        return unsafe Response(status: kind.status, headers: all, takingOver: body.release())
    }

    /// A problem's response with the identifier of the request as its last member; any other response as it is.
    ///
    /// Responses are shared by requests that wait for the same, so the identifier is added when one is sent.
    static func naming(_ id: String, in response: Response) -> Response {
        let end = Array("}\n".utf8)
        let body = Array(copying: response.body)
        guard response.header("Content-Type") == "application/problem+json", body.suffix(end.count) == end[...] else {
            return response
        }
        return Response(
            status: response.status, headers: response.headers,
            body: body.dropLast(end.count) + Array(",\"id\":\"\(id)\"".utf8) + end)
    }

    private func write(instance: String) throws(PropertyListError) -> ByteBuffer {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        let row = kind.row
        try writer.member("type", "/problems/\(row.name)")
        try writer.member("title", row.title)
        writer.member("status", row.status)
        try writer.member("detail", detail)
        try writer.member("instance", instance)
        for (name, value) in members {
            switch value {
            case .text(let text), .link(let text): try writer.member(name, text)
            case .flag(let flag): writer.member(name, flag)
            case .number(let number): writer.member(name, number)
            case .values(let values):
                writer.member(name)
                try PropertyListValue.array(values).tell(to: &writer)
            case .list(let texts):
                writer.member(name)
                writer.beginList()
                for text in texts { writer.text(text.utf8Span.span) }
                writer.endList()
            }
        }
        writer.endObject()
        writer.endLine()
        return try writer.body()
    }
}

import Bytes
import HTTPServer
import Levels
import PropertyLists

typealias HeaderLines = [(name: String, value: String)]

/// A problem that is sent as the answer (RFC 9457).
struct Problem: Error {
    typealias Members = [(name: StaticString, value: Member)]

    let kind: ProblemKind
    /// A sentence about this case.
    var detail: String
    /// Further members, in order.
    var members: Members = []
    /// Header lines for this case.
    var headers: HeaderLines = []

    enum Member {
        case text(String)
        /// A link without the base path.
        case link(String)
        case list([String])
        case flag(Bool)
        case number(Int)
        case values([PropertyListValue])
    }

    init(_ kind: ProblemKind, detail: String, members: Members = [], headers: HeaderLines = []) {
        assert(ProblemKind.all.contains(kind), "'\(kind.name)' is not in ProblemKind.all")
        self.kind = kind
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// A violation of HTTP, or of a limit of the server.
    init(badRequest reason: String, status: Int) { self.init(.of(status: status), detail: reason) }

    /// 500 for an answer that cannot be sent. The log contains the reason under the identifier.
    init(fault id: String) {
        let detail = "The answer cannot be sent; the server's log has the reason under '\(id)'."
        self.init(.internalFault, detail: detail, members: [("id", .text(id))])
    }

    /// 400 for a parameter that is unknown, malformed or meaningless here.
    static func badParameter(_ name: String, detail: String, allowed: [String] = []) -> Problem {
        let list: Members = allowed.isEmpty ? [] : [("allowed", .list(allowed))]
        return Problem(.badParameter, detail: detail, members: [("parameter", .text(name))] + list)
    }

    /// 500 for an answer that could not be written, which is not known to happen.
    static let unwritten = Problem(.internalFault, detail: "The answer could not be written.")

    /// 412 for a false `If-Match`, with the current entity tag of the representation.
    static func preconditionFailed(current tag: String) -> Problem {
        Problem(
            .preconditionFailed, detail: "If-Match does not contain the current entity tag of this resource, \(tag).",
            members: [("current", .text(tag))])
    }

    /// 405 with `Allow`.
    ///
    /// - Parameter advice: a further sentence for this case; nil without one.
    static func methodNotAllowed(_ allowed: [String], advice: String? = nil) -> Problem {
        let allow = allowed.joined(separator: ", ")
        return Problem(
            .methodNotAllowed, detail: "This resource allows only \(allow)." + (advice.map { " " + $0 } ?? ""),
            members: [("allowed", .list(allowed))], headers: [("Allow", allow)])
    }

    /// 404 for an asset that does not exist, or is never served.
    static func noSuchFile(_ name: String) -> Problem {
        Problem(.noSuchFile, detail: "There is no file '\(quoted: name)' in the assets folder.")
    }

    /// 416 for ranges outside a file of this many bytes.
    static func rangeNotSatisfiable(length: Int) -> Problem {
        Problem(
            .rangeNotSatisfiable,
            detail: "The file has \(Quantity(count: length, noun: "byte")); none of the ranges in Range is within it.",
            headers: [("Content-Range", "bytes */\(length)")])
    }

    /// 503 from `/readyz` while the service is about to stop.
    static let draining = Problem(.draining, detail: "The service stops soon; send new requests to another server.")

    static let tooManyFiles = Problem(
        .tooManyFiles, detail: "The limit of files that are sent at the same time is reached. Try again later.")

    /// 503 for a request that waits when the server stops.
    ///
    /// Nginx must not store it. All who waited come back to the same link when the server runs again, and nginx collapses
    /// requests for what it lacks, but not for what has expired.
    static let stoppedWait = Problem(
        .stopping, detail: "The server stopped before the wait was over. Send the same request again.",
        headers: [("X-Accel-Expires", "0")])

    static let tooManyWaiters = Problem(
        .tooManyWaiters,
        detail: "The limit of waiting requests is reached. Send the request without 'wait', or try again later.")

    /// 503 if the answers that are being sent leave no memory for this answer.
    static let tooManyAnswers = Problem(
        .tooManyAnswers,
        detail:
            "The long answers that are being sent use all the memory allowed for them. Ask for fewer rows, or try again after the seconds in Retry-After."
    )

    /// 503 if too many requests that take long are ahead of this one. `time` is the expected wait, for `Retry-After`.
    static func tooBusy(for time: Duration) -> Problem {
        let seconds = time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        return Problem(
            .tooBusy,
            detail:
                "Too many requests that look through many items are ahead of this one. Try again after the seconds in Retry-After.",
            headers: [("Retry-After", "\(min(max(seconds, 1), 300))")])
    }

    /// 503 if there is not enough memory for the answer.
    static let outOfMemory = Problem(
        .outOfMemory,
        detail:
            "There is not enough memory for the answer. Ask for less, or try again after the seconds in Retry-After.")

    /// Makes the response.
    ///
    /// - Parameters:
    ///   - instance: the target of the request, without the base path.
    ///   - basePath: the path with which all links begin.
    func response(
        instance: String, under basePath: String = "", cacheControl: String = "no-store", headers: HeaderLines = []
    ) -> Response {
        var body = ByteBuffer()
        do {
            body = try write(instance: instance, under: basePath)
            if Self.isPretty(instance) { body = Self.indented(body) }
        } catch {
            // Not reached: a JSON writer accepts any text, and every container is closed here.
            body.append("{}\n" as StaticString)
        }
        let common = [
            ("Content-Type", "application/problem+json"), ("Cache-Control", cacheControl),
            ("X-Content-Type-Options", "nosniff"),
        ]
        let all = common + kind.headers + self.headers + headers
        return Response(status: kind.status, headers: all, body: unsafe .init(takingOver: body.release()))
    }

    /// Whether the query of a target asks for indented answers.
    private static func isPretty(_ target: String) -> Bool {
        let parts = target.split(separator: "?", maxSplits: 1).dropFirst().first?.split(separator: "&") ?? []
        return parts.contains("pretty=true") || parts.contains("pretty")
    }

    private static func indented(_ compact: consuming ByteBuffer) -> ByteBuffer {
        var body = ByteBuffer(capacity: compact.count * 2)
        var indentation = JSONIndentation()
        indentation.append(compact.span, to: &body)
        return body
    }

    /// Adds the identifier of the request to a problem's response, as the last member. Returns any other response
    /// unchanged.
    ///
    /// Requests that wait for the same answer share a response, so the identifier is added when the response is sent.
    static func naming(_ id: String, in response: Response) -> Response {
        let body = Array(copying: response.body)
        let isIndented = body.starts(with: "{\n".utf8)
        let end = Array((isIndented ? "\n}\n" : "}\n").utf8)
        let member = isIndented ? ",\n  \"id\": \"\(id)\"" : ",\"id\":\"\(id)\""
        guard response.header("Content-Type") == "application/problem+json", body.suffix(end.count) == end[...] else {
            return response
        }
        return Response(
            status: response.status, headers: response.headers,
            body: body.dropLast(end.count) + Array(member.utf8) + end)
    }

    private func write(instance: String, under basePath: String) throws(PropertyListError) -> ByteBuffer {
        var writer: JSONPropertyListWriter = .init()
        writer.beginObject()
        try writer.member("type", "\(basePath)/problems/\(kind.name)")
        try writer.member("title", kind.title)
        writer.member("status", kind.status)
        try writer.member("detail", detail)
        // The target is empty if the request line is invalid.
        try writer.member("instance", instance.hasPrefix("/") ? basePath + instance : instance)
        for (name, value) in members {
            switch value {
            case .text(let text): try writer.member(name, text)
            case .link(let link): try writer.member(name, basePath + link)
            case .flag(let flag): writer.member(name, flag)
            case .number(let number): writer.member(name, number)
            case .list(let texts): try writer.member(name, list: texts)
            case .values(let values):
                writer.member(name)
                try PropertyListValue.array(values).tell(to: &writer)
            }
        }
        writer.endObject()
        writer.endLine()
        return try writer.body()
    }
}

extension AnswerWriter where Self: ~Copyable {
    /// Writes a list of texts, or of links to which the base path is added.
    mutating func member(
        _ name: StaticString, list texts: [String], under basePath: String = ""
    ) throws(PropertyListError) {
        member(name)
        beginList()
        for text in texts { try self.text(basePath + text) }
        endList()
    }
}

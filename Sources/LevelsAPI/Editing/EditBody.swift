import Bytes
import HTTPFields
import HTTPServer
import Heap
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

/// The value of `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType: Equatable {
    /// The type and the subtype, in lower case.
    let name: String
    /// The parameter of that name, in lower case; nil if there is none.
    private(set) var charset: String?

    /// Nil for text without a type.
    init?(_ text: String) {
        var parts: [String] = []
        text.utf8Span.span.forEachElement(dividedBy: UInt8(ascii: ";")) { part in
            parts.append(String(utf8: part).lowercased())
            return true
        }
        guard let name = parts.first, name.split(separator: "/", omittingEmptySubsequences: false).count == 2 else {
            return nil
        }
        self.name = name
        for part in parts.dropFirst() where part.hasPrefix("charset=") {
            charset = part.dropFirst(8).filter { $0 != "\"" }
        }
    }
}

/// The body of an edit as it was sent.
struct SentBody: Sendable {
    private let bytes: [UInt8]
    /// Whether the types are exactly those that are meant, as in a property list.
    let isExact: Bool

    /// Reading more than this takes so long that it is not done on the threads that serve reads.
    private static let longest = 64 << 10

    init(_ request: Request) {
        bytes = request.body
        isExact = request.field(.contentType).flatMap(MediaType.init)?.name == "application/x-plist"
    }

    var isLong: Bool { bytes.count > Self.longest }

    /// The value in the body; time is linear in its bytes.
    ///
    /// - Parameter limit: the array whose elements are counted as they are read.
    /// - Throws: `Problem` (400) with the place of what is malformed; 422 for an element beyond the limit; 503 without
    ///   memory for the value.
    func value(_ limit: EditSteps.Limit? = nil) throws(Problem) -> PropertyListValue {
        // Each value takes many times the bytes that it has in the body.
        let size = bytes.count * Self.mostBytesOfByte
        guard bytes.count < Self.shortBody || MemoryBudget.hasRoom(for: size) else { throw .outOfMemory }
        let elements = limit.map { PropertyListElementLimit(key: $0.key, count: $0.count, error: Self.beyondLimit) }
        do throws(PropertyListError) {
            return isExact
                ? try PropertyListValue(propertyList: bytes, limits: Self.limits, elements: elements)
                : try json(elements)
        } catch {
            if let limit, error.reason == Self.beyondLimit.reason { throw limit.problem }
            throw .malformedContent(error)
        }
    }

    private static let beyondLimit = PropertyListError("an array has more elements than it may have")

    /// Reads JSON, which is UTF-8 between programs (RFC 8259, section 8.1); the reader takes files in UTF-16 too.
    private func json(_ elements: PropertyListElementLimit?) throws(PropertyListError) -> PropertyListValue {
        // No JSON in UTF-8 has one of these bytes, and any in UTF-16 or UTF-32 does.
        guard !bytes.contains(where: { $0 == 0 || $0 >= 0xFE }) else {
            throw PropertyListError("the body is not text in UTF-8", at: .text(line: 1, column: 1))
        }
        return try PropertyListValue(json: bytes, limits: Self.limits, elements: elements)
    }

    /// An empty array takes two bytes and a comma in JSON.
    private static let mostBytesOfByte = 48
    private static let shortBody = 16 << 10

    /// Far less nesting than a document may have: a body is one item, or some.
    private static let limits = PropertyListLimits(nesting: 512)
}

extension Problem {
    /// 400 for a body that is not in the format that it says.
    static func malformedContent(_ error: PropertyListError) -> Problem {
        var members: [(name: StaticString, value: Member)] = []
        switch error.position {
        case .text(let line, let column): members = [("line", .number(line)), ("column", .number(column))]
        case .byte(let offset): members = [("offset", .number(offset))]
        case nil: break
        }
        let reason = error.reason.replacing("the document", with: "the body")
        let detail = "The body cannot be read: \(reason)\(reason.hasSuffix("?") ? "" : ".")"
        return Problem(.malformedContent, detail, members: members)
    }
}

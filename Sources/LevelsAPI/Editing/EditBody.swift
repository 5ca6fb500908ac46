import Bytes
import HTTPFields
import HTTPServer
import Heap
import PropertyLists

/// The bodies that an edit accepts.
enum EditContent: Sendable {
    /// No body; if a body is sent, it is ignored.
    case none
    /// JSON or a property list.
    case value
    /// `value`, or a merge patch (RFC 7396).
    case patch
    /// A whole document.
    case document

    var types: [String] {
        switch self {
        case .none: []
        case .value, .document: ["application/json", "application/x-plist"]
        case .patch: ["application/merge-patch+json", "application/json", "application/x-plist"]
        }
    }

    /// - Throws: `Problem` (411, 415) for a request whose header does not announce a body of this kind.
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
        // Most clients send exactly this form.
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
        return Problem(
            .unsupportedMediaType, detail: "\(fact); the types are \(list).", members: [("allowed", .list(types))],
            // RFC 5789, section 2.2.
            headers: self == .patch ? [("Accept-Patch", list)] : [])
    }
}

extension Problem {
    fileprivate static let lengthRequired = Problem(
        .lengthRequired, detail: "This request needs a body; send one, with Content-Length or in chunks.")

    fileprivate static func contentCoding(_ coding: String) -> Problem {
        // RFC 9110, section 15.5.16.
        Problem(
            .unsupportedMediaType,
            detail: "A body with the Content-Encoding '\(quoted: coding)' cannot be read; send it without.",
            headers: [("Accept-Encoding", "identity")])
    }
}

/// The value of `Content-Type` (RFC 9110, section 8.3.1).
struct MediaType: Equatable {
    /// In lower case.
    let name: String
    /// In lower case.
    private(set) var charset: String?

    /// Whether the value of `Content-Type` names a property list.
    static func isPropertyList(_ field: String) -> Bool {
        // Most clients send a name alone.
        if EditContent.patch.types.contains(field) { return field == "application/x-plist" }
        return MediaType(field)?.name == "application/x-plist"
    }

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
    /// Whether the client states the types of the values, as in a property list.
    let isExact: Bool

    /// The maximum length of a body that is parsed on the threads that serve reads.
    private static let longest = 64 << 10

    init(_ request: Request) {
        bytes = request.body
        isExact = request.field(.contentType).map(MediaType.isPropertyList) ?? false
    }

    var isLong: Bool { bytes.count > Self.longest }

    /// The value in the body. The time is linear in the length of the body.
    func value() throws(Problem) -> PropertyListValue {
        // A value takes many times the memory of its bytes in the body.
        let size = bytes.count * Self.mostBytesOfByte
        guard bytes.count < Self.shortBody || MemoryBudget.hasRoom(for: size) else { throw .outOfMemory }
        do throws(PropertyListError) {
            return isExact ? try PropertyListValue(propertyList: bytes, limits: Self.limits) : try json()
        } catch {
            throw .malformedContent(error)
        }
    }

    /// Reads JSON in UTF-8 (RFC 8259, section 8.1). The JSON reader also accepts UTF-16, but only files may be in
    /// UTF-16.
    private func json() throws(PropertyListError) -> PropertyListValue {
        // JSON in UTF-8 contains none of these bytes. JSON in UTF-16 or UTF-32 always contains some of them.
        guard !bytes.contains(where: { $0 == 0 || $0 >= 0xFE }) else {
            throw PropertyListError(reason: "the body is not text in UTF-8", at: .text(line: 1, column: 1))
        }
        return try PropertyListValue(json: bytes, limits: Self.limits)
    }

    /// The maximum memory for each byte of a body, in bytes. An empty array takes the most: it is two bytes and a comma
    /// in JSON.
    private static let mostBytesOfByte = 48
    private static let shortBody = 16 << 10

    /// A body may be nested far less deeply than a document, because a body is one item or a few items.
    private static let limits = PropertyListLimits(nesting: 512)
}

extension Problem {
    /// 400 for a malformed body.
    static func malformedContent(_ error: PropertyListError) -> Problem {
        let members: Members =
            switch error.position {
            case .text(let line, let column): [("line", .number(line)), ("column", .number(column))]
            case .byte(let offset): [("offset", .number(offset))]
            case nil: []
            }
        let reason = error.reason.replacing("the document", with: "the body")
        let detail = "The body cannot be read: \(reason)".withFullStop
        return Problem(.malformedContent, detail: detail, members: members)
    }
}

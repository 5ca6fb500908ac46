import HTTPServer
import Heap
import PropertyLists

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

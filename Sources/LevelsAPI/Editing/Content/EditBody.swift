import HTTPServer
import Heap
import PropertyLists

/// The value in the body of an edit.
struct EditBody {
    let value: PropertyListValue
    /// Whether the types are exactly those that are meant, as in a property list.
    let isExact: Bool

    /// - Throws: `Problem` (400) with the place of what is malformed.
    init(_ request: Request) throws(Problem) {
        isExact = request.field(.contentType).flatMap(MediaType.init)?.name == "application/x-plist"
        // Each value takes many times the bytes that it has in the body.
        let size = request.body.count * Self.mostBytesOfByte
        guard request.body.count < Self.shortBody || MemoryBudget.hasRoom(for: size) else { throw .outOfMemory }
        do throws(PropertyListError) {
            value =
                isExact
                ? try PropertyListValue(propertyList: request.body, limits: Self.limits)
                : try Self.value(json: request.body)
        } catch {
            throw .malformedContent(error)
        }
    }

    /// Reads JSON, which is UTF-8 between programs (RFC 8259, section 8.1); the reader takes files in UTF-16 too.
    private static func value(json body: [UInt8]) throws(PropertyListError) -> PropertyListValue {
        // No JSON in UTF-8 has one of these bytes, and any in UTF-16 or UTF-32 does.
        guard !body.contains(where: { $0 == 0 || $0 >= 0xFE }) else {
            throw PropertyListError("the body is not text in UTF-8", at: .text(line: 1, column: 1))
        }
        return try PropertyListValue(json: body, limits: limits)
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

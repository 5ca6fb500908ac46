import HTTPServer
import PropertyLists

/// The value in the body of an edit.
struct EditBody {
    let value: PropertyListValue
    /// Whether the types are exactly those that are meant, as in a property list.
    let isExact: Bool

    /// - Throws: `Problem` (400) with the place of what is malformed.
    init(_ request: Request) throws(Problem) {
        isExact = request.field(.contentType).flatMap(MediaType.init)?.name == "application/x-plist"
        do throws(PropertyListError) {
            value =
                isExact
                ? try PropertyListValue(propertyList: request.body, limits: Self.limits)
                : try PropertyListValue(json: request.body, limits: Self.limits)
        } catch {
            throw .malformedContent(error)
        }
    }

    private static let limits = PropertyListLimits()
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

import Bytes
import PropertyLists

/// What is read into the same member of several queries is described once.
extension QueryOption {
    fileprivate static let format = QueryOption(
        name: "format", grammar: "\"json\" / \"plist\"", example: "json",
        summary: "The format of the answer, instead of the one that Accept prefers.")
    fileprivate static let pretty = QueryOption(
        name: "pretty", grammar: "\"true\" / \"false\"", example: "true", defaultValue: "false",
        summary: "Whether JSON is indented, with a line for each member.")
    fileprivate static let wait = QueryOption(
        name: "wait", grammar: "1*3DIGIT", example: "1", range: Wait.limits,
        summary: "How many seconds to wait for an answer that differs from the one the client has.",
        isInNextLink: false)
}

extension QueryReader where Asked: DeliveredQuery {
    /// `format=` of a level or a detail.
    static var format: QueryReader {
        QueryReader(.format) { value, query throws(Problem) in
            switch value {
            case "json": query.delivery.format = .json
            case "plist": query.delivery.format = .plist
            default:
                throw .badParameter(
                    "format", "'format' must be json or plist here, not '\(quoted: value)'.",
                    allowed: ["json", "plist"])
            }
        }
    }

    /// `pretty=`: whether JSON is indented.
    static var pretty: QueryReader {
        QueryReader(.pretty) { value, query throws(Problem) in
            query.delivery.isIndented = try Bool(value, of: "pretty")
            guard !query.delivery.isIndented || query.delivery.format == .json else {
                throw .badParameter("pretty", "'pretty' applies only to JSON; add format=json, or omit 'pretty'.")
            }
        }
    }

    /// `wait=`: how long the request waits for a change. It overrides the preference of the same name.
    static var wait: QueryReader {
        QueryReader(.wait) { value, query throws(Problem) in
            guard let seconds = Int(digits: value.utf8Span.span), Wait.limits.contains(seconds) else {
                throw .badParameter(
                    "wait", "'wait' must be a whole number of seconds from 1 to 300, not '\(quoted: value)'.")
            }
            query.delivery.wait = Wait(seconds: seconds, isPreference: false)
        }
    }
}

extension Bool {
    /// The value of an option that is true or false.
    ///
    /// - Throws: `Problem` (400) for any other text.
    fileprivate init(_ value: String, of name: String) throws(Problem) {
        switch value {
        case "true": self = true
        case "false": self = false
        default:
            throw .badParameter(
                name, "'\(name)' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }
}

extension DocumentQuery {
    /// `format=` of a document, which can also be binary.
    static let format = QueryReader<DocumentQuery>(
        QueryOption(
            name: "format", grammar: "\"plist\" / \"xml\" / \"json\" / \"binary\"", example: "json",
            summary: "The format of the document, instead of the one that Accept prefers.")
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.delivery.format = .json
        case "plist", "xml": query.delivery.format = .plist
        case "binary": query.delivery.format = .binary
        default:
            throw .badParameter(
                "format", "'format' must be plist, json or binary, not '\(quoted: value)'.",
                allowed: ["plist", "json", "binary"])
        }
    }

    /// `inline=`: whether a document has what it takes from other files in place.
    static let inline = QueryReader<DocumentQuery>(
        QueryOption(
            name: "inline", grammar: "\"true\" / \"false\"", example: "true", defaultValue: "true",
            summary: "Whether levels from other files are in place; false gives the document as its own file has it.")
    ) { value, query throws(Problem) in
        query.isInline = try Bool(value, of: "inline")
    }
}

extension LevelQuery {
    /// `since=` of a level: the version that the client has.
    static let since = QueryReader<LevelQuery>(
        QueryOption(
            name: "since", grammar: "22( ALPHA / DIGIT / \"-\" / \"_\" )", pattern: "^[A-Za-z0-9_-]{22}$",
            example: "JyuK7dY9m8TO_ugO9X2M3G",
            summary: "The version of the level that the client has: the answer tells what changed since.",
            isInNextLink: false)
    ) { value, query throws(Problem) in
        guard let version = RequestedVersion(value) else {
            throw .badParameter(
                "since", "'\(quoted: value)' is not a version; use the member 'version' of an earlier answer.")
        }
        query.delivery.since = version
    }
}

extension ChangesQuery {
    /// `since=` of the changes: the revision that the client has. It is opaque, so it is never malformed.
    static let since = QueryReader<ChangesQuery>(
        QueryOption(
            name: "since", grammar: "*CHAR",
            summary: "The revision that the client has: the answer tells what changed since.")
    ) { value, query throws(Problem) in
        query.revision = value
    }
}

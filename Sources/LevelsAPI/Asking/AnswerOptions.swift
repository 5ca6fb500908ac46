import Bytes
import PropertyLists

extension QueryOption {
    /// `format=` of a level or a detail.
    static let format = QueryOption(
        name: "format", grammar: "\"json\" / \"plist\"", example: "json",
        summary: "The format of the answer, instead of the one that Accept prefers.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.format = .json
        case "plist": query.format = .plist
        default:
            throw .badParameter(
                "format", "'format' must be json or plist here, not '\(quoted: value)'.",
                allowed: ["json", "plist"])
        }
    }

    /// `format=` of a document, which can also be binary.
    static let documentFormat = QueryOption(
        name: "format", grammar: "\"plist\" / \"xml\" / \"json\" / \"binary\"", example: "json",
        summary: "The format of the document, instead of the one that Accept prefers.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "json": query.format = .json
        case "plist", "xml": query.format = .plist
        case "binary": query.format = .binary
        default:
            throw .badParameter(
                "format", "'format' must be plist, json or binary, not '\(quoted: value)'.",
                allowed: ["plist", "json", "binary"])
        }
    }

    /// `pretty=`: whether JSON is indented. It is read after the format, because it depends on it.
    static let pretty = QueryOption(
        name: "pretty", grammar: "\"true\" / \"false\"", example: "true", defaultValue: "false",
        summary: "Whether JSON is indented, with a line for each member.", effect: .form
    ) { value, query throws(Problem) in
        switch value {
        case "false": query.isIndented = false
        case "true":
            guard query.format == .json else {
                throw .badParameter("pretty", "'pretty' applies only to JSON; add format=json, or omit 'pretty'.")
            }
            query.isIndented = true
        default:
            throw .badParameter(
                "pretty", "'pretty' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }

    /// `inline=`: whether a document has what it takes from other files in place.
    static let inline = QueryOption(
        name: "inline", grammar: "\"true\" / \"false\"", example: "true", defaultValue: "true",
        summary: "Whether levels from other files are in place; false gives the document as its own file has it.",
        effect: .content
    ) { value, query throws(Problem) in
        switch value {
        case "true": query.isInline = true
        case "false": query.isInline = false
        default:
            throw .badParameter(
                "inline", "'inline' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }

    /// `since=` of a level: the version that the client has.
    static let since = QueryOption(
        name: "since", grammar: "22( ALPHA / DIGIT / \"-\" / \"_\" )", pattern: "^[A-Za-z0-9_-]{22}$",
        example: "JyuK7dY9m8TO_ugO9X2M3G",
        summary: "The version of the level that the client has: the answer tells what changed since.",
        effect: .content, isInNextLink: false
    ) { value, query throws(Problem) in
        guard let version = RequestedVersion(value) else {
            throw .badParameter(
                "since", "'\(quoted: value)' is not a version; use the member 'version' of an earlier answer.")
        }
        query.since = version
    }

    /// `since=` of the changes: the revision that the client has. It is opaque, so it is never malformed.
    static let sinceRevision = QueryOption(
        name: "since", grammar: "*CHAR",
        summary: "The revision that the client has: the answer tells what changed since.",
        effect: .content
    ) { value, query throws(Problem) in
        query.revision = value
    }

    /// `wait=`: how long the request waits for a change. It overrides the preference of the same name.
    static let wait = QueryOption(
        name: "wait", grammar: "1*3DIGIT", example: "1", range: Wait.limits,
        summary: "How many seconds to wait for an answer that differs from the one the client has.", effect: .delivery,
        isInNextLink: false
    ) { value, query throws(Problem) in
        guard let seconds = Int(digits: value.utf8Span.span), Wait.limits.contains(seconds) else {
            throw .badParameter(
                "wait", "'wait' must be a whole number of seconds from 1 to 300, not '\(quoted: value)'.")
        }
        query.wait = Wait(seconds: seconds, isPreference: false)
    }
}

import Bytes
import Levels
import PropertyLists

/// The options that determine the form and the time of an answer.
extension QueryOption {
    static let format = QueryOption(
        name: "format", grammar: "\"json\" / \"plist\"", example: "json",
        summary: "The format of the answer, instead of the one that Accept prefers.", links: [], phase: .format
    ) { value, values throws(Problem) in
        switch value {
        case "json": values.delivery.format = .json
        case "plist": values.delivery.format = .plist
        default:
            throw .badParameter(
                "format", detail: "'format' must be json or plist here, not '\(quoted: value)'.",
                allowed: ["json", "plist"])
        }
    }

    /// `format=` of a level. A level can also be CSV.
    static let levelFormat = QueryOption(
        name: "format", grammar: "\"json\" / \"plist\" / \"csv\"", example: "json",
        summary: "The format of the answer, instead of the one that Accept prefers. CSV has the rows alone.",
        links: [], phase: .format
    ) { value, values throws(Problem) in
        switch value {
        case "json": values.delivery.format = .json
        case "plist": values.delivery.format = .plist
        case "csv": values.delivery.format = .csv
        default:
            throw .badParameter(
                "format", detail: "'format' must be json, plist or csv, not '\(quoted: value)'.",
                allowed: ["json", "plist", "csv"])
        }
    }

    /// `format=` of a document. A document can also be binary.
    static let documentFormat = QueryOption(
        name: "format", grammar: "\"plist\" / \"xml\" / \"json\" / \"binary\"", example: "json",
        summary: "The format of the document, instead of the one that Accept prefers.", phase: .format
    ) { value, values throws(Problem) in
        switch value {
        case "json": values.delivery.format = .json
        case "plist", "xml": values.delivery.format = .plist
        case "binary": values.delivery.format = .binary
        default:
            throw .badParameter(
                "format", detail: "'format' must be plist, json or binary, not '\(quoted: value)'.",
                allowed: ["plist", "json", "binary"])
        }
    }

    /// `format=` of `/changes`.
    static let changesFormat = QueryOption(
        name: "format", grammar: "\"json\"", example: "json",
        summary: "The format of the answer, instead of the one that Accept prefers.", links: [], phase: .format
    ) { value, values throws(Problem) in
        guard value == "json" else {
            throw .badParameter(
                "format", detail: "'format' must be json here, not '\(quoted: value)'.", allowed: ["json"])
        }
    }

    static let inline = QueryOption(
        name: "inline", grammar: flagGrammar, example: "true", defaultValue: "true",
        summary: "Whether levels from other files are in place; false gives the document as its own file has it."
    ) { value, values throws(Problem) in
        values.isInline = try Bool(value: value, of: "inline")
    }

    static let pretty = QueryOption(
        name: "pretty", grammar: flagGrammar, example: "true", defaultValue: "false",
        summary: "Whether JSON is indented, with a line for each member.", phase: .layout
    ) { value, values throws(Problem) in
        values.delivery.isIndented = try Bool(value: value, of: "pretty")
        guard !values.delivery.isIndented || values.delivery.format == .json else {
            throw .badParameter("pretty", detail: "'pretty' applies only to JSON; add format=json, or omit 'pretty'.")
        }
    }

    /// `wait=`, which overrides the preference of the same name.
    static let wait = QueryOption(
        name: "wait", grammar: "1*3DIGIT", example: "1", range: Wait.limits,
        summary: "The number of seconds to wait for an answer that differs from the one the client has.",
        links: [], phase: .delivery
    ) { value, values throws(Problem) in
        guard let seconds = Int(digits: value.utf8Span.span), Wait.limits.contains(seconds) else {
            throw .badParameter(
                "wait", detail: "'wait' must be a whole number of seconds from 1 to 300, not '\(quoted: value)'.")
        }
        values.delivery.wait = Wait(seconds: seconds, isPreference: false)
    }

    static let turn = QueryOption(
        name: "turn", grammar: "1*16DIGIT", example: "1700000000", range: Turn.limits,
        summary:
            "The time of the client's answer, in seconds since 1970: the next answer comes when this second is over, and all who follow the same thing ask again with the same link.",
        links: [], requires: ["since", "wait"], phase: .delivery
    ) { value, values throws(Problem) in
        guard let turn = Int(digits: value.utf8Span.span), Turn.limits.contains(turn) else {
            throw .badParameter(
                "turn",
                detail:
                    "'turn' must be a whole number of seconds from 0 to \(Turn.limits.upperBound), not '\(quoted: value)'; use the link 'follow' of an answer."
            )
        }
        values.delivery.turn = turn
    }

    /// `revision=`, which overrides the header field `Drilldown-Revision`.
    static let leastRevision = QueryOption(
        name: "revision", grammar: "*CHAR",
        summary:
            "For a document in a database: the answer contains this revision or a later one, and a read waits for it if necessary.",
        links: [], phase: .delivery
    ) { value, values in
        values.delivery.revision = value
    }

    /// `since=` of a level or a detail. A version that is unknown, or never was one, is answered whole.
    static let sinceVersion = QueryOption(
        name: "since", grammar: "*CHAR",
        example: "JyuK7dY9m8TO_ugO9X2M3G",
        summary:
            "The version of the client's copy. The answer of a level lists the changes since; a detail is answered whole.",
        links: []
    ) { value, values in
        values.delivery.since = RequestedVersion(value)
    }

    /// `since=` of `/changes`. A revision is opaque, so it is never malformed.
    static let sinceRevision = QueryOption(
        name: "since", grammar: "*CHAR",
        summary: "The client's latest revision; the answer lists the changes since.", links: []
    ) { value, values in
        values.revision = value
    }
}

/// The options of `POST /levels/<path>`.
extension QueryOption {
    static let position = QueryOption(
        name: "at", grammar: "\"first\" / \"last\" / 1*DIGIT / ( \"before:\" / \"after:\" ) key",
        pattern: "^(first|last|[0-9]+|before:[\\s\\S]*|after:[\\s\\S]*)$", example: "first", defaultValue: "last",
        summary: "The position of the new item: first, last, the number of rows before it, or before or after a row."
    ) { value, values throws(Problem) in
        guard let position = Int(digits: value.utf8Span.span).map(RowPosition.offset) ?? RowPosition(name: value)
        else { throw .badParameter("at", detail: "'at' must be \(RowPosition.grammar), not '\(quoted: value)'.") }
        values.position = position
    }

    static let section = QueryOption(
        name: "section", grammar: "1*DIGIT",
        summary:
            "The section of the new item, counted from 0 as the level's answer shows them; without it, the last one."
    ) { value, values throws(Problem) in
        guard let section = Int(digits: value.utf8Span.span) else {
            throw .badParameter(
                "section", detail: "'section' must be the number of a section, from 0, not '\(quoted: value)'.")
        }
        values.section = section
    }
}

extension RowPosition {
    /// The possible positions, for messages.
    static let grammar = "first, last, a number of rows from 0, before:KEY or after:KEY"

    /// Reads a position that is not a number; nil for malformed text.
    init?(name text: String) {
        switch text {
        case "first": self = .first
        case "last": self = .last
        case _ where text.hasPrefix("before:"): self = .before(String(text.dropFirst(7)))
        case _ where text.hasPrefix("after:"): self = .after(String(text.dropFirst(6)))
        default: return nil
        }
    }
}

extension Bool {
    /// - Throws: `Problem` (400) for text other than `true` and `false`.
    init(value: String, of name: String) throws(Problem) {
        switch value {
        case "true": self = true
        case "false": self = false
        default:
            throw .badParameter(
                name, detail: "'\(name)' must be true or false, not '\(quoted: value)'.", allowed: ["true", "false"])
        }
    }
}

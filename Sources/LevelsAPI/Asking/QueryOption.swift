import Bytes
import HTTPFields
import HTTPServer
import Levels

/// A query option: its name, its values, and the function that reads a value.
struct QueryOption: Sendable {
    /// The phase in which an option is read.
    enum Phase: Sendable {
        /// Read before the item is found. The answer does not depend on these options, so caches and waiters ignore
        /// them.
        case delivery
        case content
        case format
        /// Read after the format, which decides whether the option applies.
        case layout
    }

    /// The kinds of links that repeat the options of a request.
    struct Link: OptionSet, Sendable {
        let rawValue: UInt8

        /// The link of another page.
        static let page = Link(rawValue: 1)
        /// The link `follow`.
        static let follow = Link(rawValue: 2)
    }

    let name: String
    /// The values, in the notation of RFC 5234.
    let grammar: String
    /// A regular expression for the values; nil if the grammar and the range are enough for the description.
    var pattern: String?
    /// An example for the description: a value that gets an answer on each level of `Data/Data.plist`.
    var example: String?
    /// The allowed range of a number.
    var range: ClosedRange<Int>?
    var defaultValue: String?
    /// The effect, in one sentence.
    let summary: String
    var isRepeatable = false
    /// The links in answers that repeat the option.
    var links: Link = [.page, .follow]
    /// The names of the options that cannot be combined with this one.
    var excludes: [String] = []
    /// The names of the options that must accompany this one.
    var requires: [String] = []
    var phase = Phase.content
    /// The names of the option in other services, in lower case without `_`, `-` and `$`. The problem about such a name
    /// names the option.
    var otherNames: [String] { Self.otherNames[name] ?? [] }
    /// Reads a value. Throws `Problem` (400) for a malformed value.
    let read: @Sendable (_ value: String, _ values: inout QueryValues) throws(Problem) -> Void
}

extension QueryOption {
    /// The values of a flag. Its name alone means `true`.
    static let flagGrammar = #""true" / "false""#

    var isFlag: Bool { grammar == Self.flagGrammar }

    private static let otherNames = [
        "start": ["page", "pagenumber", "pageindex", "offset", "skip", "from", "first"],
        "limit": ["size", "count", "pagesize", "perpage", "top", "take", "max", "maxresults", "rows"],
        "after": ["cursor", "pagetoken", "nextpage", "startafter"],
        "sort": ["order", "orderby", "sortby", "sortorder", "ordering", "direction"],
        "where": ["filter", "filters", "filterby", "condition", "having"],
        "q": ["search", "query", "text", "find", "term", "keyword", "keywords"],
        "fields": ["select", "columns", "include", "show", "only", "properties"],
        "group": ["groupby", "sectionby"], "depth": ["levels", "recursive", "maxdepth"],
        "format": ["output", "accept", "contenttype"], "wait": ["timeout"], "in": ["searchfields", "searchin"],
    ]

    /// The signs of conditions, by their names in other services.
    static let signs = [
        "eq": ":", "ne": "!", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "like": "~", "contains": "~",
    ]
}

/// The options of an endpoint, in the order in which messages list them.
struct QueryOptions: Sendable {
    let all: [QueryOption]
    let names: [String]
    /// `ofDelivery` lists the numbers of the options of delivery. `ofAnswer` lists the numbers of the others, in the
    /// order of their phases.
    let ofDelivery, ofAnswer: [Int]

    init(_ options: [QueryOption]) {
        func numbers(_ phase: QueryOption.Phase) -> [Int] { options.indices.filter { options[$0].phase == phase } }
        all = options
        names = options.map(\.name)
        ofDelivery = numbers(.delivery)
        ofAnswer = numbers(.content) + numbers(.format) + numbers(.layout)
    }

    subscript(name: String) -> QueryOption? { all.first { $0.name == name } }

    /// The number of the option with a name; nil for an unknown or a percent-encoded name.
    func number(of name: Span<UInt8>) -> Int? {
        for number in names.indices where name.isEqual(to: names[number].utf8Span.span) { return number }
        return nil
    }

    static let none = QueryOptions([])
    /// `GET /levels/<path>`.
    static let level = QueryOptions([
        .limit, .after, .start, .sections, .condition, .alternative, .sort, .searchedFields, .search, .group, .depth,
        .expand,
        .fields, .levelFormat, .pretty, .sinceVersion, .wait, .turn, .leastRevision,
    ])
    /// `GET /detail/<path>`.
    static let detail = QueryOptions([.format, .pretty, .sinceVersion, .wait, .turn, .leastRevision])
    /// `GET /document/<path>`.
    static let document = QueryOptions([.documentFormat, .inline, .pretty, .wait, .leastRevision])
    /// `GET /changes`.
    static let changes = QueryOptions([.sinceRevision, .wait, .turn, .changesFormat, .pretty])
    /// `POST /levels/<path>`.
    static let insertion = QueryOptions([.position, .section, .leastRevision])
    /// The other edits.
    static let edit = QueryOptions([.leastRevision])
    /// `GET /` and `GET /openapi.json`.
    static let layout = QueryOptions([.pretty])
}

/// The values of the query options of a request, or their defaults.
struct QueryValues {
    var rows = RowQuery()
    /// Whether an answer with a document includes the levels from other files.
    var isInline = true
    /// The revision that a client of `/changes` has.
    var revision: String?
    /// The place of a new item.
    var position = RowPosition.last
    /// The number of a new item's section; nil for the last section.
    var section: Int?
    var delivery = Delivery()
}

/// The time at which an answer is sent, and the form in which it is sent.
struct Delivery {
    /// The wait for a change; nil to answer immediately.
    var wait: Wait?
    /// The revision that the answer must contain.
    var revision: String?
    /// The version that the client has.
    var since: RequestedVersion?
    /// The turn that the request names.
    var turn: Int?
    var format = Format.json
    /// Whether JSON is indented.
    var isIndented = false
}

/// The maximum time for which a request waits until its answer changes (manual, Refresh).
struct Wait: Hashable {
    static let limits = 1...300

    let seconds: Int
    /// Whether the wait comes from `Prefer`. The answer then reports the wait in `Preference-Applied` (RFC 7240,
    /// section 3).
    let isPreference: Bool

    /// The wait in the `Prefer` field of a request; a malformed wait is ignored.
    static func preferred(by request: Request) -> Wait? {
        guard request.has(.prefer) else { return nil }
        var isFound = false
        var wait: Wait?
        request.forEachLine(of: .prefer) { line in
            // Only the first of several waits applies (RFC 7240, section 2).
            line.forEachPreference { preference in
                guard !isFound, preference.name.isEqual(ignoringCase: "wait") else { return !isFound }
                isFound = true
                if let seconds = Int(digits: preference.value), seconds >= limits.lowerBound {
                    wait = Wait(seconds: min(seconds, limits.upperBound), isPreference: true)
                }
                return false
            }
        }
        return wait
    }

    var duration: Duration { .seconds(seconds) }

    /// The header lines that report the applied preference.
    var headers: HeaderLines {
        isPreference ? [("Preference-Applied", "wait=\(seconds)")] : []
    }
}

import Bytes
import HTTPFields
import HTTPServer
import Levels

/// A query option: its name, its values, and the function that reads one.
struct QueryOption: Sendable {
    /// The phase in which an option is read.
    enum Phase: Sendable {
        /// Before the item is found. The answer does not depend on these options, so caches and waiters ignore them.
        case delivery
        case content
        case format
        /// After the format, which decides whether the option applies.
        case layout
    }

    let name: String
    /// The values, in the notation of RFC 5234.
    let grammar: String
    /// The values as a regular expression, if the description needs more than the grammar and the range.
    var pattern: String?
    /// A value that gives an answer on each level of `Data/Data.plist`, for the description.
    var example: String?
    /// The allowed range of a number.
    var range: ClosedRange<Int>?
    var defaultValue: String?
    /// The effect, in one sentence.
    let summary: String
    var isRepeatable = false
    /// Whether the link of the next page repeats the option.
    var isInNextLink = true
    /// The names of the options that it cannot be combined with.
    var excludes: [String] = []
    /// The name of the option that must accompany it.
    var requires: String?
    var phase = Phase.content
    /// Throws `Problem` (400) for a malformed value.
    let read: @Sendable (_ value: String, _ values: inout QueryValues) throws(Problem) -> Void
}

/// The options of an endpoint, in the order in which messages list them.
struct QueryOptions: Sendable {
    let all: [QueryOption]
    let names: [String]
    /// The numbers of the options of delivery, and of all other options in the order of their phases.
    let ofDelivery, ofAnswer: [Int]

    init(_ options: [QueryOption]) {
        func numbers(_ phase: QueryOption.Phase) -> [Int] { options.indices.filter { options[$0].phase == phase } }
        all = options
        names = options.map(\.name)
        ofDelivery = numbers(.delivery)
        ofAnswer = numbers(.content) + numbers(.format) + numbers(.layout)
    }

    subscript(name: String) -> QueryOption? { all.first { $0.name == name } }

    /// The number of the option with a name that needs no percent-decoding.
    func number(of name: Span<UInt8>) -> Int? {
        for number in names.indices where name.isEqual(to: names[number].utf8Span.span) { return number }
        return nil
    }

    static let none = QueryOptions([])
    /// `GET /levels/<path>`.
    static let level = QueryOptions([
        .limit, .after, .start, .sections, .condition, .sort, .searchedFields, .search, .group, .depth, .expand,
        .fields, .format, .pretty, .sinceVersion, .wait, .leastRevision,
    ])
    /// `GET /detail/<path>`.
    static let detail = QueryOptions([.format, .pretty, .wait, .leastRevision])
    /// `GET /document/<path>`.
    static let document = QueryOptions([.documentFormat, .inline, .pretty, .wait, .leastRevision])
    /// `GET /changes`.
    static let changes = QueryOptions([.sinceRevision, .wait, .pretty])
    /// `POST /levels/<path>`.
    static let insertion = QueryOptions([.position, .section])
    /// `GET /` and `GET /openapi.json`.
    static let layout = QueryOptions([.pretty])
}

/// The values of the query options of a request, or their defaults.
struct QueryValues {
    var rows = RowQuery()
    /// Whether a document contains the levels of other files.
    var isInline = true
    /// The revision that a client of `/changes` has.
    var revision: String?
    /// The place of a new item.
    var position = RowPosition.last
    /// The number of a new item's section; nil for the last one.
    var section: Int?
    var delivery = Delivery()
}

/// The time and the form in which an answer is sent.
struct Delivery {
    /// The wait for a change; nil to answer at once.
    var wait: Wait?
    /// The revision that the answer must contain.
    var revision: String?
    /// The version of the level that the client has.
    var since: RequestedVersion?
    var format = Format.json
    /// Whether JSON is indented.
    var isIndented = false
}

/// The maximum time for which a request waits until its answer changes (manual, Refresh).
struct Wait: Hashable {
    static let limits = 1...300

    let seconds: Int
    /// Whether it comes from `Prefer`; the answer then reports it in `Preference-Applied` (RFC 7240, section 3).
    let isPreference: Bool

    /// The wait in the `Prefer` field of a request; a malformed one is ignored.
    static func preferred(by request: Request) -> Wait? {
        guard request.has(.prefer) else { return nil }
        var isFound = false
        var wait: Wait?
        request.forEachLine(of: .prefer) { line in
            // The first of several counts (RFC 7240, section 2).
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

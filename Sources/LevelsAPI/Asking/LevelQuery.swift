import Bytes
import HTTPFields
import HTTPServer
import Levels
import PropertyLists

/// When and in what form an answer is sent.
struct Delivery {
    /// How long the request waits for a change; nil to answer at once.
    var wait: Wait?
    /// The version of the level that the client has: the answer tells what changed since.
    var since: RequestedVersion?
    var format = Format.json
    /// Whether JSON is indented.
    var isIndented = false
}

/// The query of an endpoint whose answer has a form.
protocol DeliveredQuery: EndpointQuery {
    var delivery: Delivery { get set }
}

/// The query of `GET /levels/<path>`.
struct LevelQuery: DeliveredQuery {
    static let table = QueryTable<LevelQuery>([
        (limit, .content),
        (after, .content),
        (start, .content),
        (condition, .content),
        (sort, .content),
        (searchedFields, .content),
        (search, .content),
        (group, .content),
        (depth, .content),
        (expand, .content),
        (fields, .content),
        (.format, .format),
        (.pretty, .layout),
        (since, .content),
        (.wait, .delivery),
    ])

    var rows = RowQuery()
    var delivery = Delivery()
}

/// The query of `GET /detail/<path>`.
struct DetailQuery: DeliveredQuery {
    static let table = QueryTable<DetailQuery>([
        (.format, .format),
        (.pretty, .layout),
        (.wait, .delivery),
    ])

    var delivery = Delivery()
}

/// The query of `GET /document/<path>`.
struct DocumentQuery: DeliveredQuery {
    static let table = QueryTable<DocumentQuery>([
        (format, .format),
        (inline, .content),
        (.pretty, .layout),
        (.wait, .delivery),
    ])

    /// Whether the document has the levels of other files in place.
    var isInline = true
    var delivery = Delivery()
}

/// The query of `GET /changes`.
struct ChangesQuery: DeliveredQuery {
    static let table = QueryTable<ChangesQuery>([
        (since, .content),
        (.wait, .delivery),
        (.pretty, .layout),
    ])

    /// The revision that the client has.
    var revision: String?
    var delivery = Delivery()
}

/// The query of an endpoint whose JSON can be indented, and that has no other options.
struct PrettyQuery: DeliveredQuery {
    static let table = QueryTable<PrettyQuery>([(.pretty, .layout)])

    var delivery = Delivery()
}

extension DeliveredQuery {
    /// Reads the options about delivery, and the preference of the same meaning. `Query.readAnswer` reads the other
    /// options once the item has been found.
    ///
    /// - Throws: `Problem` (400) for a malformed value.
    mutating func readDelivery(_ query: Query, _ request: Request) throws(Problem) {
        try query.read(.delivery, into: &self)
        if delivery.wait == nil { delivery.wait = Wait.preferred(by: request) }
    }
}

/// How long a request waits until its answer changes (manual, Refresh).
struct Wait: Hashable {
    static let limits = 1...300

    let seconds: Int
    /// Whether it comes from `Prefer`; the answer then reports it in `Preference-Applied` (RFC 7240, section 3).
    let isPreference: Bool

    init(seconds: Int, isPreference: Bool) {
        self.seconds = seconds
        self.isPreference = isPreference
    }

    private init(preferred seconds: Int) {
        // A longer wait is shortened to the limit, and the answer reports the time applied.
        self.seconds = min(seconds, Self.limits.upperBound)
        isPreference = true
    }

    /// The wait in the `Prefer` field of a request; nil if there is none, or if it is malformed and thus ignored.
    static func preferred(by request: Request) -> Wait? {
        guard request.has(.prefer) else { return nil }
        var isFound = false
        var wait: Wait?
        request.forEachLine(of: .prefer) { line in
            // The first of several counts (RFC 7240, section 2).
            line.forEachPreference { preference in
                guard !isFound, preference.name.isEqual(ignoringCase: "wait") else { return !isFound }
                isFound = true
                wait = seconds(in: preference.value).map(Wait.init(preferred:))
                return false
            }
        }
        return wait
    }

    /// The seconds of a preference; nil for a value that is malformed or 0.
    private static func seconds(in value: Span<UInt8>) -> Int? {
        guard let seconds = Int(digits: value), seconds >= limits.lowerBound else { return nil }
        return seconds
    }

    /// How long the request waits at most.
    var duration: Duration { .seconds(seconds) }

    /// The header lines that report the applied preference.
    var headers: [(name: String, value: String)] {
        isPreference ? [("Preference-Applied", "wait=\(seconds)")] : []
    }
}

import Bytes
import HTTPFields
import HTTPServer
import Levels
import PropertyLists

/// The checked values of a query; answers read these, and never the text.
struct LevelQuery {
    /// How long the request waits for a change; nil to answer at once.
    var wait: Wait?
    var page = Page()
    /// The fields that a row shows.
    var fields = FieldSelection.cell
    /// The search whose hits are shown instead of the rows of the level.
    var search: ItemSearch?
    /// What a search looks at; nil for titles.
    var searchedFields: SearchedFields?
    /// The rows that are open in an outline; nil for an answer that shows one level.
    var outline: OutlineOpening?
    /// The steps that are applied to the rows of the level, in this order, before they are ordered.
    var steps: [Listing.Step] = []
    /// How many of the steps are conditions.
    var conditionCount = 0
    /// The order of the rows that the steps leave.
    var order = ListingOrder()
    /// Whether the order of the item itself (`SortBy`, `GroupBy`) holds for what the query does not name.
    var usesOwnOrder = true
    /// The options that made the steps and the order, as text; empty if none did.
    private(set) var arrangement = ""
    /// Whether the rows of all levels below are looked at, not only those of the level.
    private(set) var looksBelow = false
    /// The version of the level that the client has.
    var since: RequestedVersion?
    /// The revision that the client has.
    var revision: String?
    /// Where a new item is put; nil for the end.
    var place: RowPosition?
    /// The number of the section that it is put in.
    var section: Int?
    var format = Format.json
    /// Whether a document has the levels of other files in place.
    var isInline = true
    /// Whether JSON is indented.
    var isIndented = false
    /// The parameters that the link of the next page repeats, in the order of the request.
    private(set) var linked: [Query.Parameter] = []

    /// A query of default values.
    init() {}

    /// Reads the options about delivery, and the preference of the same meaning. `readAnswer` reads the other options
    /// once the item has been found.
    ///
    /// - Parameter format: the format if the query names none.
    /// - Throws: `Problem` (400) for a malformed value.
    init(deliveryOf query: Query, _ request: Request, format: Format) throws(Problem) {
        self.format = format
        try read(query, query.options.ofDelivery)
        if wait == nil { wait = Wait.preferred(by: request) }
    }

    /// Reads the options that the answer depends on.
    ///
    /// - Throws: `Problem` (400) for an unknown name, a combination that is not allowed, or a malformed value.
    mutating func readAnswer(_ query: Query) throws(Problem) {
        guard !query.parameters.isEmpty else { return }
        try query.check()
        try read(query, query.options.ofAnswer)
        try page.checkCursor(isOutline: outline != nil)
        linked = query.parameters.filter { $0.option?.isInNextLink == true }
        looksBelow = query.parameters.contains { $0.option?.looksBelow == true }
        for parameter in query.parameters where parameter.option?.arrangesRows == true {
            // The lengths keep two lists of options from being the same text.
            arrangement +=
                "\(parameter.name.utf8.count):\(parameter.name)\(parameter.value.utf8.count):\(parameter.value)"
        }
    }

    /// How many rows are looked at to find out which rows of a level are shown, and in what order.
    func work(on level: Level?) -> Int {
        guard let level, !arrangement.isEmpty else { return 0 }
        return looksBelow ? level.itemCount : level.count
    }

    private mutating func read(_ query: Query, _ options: [QueryOption]) throws(Problem) {
        guard !query.parameters.isEmpty else { return }
        for option in options {
            for parameter in query.parameters where parameter.option === option {
                try option.read(parameter.value, &self)
            }
        }
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

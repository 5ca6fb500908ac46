import HTTPServer
import Levels
import PropertyLists

/// What a query asks for, read and checked: the answers read this alone, never the text.
struct LevelQuery {
    /// How long the answer may wait for a change.
    var wait: Wait?
    var page = Page()
    /// The fields that a row shows.
    var fields = FieldSelection.cell
    /// What is done to the rows of the level, in this order, before a page of them is taken.
    var steps: [Listing.Step] = []
    /// The version of the level that the client has.
    var since: RequestedVersion?
    /// The revision that the client has.
    var revision: String?
    var format = Format.json
    /// Whether JSON is laid out for people.
    var isIndented = false
    /// What the link of the next page keeps, in the order of the request.
    private(set) var linked: [Query.Parameter] = []

    /// A query that asks for nothing but what is the default.
    init() {}

    /// Reads when the answer is to be sent, which may be told by a preference too; the rest of the query is read by
    /// `readAnswer`, once it is known what the answer is about.
    ///
    /// - Parameter format: the format unless the query names another.
    /// - Throws: `Problem` (400) for a value that is malformed.
    init(deliveryOf query: Query, _ request: Request, format: Format) throws(Problem) {
        self.format = format
        try read(query, query.options.ofDelivery)
        if wait == nil { wait = Wait.preferred(by: request) }
    }

    /// Reads all that the answer depends on.
    ///
    /// - Throws: `Problem` (400) for a name that is unknown here, a combination that cannot be, or a malformed value.
    mutating func readAnswer(_ query: Query) throws(Problem) {
        guard !query.parameters.isEmpty else { return }
        try query.check()
        try read(query, query.options.ofAnswer)
        linked = query.parameters.filter { $0.option?.isInNextLink == true }
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

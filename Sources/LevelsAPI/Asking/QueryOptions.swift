import Bytes

/// The query options of an endpoint, in the order in which messages list them.
///
/// These are the tables of all query options: readers start here.
final class QueryOptions: Sendable {
    /// `GET /levels/<path>`.
    static let level = QueryOptions([
        .limit,
        .after,
        .start,
        .condition,
        .sort,
        .searchedFields,
        .search,
        .group,
        .depth,
        .expand,
        .fields,
        .format,
        .pretty,
        .since,
        .wait,
    ])
    /// `GET /detail/<path>`.
    static let detail = QueryOptions([
        .format,
        .pretty,
        .wait,
    ])
    /// `GET /document/<path>`.
    static let document = QueryOptions([
        .documentFormat,
        .inline,
        .pretty,
        .wait,
    ])
    /// `GET /changes`.
    static let changes = QueryOptions([
        .sinceRevision,
        .wait,
        .pretty,
    ])
    /// `POST /levels/<path>`.
    static let insertion = QueryOptions([
        .at,
        .section,
    ])
    /// `GET /openapi.json`.
    static let description = QueryOptions([
        .pretty
    ])
    /// `GET /`.
    static let index = QueryOptions([
        .pretty
    ])
    static let none = QueryOptions([])

    let all: [QueryOption]
    /// The names, in the same order.
    let names: [String]
    /// The options of the effect `delivery`.
    let ofDelivery: [QueryOption]
    /// The other options in the order in which they are read: by effect, then as in the table.
    let ofAnswer: [QueryOption]

    init(_ options: [QueryOption]) {
        all = options
        names = options.map(\.name)
        func those(_ effect: QueryOption.Effect) -> [QueryOption] { options.filter { $0.effect == effect } }
        ofDelivery = those(.delivery)
        ofAnswer = those(.content) + those(.form)
    }

    /// The option with a name; nil if there is none.
    subscript(name: String) -> QueryOption? { all.first { $0.name == name } }

    /// The option with a name that needs no percent-decoding; nil if there is none.
    func option(named name: Span<UInt8>) -> QueryOption? {
        for option in all where name.isEqual(to: option.name.utf8Span.span) { return option }
        return nil
    }
}

/// A query option: its name and values, for clients and the description of the API, and its effect.
///
/// Each option is a constant, and a line of `QueryOptions` for each endpoint that has it.
/// It is a class, because each is made once and compared by identity.
final class QueryOption: Sendable {
    /// Reads a value into a query; throws `Problem` (400) if it is malformed.
    typealias Reader = @Sendable (_ value: String, _ query: inout LevelQuery) throws(Problem) -> Void

    /// What an option affects. Options are read in this order; those of equal effect, in the order of their table.
    enum Effect: Int, Sendable {
        /// When the answer is sent. The answer itself is the same, so caches and waiters do not compare such an option.
        case delivery
        /// What the answer shows.
        case content
        /// How the answer is written.
        case form
    }

    /// The name in a query.
    let name: String
    /// The values, in the notation of RFC 5234.
    let grammar: String
    /// The same as a regular expression, for the description; nil if the grammar or the range says it all.
    let pattern: String?
    /// A value that gives an answer on each level of `Data/Data.plist`, for the description; nil if none does.
    let example: String?
    /// The allowed range of a number; nil for an option that is not a number.
    let range: ClosedRange<Int>?
    /// The value of an omitted option; nil if it has none.
    let defaultValue: String?
    /// One sentence about the effect.
    let summary: String
    let effect: Effect
    /// Whether a query may contain it several times.
    let isRepeatable: Bool
    /// Whether the link of the next page repeats it.
    let isInNextLink: Bool
    /// Whether it changes which rows there are, or their order: what it makes of a large level is kept.
    let arrangesRows: Bool
    /// Whether the rows of all levels below are looked at, not only those of the level.
    let looksBelow: Bool
    /// The names of the options that it cannot be combined with.
    let excludes: [String]
    /// The name of the option that it belongs to; nil if it can be alone.
    let requires: String?
    let read: Reader

    init(
        name: String, grammar: String, pattern: String? = nil, example: String? = nil, range: ClosedRange<Int>? = nil,
        defaultValue: String? = nil, summary: String,
        effect: Effect, isRepeatable: Bool = false, isInNextLink: Bool = true, arrangesRows: Bool = false,
        looksBelow: Bool = false, excludes: [String] = [], requires: String? = nil,
        read: @escaping Reader
    ) {
        self.name = name
        self.grammar = grammar
        self.pattern = pattern
        self.example = example
        self.range = range
        self.defaultValue = defaultValue
        self.summary = summary
        self.effect = effect
        self.isRepeatable = isRepeatable
        self.isInNextLink = isInNextLink
        self.arrangesRows = arrangesRows
        self.looksBelow = looksBelow
        self.excludes = excludes
        self.requires = requires
        self.read = read
    }
}

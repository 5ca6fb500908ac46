import Bytes

/// A query option: its name and its values, for clients and the description of the API.
///
/// It is a class, because each is made once and compared by identity.
final class QueryOption: Sendable {
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
    /// Whether a query may contain it several times.
    let isRepeatable: Bool
    /// Whether the link of the next page repeats it.
    let isInNextLink: Bool
    /// The names of the options that it cannot be combined with.
    let excludes: [String]
    /// The name of the option that it belongs to; nil if it can be alone.
    let requires: String?

    init(
        name: String, grammar: String, pattern: String? = nil, example: String? = nil, range: ClosedRange<Int>? = nil,
        defaultValue: String? = nil, summary: String, isRepeatable: Bool = false, isInNextLink: Bool = true,
        excludes: [String] = [], requires: String? = nil
    ) {
        self.name = name
        self.grammar = grammar
        self.pattern = pattern
        self.example = example
        self.range = range
        self.defaultValue = defaultValue
        self.summary = summary
        self.isRepeatable = isRepeatable
        self.isInNextLink = isInNextLink
        self.excludes = excludes
        self.requires = requires
    }
}

/// An option of an endpoint, and the function that reads its value into the endpoint's query.
struct QueryReader<Asked>: Sendable {
    let option: QueryOption
    /// Throws `Problem` (400) for a malformed value.
    let read: @Sendable (_ value: String, _ query: inout Asked) throws(Problem) -> Void

    init(
        _ option: QueryOption,
        read: @escaping @Sendable (_ value: String, _ query: inout Asked) throws(Problem) -> Void
    ) {
        self.option = option
        self.read = read
    }
}

/// The options of an endpoint, in the order in which messages list them.
struct QueryOptions: Sendable {
    /// When an option is read, and what it affects.
    enum Phase: Sendable, CaseIterable {
        /// Before the item is found. The answer does not depend on these options, so caches and waiters ignore them.
        case delivery
        /// What the answer shows.
        case content
        /// The format of the answer.
        case format
        /// What depends on the format.
        case layout
    }

    let all: [QueryOption]
    let phases: [Phase]
    /// The names, in the same order.
    let names: [String]

    init(_ options: [(QueryOption, Phase)]) {
        all = options.map(\.0)
        phases = options.map(\.1)
        names = all.map(\.name)
    }

    /// The option with a name; nil if there is none.
    subscript(name: String) -> QueryOption? { all.first { $0.name == name } }

    /// The number of the option with a name that needs no percent-decoding; nil if there is none.
    func number(of name: Span<UInt8>) -> Int? {
        for (number, option) in all.enumerated() where name.isEqual(to: option.name.utf8Span.span) { return number }
        return nil
    }
}

/// The query of an endpoint.
protocol EndpointQuery: Sendable {
    /// The options with the phase in which each is read. Each option is a constant, and a line here.
    static var table: QueryTable<Self> { get }

    /// A query of default values.
    init()

    /// Refuses what was read if its parts do not go together.
    ///
    /// - Throws: `Problem` (400).
    func check() throws(Problem)
}

extension EndpointQuery {
    func check() throws(Problem) {}
}

/// The options of an endpoint with their readers.
struct QueryTable<Asked: EndpointQuery>: Sendable {
    let options: QueryOptions
    fileprivate let readers: [QueryReader<Asked>]

    init(_ rows: [(QueryReader<Asked>, QueryOptions.Phase)]) {
        options = QueryOptions(rows.map { ($0.option, $1) })
        readers = rows.map(\.0)
    }
}

extension Query {
    /// Reads the options of one phase, those of a phase in the order of the table.
    ///
    /// - Throws: `Problem` (400) for a malformed value.
    func read<Asked: EndpointQuery>(_ phase: QueryOptions.Phase, into asked: inout Asked) throws(Problem) {
        guard !parameters.isEmpty else { return }
        let table = Asked.table
        for (number, reader) in table.readers.enumerated() where table.options.phases[number] == phase {
            for parameter in parameters where parameter.number == number {
                try reader.read(parameter.value, &asked)
            }
        }
    }

    /// Reads the options that the answer depends on.
    ///
    /// - Throws: `Problem` (400) for an unknown name, a combination that is not allowed, or a malformed value.
    func readAnswer<Asked: EndpointQuery>(into asked: inout Asked) throws(Problem) {
        guard !parameters.isEmpty else { return }
        try check()
        for phase in [QueryOptions.Phase.content, .format, .layout] { try read(phase, into: &asked) }
        try asked.check()
    }
}

extension QueryOptions {
    /// `GET /levels/<path>`.
    static var level: QueryOptions { LevelQuery.table.options }
    /// `GET /detail/<path>`.
    static var detail: QueryOptions { DetailQuery.table.options }
    /// `GET /document/<path>`.
    static var document: QueryOptions { DocumentQuery.table.options }
    /// `GET /changes`.
    static var changes: QueryOptions { ChangesQuery.table.options }
    /// `POST /levels/<path>`.
    static var insertion: QueryOptions { InsertionQuery.table.options }
    /// `GET /openapi.json`.
    static var description: QueryOptions { PrettyQuery.table.options }
    /// `GET /`.
    static var index: QueryOptions { PrettyQuery.table.options }
    static let none = QueryOptions([])
}

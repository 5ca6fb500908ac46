/// A query option: its name and values, as clients and the description of the API know them, and what it does.
///
/// Each option is one file, `QueryOption+<Name>.swift`, and a line of `QueryOptions` for each endpoint that takes it.
/// A class, since each is made once, and found again for every parameter of a request.
final class QueryOption: Sendable {
    /// Reads a value into what is asked for, and throws `Problem` (400) for one that is malformed.
    typealias Reader = @Sendable (_ value: String, _ query: inout LevelQuery) throws(Problem) -> Void

    /// What an option concerns. Options are read in this order, and in that of their table within it.
    enum Effect: Int, Sendable {
        /// When the answer is sent: it says nothing about the answer, so that caches and waiters do not compare it.
        case delivery
        /// What the answer shows.
        case content
        /// How it is written.
        case form
    }

    /// The name, as it is in a query.
    let name: String
    /// The values, in the notation of RFC 5234.
    let grammar: String
    /// The values that a number may have; nil for an option that is no number.
    let range: ClosedRange<Int>?
    /// The value that counts if the option is left out; nil if it has none.
    let defaultValue: String?
    /// What it does, in one sentence.
    let summary: String
    let effect: Effect
    /// Whether it may be given several times.
    let isRepeatable: Bool
    /// Whether the link of the next page keeps it.
    let isInNextLink: Bool
    /// The names of the options that it cannot be combined with.
    let excludes: [String]
    let read: Reader

    init(
        name: String, grammar: String, range: ClosedRange<Int>? = nil, defaultValue: String? = nil, summary: String,
        effect: Effect, isRepeatable: Bool = false, isInNextLink: Bool = true, excludes: [String] = [],
        read: @escaping Reader
    ) {
        self.name = name
        self.grammar = grammar
        self.range = range
        self.defaultValue = defaultValue
        self.summary = summary
        self.effect = effect
        self.isRepeatable = isRepeatable
        self.isInNextLink = isInNextLink
        self.excludes = excludes
        self.read = read
    }
}

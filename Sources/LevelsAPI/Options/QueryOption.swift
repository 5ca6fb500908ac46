/// A query option: its name and values, as clients and the description of the API know them, and what it does.
///
/// Each option is one file, `QueryOption+<Name>.swift`, and a line of `QueryOptions` for each endpoint that takes it.
struct QueryOption: Sendable {
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
    var range: ClosedRange<Int>?
    /// The value that counts if the option is left out; nil if it has none.
    var defaultValue: String?
    /// What it does, in one sentence.
    let summary: String
    let effect: Effect
    /// Whether it may be given several times.
    var isRepeatable = false
    /// Whether the link of the next page keeps it.
    var isInNextLink = true
    /// The names of the options that it cannot be combined with.
    var excludes: [String] = []
    /// Reads a value into what is asked for, and throws `Problem` (400) for one that is malformed.
    let read: @Sendable (_ value: String, _ query: inout LevelQuery) throws(Problem) -> Void
}

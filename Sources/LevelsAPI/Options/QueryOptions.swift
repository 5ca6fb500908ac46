/// The query options that an endpoint takes, in the order in which clients are told of them.
///
/// These are the tables of all query options: readers start here.
struct QueryOptions: Sendable {
    /// `GET /levels/<path>`.
    static let level = QueryOptions([
        .limit,
        .after,
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
        .pretty,
        .wait,
    ])
    /// `GET /changes`.
    static let changes = QueryOptions([
        .sinceRevision,
        .wait,
        .pretty,
    ])
    /// `GET /`.
    static let index = QueryOptions([
        .pretty
    ])
    static let none = QueryOptions([])

    let all: [QueryOption]
    /// The names, in the same order.
    let names: [String]
    /// The options in the order in which they are read.
    let inReadingOrder: [QueryOption]

    init(_ options: [QueryOption]) {
        all = options
        names = options.map(\.name)
        // By effect, and in the order of the table within each.
        inReadingOrder = options.enumerated().sorted {
            ($0.element.effect.rawValue, $0.offset) < ($1.element.effect.rawValue, $1.offset)
        }.map(\.element)
    }

    /// The option of a name; nil if there is none.
    subscript(name: String) -> QueryOption? { all.first { $0.name == name } }

}

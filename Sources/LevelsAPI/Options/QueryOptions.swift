import Bytes

/// The query options that an endpoint takes, in the order in which clients are told of them.
///
/// These are the tables of all query options: readers start here.
final class QueryOptions: Sendable {
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
    /// Those that say when the answer is sent.
    let ofDelivery: [QueryOption]
    /// The others, in the order in which they are read: by effect, and as in the table within each.
    let ofAnswer: [QueryOption]

    init(_ options: [QueryOption]) {
        all = options
        names = options.map(\.name)
        func those(_ effect: QueryOption.Effect) -> [QueryOption] { options.filter { $0.effect == effect } }
        ofDelivery = those(.delivery)
        ofAnswer = those(.content) + those(.form)
    }

    /// The option of a name; nil if there is none.
    subscript(name: String) -> QueryOption? { all.first { $0.name == name } }

    /// The option of a name as it is in a query, where it needs no decoding; nil if there is none.
    func option(named name: Span<UInt8>) -> QueryOption? {
        for option in all where name.isEqual(to: option.name.utf8Span.span) { return option }
        return nil
    }
}

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

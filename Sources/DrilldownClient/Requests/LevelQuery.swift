/// The options of a request for a level: the order, the sections, the rows, and the fields of the rows.
///
/// A query is a value; each method returns a copy with one more option.
///
/// ```swift
/// let level = try await server.level(
///     at: ["Music"], matching: .sorted(by: .descending("Price"), "Title").where("Artist", equals: "Satie"))
/// ```
///
/// The server refuses a meaningless combination of options; the `Problem` names the parameter.
public struct LevelQuery: Hashable, Sendable {
    var parameters: [Parameter] = []

    struct Parameter: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// Creates a query for all rows of the level, in the level's own order.
    public init() {}

    /// The query without options: all rows of the level, in the level's own order.
    public static let all = LevelQuery()
}

extension LevelQuery {
    func setting(_ name: String, to value: String) -> LevelQuery {
        var query = self
        if let position = query.parameters.firstIndex(where: { $0.name == name }) {
            query.parameters[position].value = value
        } else {
            query.parameters.append(Parameter(name: name, value: value))
        }
        return query
    }

    func removing(_ name: String) -> LevelQuery {
        var query = self
        query.parameters.removeAll { $0.name == name }
        return query
    }

    /// The query without the parameters that select a page.
    var withoutPage: LevelQuery { ["limit", "start", "after"].reduce(self) { $0.removing($1) } }

    /// The query without the parameters of an outline.
    var withoutOutline: LevelQuery { ["depth", "expand"].reduce(self) { $0.removing($1) } }

    /// The maximum number of rows; nil without one.
    var limit: Int? { parameters.first { $0.name == "limit" }.flatMap { Int($0.value) } }

    func adding(_ field: String, comparison: String, value: FieldValue) -> LevelQuery {
        var query = self
        query.parameters.append(Parameter(name: "where", value: field + comparison + value.queryText))
        return query
    }

    /// The query as it is written in a request, with the question mark; empty without parameters.
    var encoded: String { Self.encode(parameters) }

    /// Returns parameters as they are written in a request, with the question mark; empty without parameters.
    static func encode(_ parameters: [Parameter]) -> String {
        guard !parameters.isEmpty else { return "" }
        return "?" + parameters.map { $0.name + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }
}

extension FieldValue {
    /// The text of the value in a condition; empty for a list, a dictionary and null.
    var queryText: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .unsigned(let number): String(number)
        case .real(let number): String(number)
        case .boolean(let flag): String(flag)
        case .list, .dictionary, .null: ""
        }
    }
}

extension LevelQuery {
    /// The fields that a search looks through.
    public enum SearchedFields: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// The title alone.
        case title
        /// The title and every field.
        case all
        /// The fields with these names.
        case named([String])

        /// Creates the fields with these names: `["Title", "Text"]`.
        public init(arrayLiteral names: String...) { self = .named(names) }
    }

    /// The fields that a row shows.
    public enum ShownFields: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// Numbers, Booleans, dates and short texts.
        case usual
        /// All fields.
        case all
        /// No fields.
        case noFields
        /// The fields with these names.
        case named([String])

        /// Creates the fields with these names: `["Price", "Artist"]`.
        public init(arrayLiteral names: String...) { self = .named(names) }
    }

    /// The division of the rows into sections.
    public enum Grouping: Hashable, Sendable {
        /// By the first letter of the title; the rows are sorted by title unless the query has another order.
        case initial
        /// By the text of a field, in order of first appearance.
        case field(String)
        /// The sections of the document, even if the level's item has another grouping (`GroupBy`).
        case ungrouped
    }
}

/// A field by which rows are sorted.
public struct SortKey: Hashable, Sendable {
    /// The name of the field; `Title` and `Key` are the title and the key of the row.
    public var field: String
    /// Whether the greatest value comes first.
    public var isDescending: Bool

    /// Returns a key that sorts the least value first.
    public static func ascending(_ field: String) -> SortKey { SortKey(field: field, isDescending: false) }

    /// Returns a key that sorts the greatest value first.
    public static func descending(_ field: String) -> SortKey { SortKey(field: field, isDescending: true) }
}

extension SortKey: ExpressibleByStringLiteral {
    /// Creates a key from the name of a field. The key sorts the least value first; with a minus sign before the name,
    /// such as `"-Price"`, it sorts the greatest value first.
    public init(stringLiteral text: String) {
        self.init(field: text.hasPrefix("-") ? String(text.dropFirst()) : text, isDescending: text.hasPrefix("-"))
    }
}

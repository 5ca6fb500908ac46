/// A statement of SQL, or a part of one: text with values bound in place.
///
/// Statements are literals, for example `"SELECT \(columns) FROM t WHERE id = \(id) AND name = \(text: name)"`. A part
/// (`columns`) is nested with its own values. Values are sent beside the text and never become part of it.
package struct SQL: Sendable, Hashable {
    /// The text before the first value.
    private var start: String
    /// The values, each with the text that follows it.
    private var bound: [Bound] = []

    private struct Bound: Sendable, Hashable {
        let value: DatabaseValue
        var text: String
    }

    /// - Parameter text: SQL without values. It must not contain anything that a client has sent.
    package init(verbatim text: String) { start = text }

    /// The values in the order of the text.
    package var values: [DatabaseValue] { bound.map(\.value) }

    /// The text with a `?` in the place of each value, for SQLite. Statements that differ only in their values have the
    /// same text.
    package var text: String { text { _ in "?" } }

    /// The text with `$1`, `$2` and so on in the places of the values, for PostgreSQL.
    package var numberedText: String { text { "$\($0)" } }

    private func text(_ place: (Int) -> String) -> String {
        var text = start
        for (number, part) in bound.enumerated() {
            text += place(number + 1)
            text += part.text
        }
        return text
    }

    fileprivate mutating func append(_ text: String) {
        if bound.isEmpty { start += text } else { bound[bound.count - 1].text += text }
    }

    fileprivate mutating func append(_ part: SQL) {
        append(part.start)
        bound += part.bound
    }

    fileprivate mutating func append(_ value: DatabaseValue) { bound.append(Bound(value: value, text: "")) }
}

extension SQL: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) { self.init(verbatim: text) }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = SQL(verbatim: "")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { sql.append(text) }

        /// Nests a part of a statement.
        package mutating func appendInterpolation(_ part: SQL) { sql.append(part) }

        /// Binds a value.
        package mutating func appendInterpolation(_ value: DatabaseValue) { sql.append(value) }

        /// Binds a number; NULL for nil.
        package mutating func appendInterpolation(_ number: Int64?) { sql.append(number.map { .integer($0) } ?? .null) }

        /// Binds a text; NULL for nil.
        package mutating func appendInterpolation(text: String?) { sql.append(.text(text)) }

        /// Binds a text in UTF-8.
        package mutating func appendInterpolation(text: [UInt8]) { sql.append(.text(text)) }

        /// Adds a name as an identifier, with its quotes.
        package mutating func appendInterpolation(identifier name: String) {
            // As a `Character`, a quotation mark before a combining mark would not be found.
            let quoted = name.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            sql.append("\"" + quoted.joined(separator: "\"\"") + "\"")
        }

        /// Adds a number to the text, for example a limit that the plan of the statement depends on.
        package mutating func appendInterpolation(literal number: Int) { sql.append("\(number)") }
    }
}

extension Collection<SQL> {
    /// Returns the parts as one part, with a text between them.
    package func joined(by separator: String) -> SQL {
        var joined = first ?? ""
        for part in dropFirst() {
            joined.append(separator)
            joined.append(part)
        }
        return joined
    }
}

internal import DatabaseTrees
internal import Levels

/// An index that finds the records with a text in some columns.
enum TextIndex: Sendable {
    /// A table of SQLite's FTS5 over the table (SQLite, FTS5 Extension). Its rows have the values of `key` as rowids.
    case fullText(name: String, key: SQL, columns: Set<Int>, hasTrigrams: Bool)
    /// An index of PostgreSQL's `pg_trgm` over a column.
    case trigrams(column: Int)
    /// An index of PostgreSQL over a column of type `tsvector`, and the text search configuration that makes its words; nil
    /// for that of the session.
    case words(column: Int, configuration: String?)

    /// The number of characters in a trigram. A shorter text has none.
    fileprivate static let trigram = 3
}

extension Table {
    /// Whether this is a table of FTS5 with texts of its own. It finds records by their rowids, although the plan of SQLite
    /// calls this a scan.
    var isTextIndex: Bool {
        textIndexes.contains { if case .fullText(let index, _, _, _) = $0 { index == name } else { false } }
    }

    /// Returns a condition that finds records whose searched fields may contain a text. It misses records that contain the
    /// text only within a word, if the index knows no parts of words. Nil if no index finds such records.
    func condition(finding text: String, in fields: SearchedFields) -> SQL? {
        let searched: Set<Int>?
        switch fields {
        case .title:
            guard !title.parts.isEmpty, title.parts.allSatisfy({ $0.column != nil }) else { return nil }
            searched = Set(title.parts.compactMap(\.column))
        case .all: searched = nil
        case .named(let named):
            let columns =
                named.fields.names.map { column(named: $0) } + (named.hasTitle ? title.parts.map(\.column) : [])
            guard named.fields.paths.isEmpty, !named.hasKey, !columns.contains(nil) else { return nil }
            searched = Set(columns.compactMap(\.self))
        }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let isLong = text.unicodeScalars.count >= TextIndex.trigram
        var trigrams: [Int: SQL] = [:]
        for index in textIndexes {
            switch index {
            case .fullText(let name, let key, let columns, let hasTrigrams):
                guard searched?.isSubset(of: columns) ?? true, hasTrigrams ? isLong : !words.isEmpty else { continue }
                let named = (searched ?? columns).sorted().map { #""\#(self.columns[$0].name.doubled("\""))""# }
                // A NUL would end the expression.
                let phrase = "\"\(text.doubled("\"").replacing("\0", with: " "))\"\(hasTrigrams ? "" : " *")"
                let expression = "{\(named.joined(separator: " "))} : \(phrase)"
                let table: SQL = "\(identifier: name)"
                return "\(key) IN (SELECT rowid FROM main.\(table) WHERE \(table) MATCH \(text: expression))" as SQL
            case .trigrams(let column):
                let pattern = ["\\", "%", "_"].reduce(text) { $0.replacing($1, with: "\\" + $1) }
                if isLong { trigrams[column] = "c.\(columns[column].quoted) ILIKE \(text: "%\(pattern)%")" }
            case .words(let column, let configuration):
                guard !words.isEmpty, searched?.contains(column) != true else { continue }
                let query = words.map { "'\($0)'" }.joined(separator: " & ") + ":*"
                let configured: SQL = configuration.map { "\(text: $0)::regconfig, " } ?? ""
                return "c.\(columns[column].quoted) @@ to_tsquery(\(configured)\(text: query))" as SQL
            }
        }
        let wanted = searched ?? Set(trigrams.keys)
        let found = wanted.sorted().compactMap { trigrams[$0] }
        return !found.isEmpty && found.count == wanted.count ? "(\(found.joined(by: " OR ")))" : nil
    }
}

extension String {
    fileprivate func doubled(_ mark: String) -> String { replacing(mark, with: mark + mark) }
}

// MARK: SQLite

extension TextIndex {
    /// The statement that makes a table of FTS5.
    struct Declaration {
        /// The names of the indexed columns.
        private(set) var columns: [String] = []
        /// The values of the options, by their names in lower case.
        private(set) var options: [String: String] = [:]

        /// The result is nil for another statement.
        init?(_ statement: String) {
            guard let using = statement.firstRange(of: /(?i)using\s+fts5\s*\(/), statement.last == ")" else {
                return nil
            }
            for argument in Self.split(statement[using.upperBound...].dropLast(), at: ",") {
                let parts = Self.split(argument, at: "=")
                let words = Self.split(parts[0].drop(while: \.isWhitespace), at: " ").filter { !$0.isEmpty }
                let name = words.first.map(Self.unquoted) ?? ""
                if parts.count > 1 {
                    options[name.lowercased()] = Self.unquoted(parts[1])
                } else if !words.contains(where: { $0.lowercased() == "unindexed" }) {
                    columns.append(name)
                }
            }
        }

        /// Splits a text at a character that is not within quotation marks.
        private static func split(_ text: Substring, at separator: Character) -> [Substring] {
            var parts: [Substring] = []
            var start = text.startIndex
            var mark: Character?
            for index in text.indices {
                let character = text[index]
                if let open = mark {
                    if character == open { mark = nil }
                } else if "'\"`".contains(character) {
                    mark = character
                } else if character == "[" {
                    mark = "]"
                } else if character == separator {
                    parts.append(text[start..<index])
                    start = text.index(after: index)
                }
            }
            return parts + [text[start...]]
        }

        private static func unquoted(_ text: Substring) -> String {
            let bare = text.trimmingPrefix(while: \.isWhitespace)
            let trimmed = String(bare.reversed().drop(while: \.isWhitespace).reversed())
            guard trimmed.count > 1, let first = trimmed.first, "'\"`[".contains(first) else { return trimmed }
            let mark = first == "[" ? "" : String(first)
            return String(trimmed.dropFirst().dropLast()).replacing(mark + mark, with: mark)
        }
    }
}

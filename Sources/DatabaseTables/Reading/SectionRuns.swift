internal import DatabaseTrees
internal import Levels
internal import PropertyLists

/// A run: records of one section that are consecutive in an index. A section can have several runs.
struct SectionRun: Sendable {
    /// The title of the section; nil for records with NULL or data in the column.
    let title: String?
    let index: String?
    /// The condition that the records meet. Its values differ from the values of all other runs, so that the cursor of a
    /// page finds its run by them.
    let condition: SQL
    let count: Int
}

/// The sections of a large list, which an index finds.
struct SectionRuns {
    let list: RecordList
    let database: OpenDatabase

    private static let mostSections = 1_000

    /// Returns the runs of a grouping in the order of the sections. The runs are kept for the present state.
    ///
    /// - Parameter sort: the order within the sections, which the index of a refusal gives, too.
    /// - Throws: `RowRefusal` if no index finds the sections, or if the list has too many sections.
    func runs(by grouping: RowGrouping, sortedBy sort: RowOrder?) throws -> [SectionRun] {
        try database.known.runs(list.name("\(grouping)")) {
            switch grouping {
            case .document: []
            case .initial: try initialRuns()
            case .field(let field): try fieldRuns(field, sortedBy: sort)
            }
        }
    }

    private static func refusal(_ sentence: String) -> RowRefusal {
        RowRefusal(kind: .needsIndex(create: nil), parameter: "group", sentence: sentence)
    }

    private func fieldRuns(_ field: RowField, sortedBy sort: RowOrder?) throws -> [SectionRun] {
        guard let column = list.table.column(of: field) else {
            throw Self.refusal(
                "'\(quoted: list.table.name)' is too large to be grouped by '\(quoted: field.name)', which is not a column."
            )
        }
        let term = list.table.term(column, isDescending: false)
        let type = list.table.columns[column].type
        var runs = try values(of: term, named: field.name, sortedBy: sort, for: "group").map { value, count in
            SectionRun(
                title: value.sectionTitle(of: type), index: nil, condition: "\(term.sql) = \(value)", count: count)
        }
        if let rest = try nullRun(of: term, title: nil), rest.count > 0 { runs.append(rest) }
        let titles = runs.compactMap(\.title)
        guard Set(titles).count == titles.count else {
            throw Self.refusal(
                "'\(quoted: field.name)' has values of several types with the same text; group by another field.")
        }
        return runs
    }

    private func initialRuns() throws -> [SectionRun] {
        let table = list.table
        let isNamedByNumbers = table.keyAffinities.first == .integer
        guard table.dialect == .sqlite else {
            throw Self.refusal(
                "'\(quoted: table.name)' is too large to be grouped by the first letters of its titles.")
        }
        guard let column = table.titleColumn, isNamedByNumbers else {
            throw Self.refusal(
                "'\(quoted: table.name)' is too large to be grouped by the first letters of its \(table.isComposed(.title) ? "titles" : "keys")."
            )
        }
        let term = table.term(column, isDescending: false)
        try checkSeeks(of: term, sortedBy: nil, for: "group")
        let isCaseless = table.columns[column].collation == "NOCASE"
        let (empty, data) = (DatabaseValue.text([]), DatabaseValue.data([]))
        var runs = [
            // SQLite orders numbers before all texts. A record with an empty title appears with its key as the title,
            // and the key is a number.
            try run(title: "#", "\(term.sql) < \(empty)"),
            try run(title: "#", "\(term.sql) BETWEEN \(empty) AND \(empty)"),
        ]
        // The smallest text that is not in a run yet.
        var start: [UInt8]? = [0]
        while let from = start,
            case .text(let bytes) = try list.next(
                term, after: .text(from), isIncluded: true, in: database)
        {
            let initial = InitialRange(of: bytes, isCaseless: isCaseless)
            guard initial.end.map({ from.lexicographicallyPrecedes($0) }) ?? true else {
                throw Self.refusal(
                    "'\(quoted: table.name)' has titles that are not in the order of their first letters.")
            }
            let first = initial.start.lexicographicallyPrecedes(from) ? from : initial.start
            // SQLite orders data after all texts.
            let end = initial.end.map { .text($0) } ?? data
            runs.append(
                try run(title: initial.letter, "\(term.sql) >= \(text: first) AND \(term.sql) < \(end)"))
            start = initial.end
        }
        runs.append(try run(title: "#", "\(term.sql) >= \(data)"))
        if let rest = try nullRun(of: term, title: "#") { runs.append(rest) }
        return runs.filter { $0.count > 0 }.enumerated().sorted { one, other in
            let (a, b) = (one.element.title ?? "#", other.element.title ?? "#")
            if a == b { return one.offset < other.offset }
            if a == "#" || b == "#" { return b == "#" }
            return a.utf8.lexicographicallyPrecedes(b.utf8)
        }.map(\.element)
    }

    /// Returns the values of a term that are not NULL, in the order of an index, with the numbers of their records. One
    /// statement seeks each value after the value before.
    ///
    /// - Parameters:
    ///   - name: the name of the term in a refusal.
    ///   - sort: the order of the records with the same value, which the index of a refusal gives, too.
    ///   - parameter: the query option that a refusal names; nil for the drill columns of an item.
    /// - Throws: `RowRefusal` if no index finds the values, or if they are too many.
    func values(
        of term: OrderTerm, named name: String, sortedBy sort: RowOrder?, for parameter: String?
    ) throws -> [(value: DatabaseValue, count: Int)] {
        try checkSeeks(of: term, sortedBy: sort, for: parameter)
        let seeks: SQL = """
            WITH RECURSIVE drilldown_found (value) AS (SELECT (\(list.seek(term)))
              UNION ALL SELECT (\(list.seek(term, after: "drilldown_found.value")))
                FROM drilldown_found WHERE value IS NOT NULL)
            """
        let found: SQL = "FROM drilldown_found WHERE value IS NOT NULL LIMIT \(literal: Self.mostSections + 1)"
        var count = 0
        try database.connection.rows("\(seeks) SELECT 1 \(found)") { _ in count += 1 }
        guard count <= Self.mostSections else {
            throw RowRefusal(
                kind: .needsIndex(create: nil), parameter: parameter,
                sentence:
                    "'\(quoted: name)' has more than \(Self.mostSections) values; \(parameter ?? "drill") by another field."
            )
        }
        let counted: SQL = "SELECT count(*) \(list.records(where: ["\(term.sql) = drilldown_found.value"]))"
        var values: [(value: DatabaseValue, count: Int)] = []
        try database.connection.rows("\(seeks) SELECT value, (\(counted)) \(found)") { (row) throws(DatabaseError) in
            values.append((row.value(0), Int(row.value(1).integer ?? 0)))
        }
        return values
    }

    /// Returns the run of the records with NULL in a term; nil if the term is never NULL.
    func nullRun(of term: OrderTerm, title: String?) throws(DatabaseError) -> SectionRun? {
        guard term.isNullable else { return nil }
        return try run(title: title, "\(term.sql) IS NULL")
    }

    /// Counts the records of a run. The title is also the letter of the index.
    private func run(title: String?, _ condition: SQL) throws(DatabaseError) -> SectionRun {
        let count = try database.number("SELECT count(*) \(list.records(where: [condition]))")
        return SectionRun(title: title, index: title, condition: condition, count: count)
    }

    /// Throws a refusal unless an index finds the values of a term one after another.
    private func checkSeeks(of term: OrderTerm, sortedBy sort: RowOrder?, for parameter: String?) throws {
        let plan = try database.plan(of: list.seek(term, after: "\(DatabaseValue.null)"))
        guard plan.isSought, !plan.isSorted else {
            let name = term.column.map { list.table.columns[$0].name } ?? ""
            throw try ListIndexes(list: list, database: database).needsIndex(
                terms: list.equal + [term] + list.terms(by: sort, after: [term]), parameter: parameter,
                purpose: "gives the values of '\(quoted: name)'")
        }
    }
}

extension DatabaseValue {
    /// The title of the section that contains the records with this value; nil for data and NULL.
    ///
    /// - Parameter type: the type of the value's column in PostgreSQL; nil in SQLite.
    func sectionTitle(of type: PostgresType?) -> String? {
        switch self {
        case .null, .data: return nil
        case .integer(let number): return "\(number)"
        case .real(let number): return JSONText.real(number)
        case .text(let bytes):
            let shown = type?.title(bytes) ?? bytes
            let repaired = Array(String(decoding: shown, as: UTF8.self).utf8)
            return String(decoding: NormalizationFormC.text(of: repaired.span), as: UTF8.self)
        }
    }
}

/// The texts that begin with the same character as one text. If the text does not begin with UTF-8, the texts that
/// begin with the same malformed bytes.
private struct InitialRange {
    /// The smallest of these texts.
    let start: [UInt8]
    /// The smallest text after them; nil if there is none.
    let end: [UInt8]?
    /// The title of the section.
    let letter: String

    init(of text: [UInt8], isCaseless: Bool) {
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = text.makeIterator()
        switch parser.parseScalar(from: &bytes) {
        case .valid(let encoded):
            let scalar = Unicode.UTF8.decode(encoded)
            let first = isCaseless ? scalar.lowercasedASCII : scalar
            (start, end) = (Array(String(first).utf8), first.following.map { Array(String($0).utf8) })
            letter = InitialLetter.of(text.span)
        case .error(let count) where count < text.count:
            // No text with the byte after the malformed bytes begins with UTF-8.
            (start, letter) = (Array(text[...count]), "#")
            end = start.lastIndex { $0 < 0xFF }.map { [start] in Array(start[..<$0]) + [start[$0] + 1] }
        case .error, .emptyInput:
            // Other texts may begin with these bytes and be well-formed.
            (start, end, letter) = (text, text + [0], "#")
        }
    }
}

extension Unicode.Scalar {
    fileprivate var lowercasedASCII: Unicode.Scalar {
        ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self
    }

    /// The next scalar; nil after the last one.
    fileprivate var following: Unicode.Scalar? { Unicode.Scalar(value == 0xD7FF ? 0xE000 : value + 1) }
}

import Foundation

@testable import TestDocuments

/// Rows in a plain form, and the effects of the query options, by arrays and linear searches alone.
struct PlainTable {
    struct Row: Equatable {
        let title: String
        var price: Int?
        var kind: String?

        /// The title without case and marks, as rows are compared.
        var folded: String { PlainTable.folded(title) }
        /// The number of the folder that the row is in.
        var folder: Int { (Int(title.drop { $0 != " " }.dropFirst()) ?? 0) % 3 }
        var initial: String { folded.first.map { $0.isLetter ? $0.uppercased() : "#" } ?? "#" }
    }

    var rows: [Row]
    private var made = 0

    init(rows count: Int, using generator: inout SeededGenerator) {
        rows = []
        for _ in 0..<count { insert(at: rows.count, using: &generator) }
    }

    /// Inserts a row with a title that no other has or had.
    @discardableResult
    mutating func insert(at place: Int, using generator: inout SeededGenerator) -> String {
        made += 1
        let words = ["Pear", "pear", "Äpfel", "apple", "Ωmega", "7up", "élan", "Elan", "(x)"]
        let row = Row(
            title: "\(words[generator.below(words.count)]) \(made)", price: Self.price(&generator),
            kind: Self.kind(&generator))
        rows.insert(row, at: place)
        return row.title
    }

    /// Gives a row other values to be sorted and grouped by.
    mutating func change(_ place: Int, using generator: inout SeededGenerator) {
        rows[place].price = Self.price(&generator)
        rows[place].kind = Self.kind(&generator)
    }

    private static func price(_ generator: inout SeededGenerator) -> Int? {
        generator.one(in: 6) ? nil : generator.below(4)
    }

    private static func kind(_ generator: inout SeededGenerator) -> String? {
        generator.one(in: 5) ? nil : ["a", "b", "c"][generator.below(3)]
    }

    /// The document; a price is written as a number or as text.
    ///
    /// - Parameter order: the root's own order as members, such as `"SortBy":"Title"`.
    func document(_ order: String = "") -> String {
        let items = rows.enumerated().map { number, row in
            let price = row.price.map { number % 3 == 0 ? #","Price":"\#($0)""# : #","Price":\#($0)"# } ?? ""
            return #"{"Title":"\#(row.title)"\#(price)\#(row.kind.map { #","Kind":"\#($0)""# } ?? "")}"#
        }
        return #"{"Rows":[\#(items.joined(separator: ","))]\#(order)}"#
    }

    /// The document with the rows below three items that no search finds, so that the hits are in several levels.
    func documentInFolders() -> String {
        let folders = (0..<3).map { number in
            var folder = self
            folder.rows = rows.filter { $0.folder == number }
            return #"{"Title":"-",\#(folder.document().dropFirst())"#
        }
        return "[\(folders.joined(separator: ","))]"
    }

    static func folded(_ text: String) -> String {
        text.lowercased().replacing("ä", with: "a").replacing("é", with: "e")
    }
}

/// The question about a table, apart from its form in a query.
struct PlainTableQuery: CustomStringConvertible {
    var sort: String?
    var group: String?
    var conditions: [String] = []
    /// The text that is searched for, in lower case; nil for the rows of the level.
    var search: String?

    /// The question about the hits of a search.
    static func randomSearch(using generator: inout SeededGenerator) -> PlainTableQuery {
        var query = random(using: &generator)
        query.search = ["p", "e", "ap", "1", "x", "nowhere"][generator.below(6)]
        return query
    }

    static func random(using generator: inout SeededGenerator) -> PlainTableQuery {
        var query = PlainTableQuery()
        let sorts = ["Title", "-Title", "Price", "-Price", "Price,-Title", "Kind,Price", "-Kind", "Nowhere,Price", ""]
        if !generator.one(in: 3) { query.sort = sorts[generator.below(sorts.count)] }
        if generator.one(in: 2) { query.group = ["initial", "Kind", "Price", "Nowhere", ""][generator.below(5)] }
        let conditions = ["Price<3", "Price>0", "Kind:a", "Title~p", "Kind~B"]
        while generator.one(in: 3), query.conditions.count < 2 {
            query.conditions.append(conditions[generator.below(conditions.count)])
        }
        return query
    }

    /// The query of a target; never empty.
    var description: String {
        guard sort != nil || group != nil || !conditions.isEmpty || search != nil else { return "format=json" }
        let options = [sort.map { "sort=\($0)" }, group.map { "group=\($0)" }, search.map { "q=\($0)" }]
        let parts = options + conditions.map { "where=\($0)" }
        return parts.compactMap { $0?.replacing("<", with: "%3C").replacing(">", with: "%3E") }.joined(separator: "&")
    }

    /// The sections of a table with their titles and rows.
    func sections(of table: PlainTable) -> [(title: String?, rows: [PlainTable.Row])] {
        var rows = search.map { hits($0, among: table.rows) } ?? table.rows
        rows = rows.filter { row in conditions.allSatisfy { Self.holds($0, row) } }
        for part in (sort ?? (group == "initial" ? "Title" : "")).split(separator: ",").reversed() {
            rows = Self.sorted(rows, by: String(part.drop { $0 == "-" }), isDescending: part.hasPrefix("-"))
        }
        guard let group, !group.isEmpty else { return [(nil, rows)] }
        let marks = rows.map { group == "initial" ? $0.initial : Self.text(group, $0) }
        var titles: [String?] = []
        for mark in marks where !titles.contains(mark) { titles.append(mark) }
        let last = group == "initial" ? "#" : nil
        let known = titles.filter { $0 != last }
        titles = group == "initial" ? known.sorted { ($0 ?? "") < ($1 ?? "") } : known
        if marks.contains(last) { titles.append(last) }
        guard !titles.isEmpty else { return [(nil, [])] }
        return titles.map { title in (title, zip(rows, marks).filter { $0.1 == title }.map(\.0)) }
    }

    /// The rows in folders whose titles contain a text; unless they are sorted, the best first.
    private func hits(_ text: String, among rows: [PlainTable.Row]) -> [PlainTable.Row] {
        let rows = (0..<3).flatMap { number in rows.filter { $0.folder == number } }
        let hits = rows.filter { $0.folded.contains(text) }
        guard sort == nil, group != "initial" else { return hits }
        let isWord = { (row: PlainTable.Row) in
            row.folded.indices.contains { index in
                let before = index > row.folded.startIndex ? row.folded[row.folded.index(before: index)] : " "
                return row.folded[index...].hasPrefix(text) && !before.isLetter && !before.isNumber
            }
        }
        let starts = hits.filter { $0.folded.hasPrefix(text) }
        let others = hits.filter { !$0.folded.hasPrefix(text) }
        return starts + others.filter(isWord) + others.filter { !isWord($0) }
    }

    private static func text(_ field: String, _ row: PlainTable.Row) -> String? {
        switch field {
        case "Title": row.title
        case "Price": row.price.map(String.init)
        case "Kind": row.kind
        default: nil
        }
    }

    private static func sorted(_ rows: [PlainTable.Row], by field: String, isDescending: Bool) -> [PlainTable.Row] {
        var sorted: [PlainTable.Row] = []
        let having = rows.filter { text(field, $0) != nil }
        for row in having {
            let key = PlainTable.folded(text(field, row) ?? "").unicodeScalars.map(\.value)
            let place = sorted.firstIndex { other in
                let known = PlainTable.folded(text(field, other) ?? "").unicodeScalars.map(\.value)
                return isDescending ? known.lexicographicallyPrecedes(key) : key.lexicographicallyPrecedes(known)
            }
            sorted.insert(row, at: place ?? sorted.count)
        }
        return sorted + rows.filter { text(field, $0) == nil }
    }

    private static func holds(_ condition: String, _ row: PlainTable.Row) -> Bool {
        switch condition {
        case "Price<3": row.price.map { $0 < 3 } ?? false
        case "Price>0": row.price.map { $0 > 0 } ?? false
        case "Kind:a": row.kind == "a"
        case "Title~p": row.folded.contains("p")
        case "Kind~B": row.kind == "b"
        default: false
        }
    }
}

import DrilldownClient

/// The options of a request for a level, after reading.
struct MemoryQuery {
    var conditions: [MemoryCondition] = []
    var alternatives: [MemoryCondition] = []
    /// The text to search for, folded; nil without a search.
    var search: String?
    /// The names of the searched fields, `*` for all; nil for the title.
    var searchedFields: [String]?
    /// The order; empty for the order of the document, nil for the order of the item.
    var sort: [SortKey]?
    /// `initial` or the name of a field; empty for the sections of the document, nil for those of the item.
    var group: String?
    /// The opened items of an outline; nil without an outline.
    var outline: (depth: Int, paths: [ItemPath])?
    var limit = 1_000
    var start = 0
    /// The links of the last rows of the page before, the last one first; nil if the page begins at `start`.
    var after: [String]?
    /// The names of the fields that rows show; `*` for all, nil for the usual ones.
    var fields: [String]?

    /// Whether the best hits come first.
    var isRanked: Bool { searchedFields == nil && sort == nil && group != "initial" }

    /// The query for the plain level.
    init() {}

    /// Reads the options of a request.
    ///
    /// - Throws: `Problem` (400) that names the option.
    init(_ request: MemoryRequest) throws(Problem) {
        try request.checkOptions()
        if let text = request["limit"] {
            guard let number = Int(text), (1...10_000).contains(number) else {
                throw .badParameter("limit", "'limit' must be a whole number from 1 to 10000, not '\(text)'.")
            }
            limit = number
        }
        if let text = request["after"] {
            guard let position = Int(text.prefix { $0 != " " }), position >= 0 else {
                throw .badParameter("after", "'\(text)' is not a cursor; follow the link 'next' of a page.")
            }
            start = position
            after = text.split(separator: " ").dropFirst().map(String.init)
        }
        if let text = request["start"] {
            guard let position = Int(text), position >= 0 else {
                throw .badParameter(
                    "start", "'start' must be a whole number from 0 to the number of rows, not '\(text)'.")
            }
            start = position
        }
        conditions = try Self.conditions("where", request)
        alternatives = try Self.conditions("any", request)
        sort = try request["sort"].map { text throws(Problem) in try Self.order(text) }
        if let text = request["in"] {
            searchedFields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if searchedFields?.contains("") == true {
                throw .badParameter("in", "'in' must be * or names of fields with commas between them, not '\(text)'.")
            }
        }
        if let text = request["q"], !text.isEmpty {
            search = text.folded
            if search == "" {
                throw .badParameter("q", "'q' must contain a character that is compared, not '\(text)'.")
            }
        }
        group = request["group"]
        try readOutline(request)
        fields = request["fields"].map { $0.split(separator: ",").map(String.init) }
    }

    private mutating func readOutline(_ request: MemoryRequest) throws(Problem) {
        if let text = request["depth"] {
            guard let depth = text == "all" ? .max : Int(text), depth > 0 else {
                throw .badParameter("depth", "'depth' must be a whole number from 1, or all, not '\(text)'.")
            }
            outline = (depth, [])
        }
        if let text = request["expand"] {
            let links = text.split(separator: ",").filter { !$0.hasPrefix("/") && !$0.hasSuffix("/") }
            outline = (outline?.depth ?? 1, links.compactMap { ItemPath(href: "/levels/" + $0) })
        }
    }

    private static func conditions(_ name: String, _ request: MemoryRequest) throws(Problem) -> [MemoryCondition] {
        try request.values(of: name).map { text throws(Problem) in
            guard let condition = MemoryCondition(text) else {
                throw .badParameter(
                    name, "'\(name)' must be a condition with the name of a field, as Price<10, not '\(text)'.")
            }
            return condition
        }
    }

    /// Reads an order such as `-Price,Title`.
    static func order(_ text: String) throws(Problem) -> [SortKey] {
        guard !text.isEmpty else { return [] }
        let keys = text.split(separator: ",", omittingEmptySubsequences: false).map {
            SortKey(stringLiteral: String($0))
        }
        let directions = ["asc", "ascending", "desc", "descending"]
        let isWrong = keys.contains { key in
            let words = key.field.split { $0 == ":" || $0 == " " }
            return key.field.isEmpty || words.count > 1 && directions.contains(words.last?.lowercased() ?? "")
        }
        guard !isWrong, keys.count <= 16 else {
            throw .badParameter("sort", "'sort' must be names of fields with commas between them, as -Price,Title.")
        }
        return keys
    }
}

/// Rows in the order and the sections of a query.
struct MemoryListing {
    private(set) var rows: [MemoryRow]
    private(set) var sections: [Level.Section] = []

    /// - Parameters:
    ///   - rows: the rows in the order of the document, or the hits of a search, the best first.
    ///   - item: the item whose level is arranged; nil for rows of several levels.
    init(_ rows: [MemoryRow], of item: MemoryItem?, by query: MemoryQuery) throws(Problem) {
        let own = item?.fields
        self.rows = rows
        var numbers = item?.sectionNumbers ?? []
        let isFiltered = !query.conditions.isEmpty || !query.alternatives.isEmpty
        if isFiltered {
            let kept = rows.indices.filter { number in
                query.conditions.allSatisfy { $0.holds(for: rows[number]) }
                    && (query.alternatives.isEmpty || query.alternatives.contains { $0.holds(for: rows[number]) })
            }
            self.rows = kept.map { rows[$0] }
            if item != nil { numbers = kept.map { numbers[$0] } }
        }
        let group = query.group ?? own?["GroupBy"]?.text ?? ""
        let ownSort = try own?["SortBy"]?.text.map { text throws(Problem) in try MemoryQuery.order(text) }
        let sort = query.sort ?? ownSort ?? (group == "initial" ? [.ascending("Title")] : [])
        if !sort.isEmpty { self.rows = Self.sorted(self.rows, by: sort) }
        if !group.isEmpty {
            divide(isByInitial: group == "initial") {
                group == "initial" ? $0.row.title.initial : $0.value(of: group)?.groupText
            }
        } else if sort.isEmpty, let item, !item.sections.isEmpty {
            divide(numbers, into: item.sections)
            if isFiltered { sections.removeAll { $0.count == 0 } }
        }
        if sections.isEmpty { sections = [Level.Section(start: 0, count: self.rows.count)] }
    }

    private static func sorted(_ rows: [MemoryRow], by keys: [SortKey]) -> [MemoryRow] {
        let values = rows.map { row in keys.map { row.value(of: $0.field)?.sortKey } }
        let order = rows.indices.sorted { one, other in
            for (key, (value, otherValue)) in zip(keys, zip(values[one], values[other])) {
                guard let value, let otherValue else {
                    // A row without the field comes last in either direction.
                    if value != nil || otherValue != nil { return value != nil }
                    continue
                }
                if value < otherValue { return !key.isDescending }
                if otherValue < value { return key.isDescending }
            }
            return one < other
        }
        return order.map { rows[$0] }
    }

    /// Divides the rows by a text, in order of first appearance, or by letters in their own order. Rows without a text
    /// are the last section.
    private mutating func divide(isByInitial: Bool, by text: (MemoryRow) -> String?) {
        let texts = rows.map(text)
        var known: Set<String> = []
        var titles = texts.compactMap(\.self).filter { known.insert($0).inserted }
        if isByInitial {
            titles.sort { $1 == "#" ? $0 != "#" : $0 != "#" && $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        let places = Dictionary(zip(titles, titles.indices)) { first, _ in first }
        var sections = titles.map { MemoryItem.Section(title: $0, index: isByInitial ? $0 : nil) }
        if texts.contains(nil) { sections.append(MemoryItem.Section()) }
        divide(texts.map { $0.flatMap { places[$0] } ?? titles.count }, into: sections)
    }

    /// - Parameter numbers: the number of the section of each row.
    private mutating func divide(_ numbers: [Int], into sections: [MemoryItem.Section]) {
        var gathered = [[MemoryRow]](repeating: [], count: sections.count)
        for (row, number) in zip(rows, numbers) { gathered[number].append(row) }
        rows = gathered.flatMap(\.self)
        var start = 0
        for (section, rows) in zip(sections, gathered) {
            self.sections.append(
                Level.Section(
                    title: section.title, index: section.index, start: start, count: rows.count, footer: section.footer)
            )
            start += rows.count
        }
    }

    /// The number of the section of the row at a position.
    func sectionNumber(at position: Int) -> Int { sections.firstIndex { $0.range.contains(position) } ?? 0 }
}

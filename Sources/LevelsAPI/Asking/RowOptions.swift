import Bytes
import Levels
import PropertyLists

/// The options that choose, order and divide the rows of a level.
extension QueryOption {
    static let fields = QueryOption(
        name: "fields", grammar: "\"*\" / [ name *( \",\" name ) ]", example: "Text",
        summary:
            "The fields that each row shows: their names, all of them, or none. Without this option, rows show numbers, Booleans, dates and short texts."
    ) { value, values throws(Problem) in
        guard value != "*" else {
            values.rows.fields = .all
            return
        }
        var names: [[UInt8]] = []
        var count = 0
        value.utf8Span.span.forEachPart(dividedBy: UInt8(ascii: ",")) { name in
            count += 1
            if count <= FieldNames.limit { names.append(Array(copying: name)) }
        }
        guard count <= FieldNames.limit else {
            throw .badParameter(
                "fields",
                detail: "'fields' must name at most \(FieldNames.limit) fields, not \(count); '*' selects all of them.")
        }
        values.rows.fields = .named(FieldNames(names))
    }

    /// The maximum number of conditions; every condition is evaluated for every row.
    private static let conditionLimit = 16

    static let condition = QueryOption(
        name: "where", grammar: conditionGrammar, pattern: conditionPattern, example: "Title~screen",
        summary:
            "Only the rows that meet a condition: a comparison of a field with a value, or whether the row has the field. All conditions must hold.",
        isRepeatable: true
    ) { value, values throws(Problem) in
        try add(value, of: "where", to: &values.rows.conditions)
    }

    static let alternative = QueryOption(
        name: "any", grammar: conditionGrammar, pattern: conditionPattern, example: "Title~screen",
        summary: "Only the rows that meet at least one of the conditions with this name, each as in 'where'.",
        isRepeatable: true
    ) { value, values throws(Problem) in
        try add(value, of: "any", to: &values.rows.alternatives)
    }

    private static let conditionGrammar =
        "name [ ( \":\" / \"!\" / \"<\" / \"<=\" / \">\" / \">=\" / \"~\" / \"!~\" ) value ] / \"!\" name"
    /// In a name, each sign of an operator follows a backslash.
    private static let conditionPattern = "^(!N+|N+([!:<=>~][\\s\\S]*)?)$".replacing(
        "N", with: "(\\\\[!:<=>~]|[^!:<=>~])")

    private static func add(_ text: String, of name: String, to conditions: inout [RowCondition]) throws(Problem) {
        guard let condition = RowCondition(text) else {
            throw .badParameter(
                name,
                detail:
                    "'\(name)' must be a condition with the name of a field, as Price<10, Title~tea, Price or !Price, not '\(quoted: text)'."
            )
        }
        guard conditions.count < conditionLimit else {
            throw .badParameter(name, detail: "'\(name)' must be given at most \(conditionLimit) times.")
        }
        conditions.append(condition)
    }

    /// `sort=`. An empty value selects the order of the document, even if the item has a `SortBy`.
    static let sort = QueryOption(
        name: "sort", grammar: "[ [ \"-\" ] name *( \",\" [ \"-\" ] name ) ]", example: "-Title",
        summary: "The fields by which the rows are sorted; '-' turns the order of a field round."
    ) { value, values throws(Problem) in
        do {
            values.rows.order.sort = try RowOrder(value)
        } catch {
            throw .badParameter("sort", detail: "'sort' \(error).")
        }
    }

    /// `group=`. An empty value selects the sections of the document, even if the item has a `GroupBy`.
    static let group = QueryOption(
        name: "group", grammar: "\"initial\" / [ name ]", example: "initial",
        summary: "Sections by the first letter of the title, or by the text of a field."
    ) { value, values in
        values.rows.order.group = RowGrouping(value)
    }

    static let search = QueryOption(
        name: "q", grammar: "*CHAR", example: "screen",
        summary:
            "Only the items below, on all levels, whose title contains a text; case and accents are ignored. An empty text is no search.",
        excludes: ["since"]
    ) { value, values throws(Problem) in
        guard !value.isEmpty else { return }
        guard ItemSearch.isPossible(for: value) else {
            throw .badParameter(
                "q",
                detail:
                    "'q' must contain a character that is compared, such as a letter or a digit, not '\(quoted: value)'."
            )
        }
        values.rows.search = value
    }

    static let searchedFields = QueryOption(
        name: "in", grammar: "\"*\" / name *( \",\" name )", example: "Title,Text", defaultValue: "Title",
        summary: "The fields that the search 'q' looks at: their names, or all with the title.", requires: ["q"]
    ) { value, values throws(Problem) in
        guard let fields = SearchedFields(value) else {
            throw .badParameter(
                "in",
                detail:
                    "'in' must be * or up to \(SearchedFields.most) names of fields with commas between them, as Title,Subtitle, not '\(quoted: value)'."
            )
        }
        values.rows.searchedFields = fields
    }
}

/// The options of an outline.
extension QueryOption {
    static let depth = QueryOption(
        name: "depth", grammar: "\"all\" / 1*DIGIT", pattern: "^(all|0*[1-9][0-9]*)$", example: "2",
        summary: "An outline: the rows of this many levels, flattened in order.", excludes: otherThanOutlines
    ) { value, values throws(Problem) in
        guard let depth = OutlineOpening.depth(value) else {
            throw .badParameter(
                "depth", detail: "'depth' must be a whole number from 1, or all, not '\(quoted: value)'.")
        }
        values.rows.outline = values.rows.outline ?? OutlineOpening()
        values.rows.outline?.depth = depth
    }

    static let expand = QueryOption(
        name: "expand", grammar: "[ path ] *( \",\" [ path ] )", example: "Item%201",
        summary: "An outline: the items that are open, as paths below this level.", excludes: otherThanOutlines
    ) { value, values throws(Problem) in
        var opening = values.rows.outline ?? OutlineOpening()
        try value.utf8Span.span.forEachPart(dividedBy: UInt8(ascii: ",")) { text throws(Problem) in
            let path: ItemPath
            do throws(ItemPathError) {
                path = try ItemPath(text)
            } catch {
                throw .badParameter(
                    "expand", detail: "'expand' must be paths of percent-encoded UTF-8, not '\(quoted: error.segment)'."
                )
            }
            // Keys are never empty, so a path that begins or ends with an empty segment opens nothing.
            if !text.isEmpty, text[0] != slash, text[text.count - 1] != slash { opening.paths.append(path) }
        }
        values.rows.outline = opening
    }

    private static let otherThanOutlines = ["sort", "group", "where", "any", "q", "in", "since"]
    private static let slash = UInt8(ascii: "/")
}

extension OutlineOpening {
    /// Reads a number of levels; nil if it is malformed.
    fileprivate static func depth(_ text: String) -> Int? {
        if text == "all" { return all }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.utf8.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        // A number that is too large for an integer exceeds the depth of any tree.
        return min(Int(text) ?? all, all)
    }
}

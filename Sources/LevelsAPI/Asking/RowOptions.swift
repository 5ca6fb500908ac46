import Levels
import PropertyLists

extension QueryOption {
    /// `fields=`: the fields that the rows show.
    static let fields = QueryOption(
        name: "fields", grammar: "\"*\" / [ name *( \",\" name ) ]", example: "Text",
        defaultValue: "Subtitle,Image,Kind,View,Tag,Value,Type",
        summary: "The fields that each row shows: their names, all of them, or none.", effect: .content
    ) { value, query throws(Problem) in
        query.fields = try FieldSelection(value)
    }

    /// The maximum number of conditions: each is evaluated for each row.
    private static let conditionLimit = 16

    /// `where=`: a condition on the rows.
    static let condition = QueryOption(
        name: "where", grammar: "name ( \":\" / \"<\" / \">\" / \"~\" ) value", pattern: "[:<>~]",
        example: "Title~screen",
        summary: "Only the rows whose field is equal to a value, less, greater, or contains a text.", effect: .content,
        isRepeatable: true, arrangesRows: true
    ) { value, query throws(Problem) in
        guard let condition = RowCondition(value) else {
            throw .badParameter(
                "where",
                "'where' must be a field's name, one of ':', '<', '>' and '~', and a value, as Price<10, not '\(quoted: value)'."
            )
        }
        query.conditionCount += 1
        guard query.conditionCount <= conditionLimit else {
            throw .badParameter("where", "'where' must be given at most \(conditionLimit) times.")
        }
        query.steps.append { $0.filter(by: condition) }
    }

    /// `sort=`: the order of the rows; without a value that of the document, even if the item has a `SortBy`.
    static let sort = QueryOption(
        name: "sort", grammar: "[ [ \"-\" ] name *( \",\" [ \"-\" ] name ) ]", example: "-Title",
        summary: "The fields by which the rows are sorted; '-' turns the order of a field round.", effect: .content,
        arrangesRows: true
    ) { value, query throws(Problem) in
        do {
            query.order.sort = try RowOrder(value)
        } catch {
            throw .badParameter("sort", "'sort' \(error).")
        }
    }

    /// `group=`: the sections; without a value those of the document, even if the item has a `GroupBy`. Read after `sort`
    /// and `q`.
    static let group = QueryOption(
        name: "group", grammar: "\"initial\" / [ name ]", example: "initial",
        summary: "Sections by the first letter of the title, or by the text of a field.", effect: .content,
        arrangesRows: true
    ) { value, query in
        query.order.group = RowGrouping(value)
        // They are sorted by title then, and equal titles are in the order of the document.
        if query.order.group == .initial { query.search?.isRanked = false }
    }

    /// `q=`: the items below the level that contain a text. Read after `in` and `sort`, which decide what is searched,
    /// and whether the best hits come first.
    static let search = QueryOption(
        name: "q", grammar: "1*CHAR", example: "screen",
        summary: "Only the items below, on all levels, whose title contains a text; case and accents are ignored.",
        effect: .content, arrangesRows: true, looksBelow: true, excludes: ["since"]
    ) { value, query throws(Problem) in
        let isRanked = query.searchedFields == nil && query.order.sort == nil
        guard let search = ItemSearch(value, in: query.searchedFields ?? .title, isRanked: isRanked) else {
            throw .badParameter(
                "q",
                "'q' must contain a character that is compared, such as a letter or a digit, not '\(quoted: value)'.")
        }
        query.search = search
        query.usesOwnOrder = false
    }

    /// `in=`: what a search looks at. Read before `q`.
    static let searchedFields = QueryOption(
        name: "in", grammar: "\"*\" / name *( \",\" name )", example: "Title,Text", defaultValue: "Title",
        summary: "The fields that the search 'q' looks at: their names, or all with the title.", effect: .content,
        arrangesRows: true, requires: "q"
    ) { value, query throws(Problem) in
        guard let fields = SearchedFields(value) else {
            throw .badParameter(
                "in",
                "'in' must be * or up to \(SearchedFields.most) names of fields with commas between them, as Title,Subtitle, not '\(quoted: value)'."
            )
        }
        query.searchedFields = fields
    }
}

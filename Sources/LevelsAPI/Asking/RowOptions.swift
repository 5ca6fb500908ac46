import Bytes
import Levels
import PropertyLists

extension LevelQuery {
    /// `fields=`: the fields that the rows show.
    static let fields = QueryReader<LevelQuery>(
        QueryOption(
            name: "fields", grammar: "\"*\" / [ name *( \",\" name ) ]", example: "Text",
            defaultValue: "Subtitle,Image,Kind,View,Tag,Value,Type",
            summary: "The fields that each row shows: their names, all of them, or none.")
    ) { value, query throws(Problem) in
        guard value != "*" else {
            query.rows.fields = .all
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
                "'fields' must name at most \(FieldNames.limit) fields, not \(count); '*' selects all of them.")
        }
        query.rows.fields = .named(FieldNames(names))
    }

    /// The maximum number of conditions: each is evaluated for each row.
    private static let conditionLimit = 16

    /// `where=`: a condition on the rows.
    static let condition = QueryReader<LevelQuery>(
        QueryOption(
            name: "where", grammar: "name ( \":\" / \"<\" / \">\" / \"~\" ) value", pattern: "[:<>~]",
            example: "Title~screen",
            summary: "Only the rows whose field is equal to a value, less, greater, or contains a text.",
            isRepeatable: true)
    ) { value, query throws(Problem) in
        guard let condition = RowCondition(value) else {
            throw .badParameter(
                "where",
                "'where' must be a field's name, one of ':', '<', '>' and '~', and a value, as Price<10, not '\(quoted: value)'."
            )
        }
        guard query.rows.conditions.count < conditionLimit else {
            throw .badParameter("where", "'where' must be given at most \(conditionLimit) times.")
        }
        query.rows.conditions.append(condition)
    }

    /// `sort=`: the order of the rows; without a value that of the document, even if the item has a `SortBy`.
    static let sort = QueryReader<LevelQuery>(
        QueryOption(
            name: "sort", grammar: "[ [ \"-\" ] name *( \",\" [ \"-\" ] name ) ]", example: "-Title",
            summary: "The fields by which the rows are sorted; '-' turns the order of a field round.")
    ) { value, query throws(Problem) in
        do {
            query.rows.order.sort = try RowOrder(value)
        } catch {
            throw .badParameter("sort", "'sort' \(error).")
        }
    }

    /// `group=`: the sections; without a value those of the document, even if the item has a `GroupBy`.
    static let group = QueryReader<LevelQuery>(
        QueryOption(
            name: "group", grammar: "\"initial\" / [ name ]", example: "initial",
            summary: "Sections by the first letter of the title, or by the text of a field.")
    ) { value, query in
        query.rows.order.group = RowGrouping(value)
    }

    /// `q=`: the items below the level that contain a text.
    static let search = QueryReader<LevelQuery>(
        QueryOption(
            name: "q", grammar: "1*CHAR", example: "screen",
            summary: "Only the items below, on all levels, whose title contains a text; case and accents are ignored.",
            excludes: ["since"])
    ) { value, query throws(Problem) in
        guard ItemSearch.isPossible(for: value) else {
            throw .badParameter(
                "q",
                "'q' must contain a character that is compared, such as a letter or a digit, not '\(quoted: value)'.")
        }
        query.rows.search = value
    }

    /// `in=`: what a search looks at.
    static let searchedFields = QueryReader<LevelQuery>(
        QueryOption(
            name: "in", grammar: "\"*\" / name *( \",\" name )", example: "Title,Text", defaultValue: "Title",
            summary: "The fields that the search 'q' looks at: their names, or all with the title.", requires: "q")
    ) { value, query throws(Problem) in
        guard let fields = SearchedFields(value) else {
            throw .badParameter(
                "in",
                "'in' must be * or up to \(SearchedFields.most) names of fields with commas between them, as Title,Subtitle, not '\(quoted: value)'."
            )
        }
        query.rows.searchedFields = fields
    }
}

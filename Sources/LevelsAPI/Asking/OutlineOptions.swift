import Bytes
import Levels
import PropertyLists

extension LevelQuery {
    /// `depth=`: how many levels an outline shows.
    static let depth = QueryReader<LevelQuery>(
        QueryOption(
            name: "depth", grammar: "\"all\" / 1*DIGIT", pattern: "^(all|0*[1-9][0-9]*)$", example: "2",
            summary: "An outline: the rows of this many levels, flattened in order.", excludes: otherThanOutlines)
    ) { value, query throws(Problem) in
        guard let depth = OutlineOpening.depth(value) else {
            throw .badParameter("depth", "'depth' must be a whole number from 1, or all, not '\(quoted: value)'.")
        }
        query.rows.outline = query.rows.outline ?? OutlineOpening()
        query.rows.outline?.depth = depth
    }

    /// What an outline cannot be combined with.
    private static let otherThanOutlines = ["sort", "group", "where", "q", "in", "since"]
}

extension OutlineOpening {
    /// The number of levels that a text asks for; nil if it is malformed.
    fileprivate static func depth(_ text: String) -> Int? {
        if text == "all" { return all }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.utf8.contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        // A number that is too large for an integer is more than the depth of any tree.
        return min(Int(text) ?? all, all)
    }
}

extension LevelQuery {
    /// `expand=`: items below the level that an outline opens, with all above them.
    static let expand = QueryReader<LevelQuery>(
        QueryOption(
            name: "expand", grammar: "[ path ] *( \",\" [ path ] )", example: "Item%201",
            summary: "An outline: the items that are open, as paths below this level.", excludes: otherThanOutlines)
    ) { value, query throws(Problem) in
        var opening = query.rows.outline ?? OutlineOpening()
        try value.utf8Span.span.forEachPart(dividedBy: UInt8(ascii: ",")) { text throws(Problem) in
            let path: ItemPath
            do throws(ItemPathError) {
                path = try ItemPath(text)
            } catch {
                throw .badParameter(
                    "expand", "'expand' must be paths of percent-encoded UTF-8, not '\(quoted: error.segment)'.")
            }
            // An empty segment is a key that no item has, also at an end.
            if !text.isEmpty, text[0] != slash, text[text.count - 1] != slash { opening.paths.append(path) }
        }
        query.rows.outline = opening
    }

    private static let slash = UInt8(ascii: "/")
}

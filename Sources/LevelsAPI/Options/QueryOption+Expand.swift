import Bytes
import Levels
import PropertyLists

extension QueryOption {
    /// `expand=`: items below the level that an outline opens, with all above them.
    static let expand = QueryOption(
        name: "expand", grammar: "[ path ] *( \",\" [ path ] )", example: "Item%201",
        summary: "An outline: the items that are open, as paths below this level.", effect: .content,
        looksBelow: true, excludes: otherThanOutlines
    ) { value, query throws(Problem) in
        var opening = query.outline ?? OutlineOpening()
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
        query.outline = opening
    }

    private static let slash = UInt8(ascii: "/")
}

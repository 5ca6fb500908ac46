/// A table of text for a terminal.
struct TextTable {
    let heads: [String]
    let rows: [[String]]

    /// The largest number of characters in a line.
    private static let width = 100
    private static let leastWidth = 8
    private static let gap = 2

    /// The heads and the rows. The widest columns are cut until a line fits; a text that is cut ends with `…`. A column
    /// without texts is left out.
    var lines: [String] {
        let shown = heads.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        var widths = shown.map { column in ([heads] + rows).map { $0[column].count }.max() ?? 0 }
        while widths.reduce(0, +) + Self.gap * (widths.count - 1) > Self.width,
            let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastWidth
        {
            widths[widest] -= 1
        }
        return ([heads] + rows).map { row in
            let cells = zip(shown, widths).map { column, width in
                let text = row[column].count > width ? row[column].prefix(width - 1) + "…" : row[column][...]
                return text + String(repeating: " ", count: width - text.count + Self.gap)
            }
            return String(cells.joined().reversed().drop { $0 == " " }.reversed())
        }
    }
}

/// Text in a few styles, on one line.
struct StyledText: Equatable, Sendable {
    /// How a terminal shows a run of text.
    struct Style: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let bold = Style(rawValue: 1)
        static let dim = Style(rawValue: 2)
        static let underlined = Style(rawValue: 4)
        static let reverse = Style(rawValue: 8)
    }

    /// Text in one style.
    struct Run: Equatable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var runs: [Run] = []
    /// The columns that the text takes.
    private(set) var columns = 0

    init() {}

    init(_ text: String, _ style: Style = []) { append(text, style) }

    /// The text without styles.
    var text: String { runs.map(\.text).joined() }

    mutating func append(_ text: String, _ style: Style = []) {
        let shown = DisplayText(text).description
        guard !shown.isEmpty else { return }
        runs.append(Run(text: shown, style: style))
        columns += DisplayWidth.columns(of: shown)
    }

    mutating func append(_ other: StyledText) {
        runs += other.runs
        columns += other.columns
    }

    /// Adds blanks up to a column.
    mutating func pad(to column: Int, _ style: Style = []) {
        guard columns < column else { return }
        append(String(repeating: " ", count: column - columns), style)
    }

    /// The same text in a further style.
    func adding(_ style: Style) -> StyledText {
        var styled = self
        for index in styled.runs.indices { styled.runs[index].style.formUnion(style) }
        return styled
    }

    /// The text in at most that many columns; `…` stands for an omitted end.
    func clipped(to limit: Int) -> StyledText {
        guard columns > limit else { return self }
        var clipped = StyledText()
        guard limit > 0 else { return clipped }
        for run in runs {
            var text = ""
            for character in run.text {
                guard clipped.columns + DisplayWidth.columns(of: text) + DisplayWidth.columns(of: character) < limit
                else {
                    clipped.append(text + "…", run.style)
                    return clipped
                }
                text.append(character)
            }
            clipped.append(text, run.style)
        }
        return clipped
    }

    /// This text on the left and another on the right of a line; the right one gives way if there is not enough room.
    func aligned(with right: StyledText, columns: Int, fill: Style = []) -> StyledText {
        let isRoomForBoth = self.columns + right.columns < columns || right.columns * 3 < columns
        guard isRoomForBoth, right.columns > 0 else {
            var line = clipped(to: columns)
            line.pad(to: columns, fill)
            return line
        }
        var line = clipped(to: columns - right.columns - 1)
        line.pad(to: columns - right.columns, fill)
        line.append(right)
        return line
    }
}

/// What a terminal shows: as many lines as it has, and where the cursor is.
struct Frame: Equatable, Sendable {
    /// A place on the screen, from 0.
    struct Position: Equatable, Sendable {
        var line: Int
        var column: Int
    }

    var lines: [StyledText] = []
    /// Where text is typed; nil hides the cursor.
    var cursor: Position?

    /// The control sequences that turn a screen with this content into the frame; all of it if `earlier` is nil.
    ///
    /// A line that is the same is not written again.
    func sequences(after earlier: Frame?) -> String {
        var text = ""
        if earlier == nil { text += "\u{1B}[0m\u{1B}[2J" }
        for (index, line) in lines.enumerated() {
            if let earlier, earlier.lines.indices.contains(index), earlier.lines[index] == line { continue }
            text += "\u{1B}[\(index + 1);1H" + Self.sequences(of: line) + "\u{1B}[K"
        }
        if let cursor {
            text += "\u{1B}[\(cursor.line + 1);\(cursor.column + 1)H\u{1B}[?25h"
        } else if earlier == nil || earlier?.cursor != nil {
            text += "\u{1B}[?25l"
        }
        return text
    }

    /// Every run begins with its whole style (SGR, ECMA-48), and the line ends without any.
    private static func sequences(of line: StyledText) -> String {
        var text = ""
        var style: StyledText.Style = []
        for run in line.runs {
            if run.style != style { text += "\u{1B}[0\(parameters(of: run.style))m" }
            style = run.style
            text += run.text
        }
        return style.isEmpty ? text : text + "\u{1B}[0m"
    }

    private static func parameters(of style: StyledText.Style) -> String {
        let numbers: [(StyledText.Style, String)] = [
            (.bold, ";1"), (.dim, ";2"), (.underlined, ";4"), (.reverse, ";7"),
        ]
        return numbers.filter { style.contains($0.0) }.map(\.1).joined()
    }
}

/// Text in a few styles, on one line.
struct StyledText: Equatable, Sendable {
    /// The attributes of a run of text.
    struct Style: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let bold = Style(rawValue: 1)
        static let dim = Style(rawValue: 2)
        static let reverse = Style(rawValue: 4)
    }

    struct Run: Equatable, Sendable {
        var text: String
        var style: Style
    }

    private(set) var runs: [Run] = []
    private(set) var columns = 0

    init() {}

    init(text: String, style: Style = []) { append(text, style: style) }

    var text: String { runs.map(\.text).joined() }

    mutating func append(_ text: String, style: Style = []) {
        let shown = DisplayText(text).description
        guard !shown.isEmpty else { return }
        runs.append(Run(text: shown, style: style))
        columns += DisplayWidth.columns(of: shown)
    }

    mutating func append(_ other: StyledText) {
        runs += other.runs
        columns += other.columns
    }

    mutating func pad(to column: Int, style: Style = []) {
        guard columns < column else { return }
        append(String(repeating: " ", count: column - columns), style: style)
    }

    func adding(_ style: Style) -> StyledText {
        var styled = self
        for index in styled.runs.indices { styled.runs[index].style.formUnion(style) }
        return styled
    }

    /// Returns the text in at most `limit` columns; `…` replaces the end of a longer text.
    func clipped(to limit: Int) -> StyledText {
        guard columns > limit else { return self }
        var clipped = StyledText()
        guard limit > 0 else { return clipped }
        for run in runs {
            var text = ""
            for character in run.text {
                guard clipped.columns + DisplayWidth.columns(of: text) + DisplayWidth.columns(of: character) < limit
                else {
                    clipped.append(text + "…", style: run.style)
                    return clipped
                }
                text.append(character)
            }
            clipped.append(text, style: run.style)
        }
        return clipped
    }

    /// Returns a line with this text on the left and another on the right.
    ///
    /// If the two texts do not fit together, this text is clipped. But if the right text takes a third of the line or
    /// more, the right text is left out instead.
    func aligned(with right: StyledText, columns: Int, fill: Style = []) -> StyledText {
        let isRoomForBoth = self.columns + right.columns < columns || right.columns * 3 < columns
        guard isRoomForBoth, right.columns > 0 else {
            var line = clipped(to: columns)
            line.pad(to: columns, style: fill)
            return line
        }
        var line = clipped(to: columns - right.columns - 1)
        line.pad(to: columns - right.columns, style: fill)
        line.append(right)
        return line
    }
}

/// Text from a document in a form that cannot harm a terminal, on one line.
///
/// Control characters, line separators and characters that change the direction of text (UAX #9, section 2) are shown
/// in the form `\u{1B}`. A character keeps at most eight combining marks.
struct DisplayText: Equatable, Sendable, CustomStringConvertible {
    let description: String

    private static let mostScalars = 9

    init(_ text: some StringProtocol) {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            description = String(text)
            return
        }
        var shown = String.UnicodeScalarView()
        for character in text {
            for scalar in character.unicodeScalars.prefix(Self.mostScalars) {
                if Self.isEscaped(scalar) {
                    shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
                } else {
                    shown.append(scalar)
                }
            }
        }
        description = String(shown)
    }

    static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        default: break
        }
        switch scalar.value {
        // Invisible: a byte order mark, annotations and tags.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: return true
        default: return properties.isBidiControl || properties.isNoncharacterCodePoint
        }
    }
}

/// The number of columns that text takes in a terminal, as terminals count them (wcwidth(3)).
enum DisplayWidth {
    static func columns(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        // A variation selector selects the emoji form of a character.
        if scalars.contains("\u{FE0F}"), scalars.contains(where: { $0.properties.isEmoji }) { return 2 }
        // Several emoji that are joined, and the two letters of a flag, are one emoji.
        return min(2, scalars.reduce(0) { $0 + columns(of: $1) })
    }

    static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator, .surrogate: return 0
        // The soft hyphen is shown.
        case .format: return scalar == "\u{AD}" ? 1 : 0
        default: break
        }
        // Vowels and final consonants of Hangul are drawn in the column of the consonant before them.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// The characters that are East Asian Wide or Fullwidth (UAX #11), except most emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x2FFFD,
        0x30000...0x3FFFD,
    ]
}

/// The content of a screen: all its lines, and the position of the cursor.
struct Frame: Equatable, Sendable {
    /// A position on the screen; line and column count from 0.
    struct Position: Equatable, Sendable {
        var line: Int
        var column: Int
    }

    var lines: [StyledText] = []
    /// The position of the cursor; nil hides the cursor.
    var cursor: Position?

    /// Returns the control sequences that turn a screen with the frame `earlier` into this frame.
    ///
    /// Lines that are equal in both frames are not written. If `earlier` is nil, the screen is cleared and all lines
    /// are written.
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

    /// If the style changes, a run begins with its whole style (SGR, ECMA-48). The line ends in the default style.
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
        let numbers: [(StyledText.Style, String)] = [(.bold, ";1"), (.dim, ";2"), (.reverse, ";7")]
        return numbers.filter { style.contains($0.0) }.map(\.1).joined()
    }
}

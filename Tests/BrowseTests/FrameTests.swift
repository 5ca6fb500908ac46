import Testing

@testable import drilldown_browse

@Suite("A frame")
struct FrameTests {
    private var first: Frame {
        var line = StyledText(text: "a", style: .bold)
        line.append("b")
        line.append("c", style: [.dim, .reverse])
        return Frame(lines: [line, StyledText(text: "d")], cursor: nil)
    }

    @Test("is written whole on a screen with unknown content")
    func whole() {
        #expect(
            first.sequences(after: nil)
                == "\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0;1ma\u{1B}[0mb\u{1B}[0;2;7mc\u{1B}[0m\u{1B}[K\u{1B}[2;1Hd\u{1B}[K\u{1B}[?25l"
        )
    }

    @Test("writes only the lines that differ")
    func difference() {
        var second = first
        #expect(second.sequences(after: first).isEmpty)
        second.lines[1] = StyledText(text: "e")
        #expect(second.sequences(after: first) == "\u{1B}[2;1He\u{1B}[K")
        second.lines.append(StyledText())
        #expect(second.sequences(after: first) == "\u{1B}[2;1He\u{1B}[K\u{1B}[3;1H\u{1B}[K")
    }

    @Test("shows and hides the cursor")
    func cursor() {
        var second = first
        second.cursor = Frame.Position(line: 1, column: 4)
        #expect(second.sequences(after: first) == "\u{1B}[2;5H\u{1B}[?25h")
        #expect(first.sequences(after: second) == "\u{1B}[?25l")
    }
}

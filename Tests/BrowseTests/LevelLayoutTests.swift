import DrilldownClient
import Testing

@testable import drilldown_browse

@Suite("The lines of a level")
struct LevelLayoutTests {
    private let layout = LevelLayout([
        Level.Section(title: "A", start: 0, count: 2), Level.Section(start: 2, count: 0),
        Level.Section(start: 2, count: 1, footer: "foot"), Level.Section(title: "C", start: 3, count: 2, footer: "end"),
    ])

    @Test("are titles, rows and footers in order")
    func lines() {
        #expect(layout.count == 9)
        #expect(
            (-1...9).map(layout.line) == [
                nil, .title(section: 0), .row(0), .row(1), .row(2), .footer(section: 2), .title(section: 3), .row(3),
                .row(4),
                .footer(section: 3), nil,
            ])
    }

    @Test("are the titles and footers of a level without rows")
    func noRows() {
        let layout = LevelLayout([
            Level.Section(title: "A", start: 0, count: 0, footer: "foot"),
            Level.Section(start: 0, count: 0, footer: "end"),
        ])
        #expect((0...3).map(layout.line) == [.title(section: 0), .footer(section: 0), .footer(section: 1), nil])
    }

    @Test("are found by the row")
    func rows() {
        for row in 0..<5 { #expect(layout.line(layout.line(ofRow: row)) == .row(row)) }
        #expect((0..<5).map(layout.firstLine) == [0, 2, 3, 5, 7])
        #expect(LevelLayout([Level.Section(title: "", start: 0, count: 0, footer: "")]).count == 0)
        #expect(LevelLayout().line(ofRow: 0) == 0)
    }
}

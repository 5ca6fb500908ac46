import DrilldownClient
import Testing

@testable import drilldown_browse

@Suite("The browser")
struct BrowserTests {
    private func row(_ title: String, count: Int = 0, version: String = "") -> Row {
        Row(key: title, version: version, title: title, count: count)
    }

    private func browser(_ rows: [Row], columns: Int = 30, lines: Int = 6) -> Browser {
        var browser = Browser(
            address: "http://h:1", size: TerminalSize(columns: columns, lines: lines), at: Place(.level, at: .root))
        browser.show(Level(title: "Root", path: .root, rows: rows))
        return browser
    }

    private func lines(_ browser: Browser) -> [String] { browser.frame().lines.map(\.text) }
    private func selected(_ browser: Browser) -> String? { browser.place.selectedRow?.title }

    private func line(_ left: String, _ right: String = "", columns: Int = 30) -> String {
        left + String(repeating: " ", count: columns - left.count - right.count) + right
    }

    private static let keys = " ↑↓ move  → open  ← back  / search  ? keys  q leave"

    @Test("shows a heading, the rows and the keys")
    func whole() {
        #expect(
            lines(browser([row("a", count: 2), row("b")], columns: 64)) == [
                line(" Root", "2 rows ", columns: 64), line("  a", "2 › ", columns: 64), line("  b", columns: 64), "",
                "", line(Self.keys, columns: 64),
            ])
    }

    @Test("shows the parts of a row, and the titles and footers of sections")
    func parts() {
        var hit = Row(key: "h", title: "", fields: ["Subtitle": "red", "Value": 5])
        hit.trail = ["x", "y"]
        let setting = Row(key: "s", fields: ["Value": 9], control: Control(type: "Slider", value: 0.5))
        let sections = [Level.Section(title: "One", start: 0, count: 1), .init(start: 1, count: 2, footer: "end")]
        var browser = browser([], lines: 9)
        browser.show(
            Level(
                title: "Root", path: .root, sections: sections,
                rows: [Row(key: "a", count: 1, error: "It is gone."), hit, setting]), changed: ["s"])
        #expect(
            lines(browser) == [
                line(" Root", "3 rows "), "One", line("  a", "! 1 › "), line("  (no title)  red  x › y", "5   "),
                line("• s", "0.5   "), "  end", "", "", "• 1 row has changed ",
            ])
        let isReverse = browser.frame().lines.map { line in
            !line.runs.isEmpty && line.runs.allSatisfy { $0.style.contains(.reverse) }
        }
        #expect(isReverse == [true, false, true] + Array(repeating: false, count: 6))
        browser.show(Level(title: "Root", path: .root, count: 3, sections: sections, error: "The file is missing."))
        #expect(lines(browser)[1...2] == ["", "  The file is missing."])
        // A server may send fewer rows than it announces.
        browser.show(Level(title: "Root", path: .root, count: 3, sections: sections))
        #expect(lines(browser)[1...3] == ["One", "  end", ""])
    }

    @Test("names the shown place, by its last title if the path is too long")
    func heading() {
        func heading(columns: Int) -> String {
            var browser = Browser(
                address: "http://h", size: .init(columns: columns, lines: 3), at: Place(.level, at: ["t"]))
            #expect(lines(browser)[0] == line(" t", columns: columns))
            let ancestors = [ItemLink(title: "Root", path: .root)]
            browser.show(Level(title: "Title", path: ["t"], ancestors: ancestors, rows: [row("a")]))
            return lines(browser)[0]
        }
        #expect(heading(columns: 20) == " Root › Title 1 row ")
        #expect(heading(columns: 19) == " … › Title   1 row ")
        let root = Browser(address: "http://h", size: .init(columns: 12, lines: 2), at: Place(.level, at: .root))
        #expect(lines(root) == [" http://h   ", "  …"])
    }

    @Test(
        "tells how much has changed",
        arguments: [
            ([], 0, nil), (["a"], 0, "1 row has changed"), (["a", "b"], 0, "2 rows have changed"),
            ([], 1, "1 row was removed"), ([], 2, "2 rows were removed"),
            (["a"], 2, "1 row has changed, 2 rows were removed"),
        ] as [(Set<String>, Int, String?)])
    func news(_ changed: Set<String>, _ removed: Int, _ news: String?) {
        let level = Level(title: "Root", path: .root, rows: [row("a"), row("b")])
        for keys in [[Key.down], [.right], [.text("/"), .text("a")]] {
            var browser = browser(level.rows)
            browser.show(level, changed: changed, removed: removed)
            #expect(browser.news == news && browser.place.changed == changed)
            for key in keys { _ = browser.press(key) }
            #expect(browser.news == nil && browser.places[0].changed == [])
        }
    }

    @Test("leaves the keys out if they do not fit beside the news", arguments: [(71, false), (72, true)])
    func fitting(_ columns: Int, _ showsKeys: Bool) {
        var browser = browser([row("a")], columns: columns)
        browser.show(Level(title: "Root", path: .root, rows: []), removed: 1)
        #expect(lines(browser)[5] == (showsKeys ? Self.keys + " " : "") + "• 1 row was removed ")
    }

    @Test("scrolls a detail, and tells its position, its fault and its changes")
    func details() {
        let size = TerminalSize(columns: 40, lines: 6)
        var browser = Browser(address: "http://h", size: size, at: Place(.detail, at: ["b", "c"]))
        let keys = line(" ↑↓ scroll  ← back  ? keys  q leave", columns: 40)
        #expect(lines(browser) == [line(" c", columns: 40), "  …", "", "", "", keys])
        var detail = Detail(
            title: "C", path: ["b", "c"], ancestors: [ItemLink(title: "B", path: ["b"])],
            position: .init(index: 1, count: 3), fields: ["A": 1, "B": 2, "C": 3, "D": 4], error: "It is broken.")
        browser.show(detail)
        let heading = line(" B › C", "2 of 3 ", columns: 40)
        #expect(lines(browser) == [heading, "", "  It is broken.", "  A  1", "  B  2", keys])
        for key in [Key.text(" "), .text("/"), .down] { #expect(browser.press(key) == nil) }
        #expect(browser.place.top == 1 && !browser.isTyping && browser.news == nil)
        _ = browser.press(.end)
        detail.fields["D"] = 5
        browser.show(detail)
        #expect(lines(browser) == [heading, "  A  1", "  B  2", "  C  3", "  D  5", "• the detail has changed "])
        browser.resize(to: TerminalSize(columns: 40, lines: 7))
        #expect(browser.place.top == 1)
        browser.place.isKept = true
        browser.refuse("It is gone.")
        browser.show(detail)
        #expect(browser.failure == nil && !browser.place.isKept)
        #expect(browser.press(.left) == .follow && browser.news == nil)
    }

    @Test("shows that a level is kept from earlier, and what is searched for")
    func kept() {
        var browser = browser([row("a")], columns: 80)
        browser.show(Level(title: "Root", path: .root, rows: []), isKept: true)
        #expect(lines(browser)[5] == line(Self.keys, "kept from earlier ", columns: 80))
        for key in [Key.text("/"), .text("x")] { _ = browser.press(key) }
        #expect(lines(browser)[5] == line("/x", "⏎ done  esc end ", columns: 80))
        _ = browser.press(.tab)
        browser.show(Level(title: "Root", path: .root, rows: []))
        #expect(lines(browser)[5] == line(" /x " + Self.keys, columns: 80))
    }

    @Test(
        "takes several keys for the same",
        arguments: [
            (.control("p"), .up), (.control("n"), .down), (.text("k"), .up), (.text("j"), .down), (.text("l"), .enter),
            (.right, .enter), (.text("h"), .left), (.backspace, .left), (.escape, .left), (.text("g"), .home),
            (.text("G"), .end), (.pageUp, .home), (.pageDown, .end),
        ] as [(Key, Key)])
    func synonyms(_ key: Key, _ other: Key) {
        var before = browser([row("a", count: 5)])
        _ = before.press(.enter)
        before.show(Level(title: "a", path: ["a"], rows: (0..<5).map { row("r\($0)") }))
        for _ in 0..<2 { _ = before.press(.down) }
        var (one, two) = (before, before)
        #expect(one.press(key) == two.press(other))
        #expect(one.places == two.places && one.places != before.places)
    }

    @Test("moves the selection and scrolls as little as needed")
    func moving() {
        var browser = browser((0..<10).map { row("r\($0)") })
        #expect(selected(browser) == "r0")
        for _ in 0..<4 { #expect(browser.press(.down) == nil) }
        #expect(selected(browser) == "r4")
        #expect(browser.place.top == 1)
        _ = browser.press(.up)
        #expect(browser.place.top == 1)
        _ = browser.press(.end)
        #expect(selected(browser) == "r9")
        #expect(browser.place.top == 6)
        _ = browser.press(.pageUp)
        #expect(selected(browser) == "r6")
        _ = browser.press(.home)
        #expect(selected(browser) == "r0" && browser.place.top == 0)
        _ = browser.press(.up)
        #expect(selected(browser) == "r0")
        _ = browser.press(.pageDown)
        #expect(selected(browser) == "r3" && browser.place.top == 0)
        // A page of one line still moves.
        browser.resize(to: TerminalSize(columns: 30, lines: 3))
        #expect(browser.place.top == 3)
        for (key, row) in [(Key.pageDown, 4), (.pageUp, 3), (.up, 2)] {
            _ = browser.press(key)
            #expect(browser.place.selection == row && browser.place.top == row)
        }
    }

    @Test("scrolls to the title above a row")
    func titles() {
        let sections = [Level.Section(title: "A", start: 0, count: 2), .init(title: "B", start: 2, count: 2)]
        var browser = browser([], lines: 5)
        browser.show(Level(title: "Root", path: .root, sections: sections, rows: (0..<4).map { row("r\($0)") }))
        let tops = [Key.down, .down, .up, .up, .end, .up, .up].map { key in
            _ = browser.press(key)
            return browser.place.top
        }
        #expect(tops == [0, 2, 2, 0, 3, 3, 2])
        browser.show(
            Level(title: "Root", path: .root, sections: [.init(title: "A", start: 0, count: 1)], rows: [row("r0")]))
        #expect(browser.place.top == 0 && selected(browser) == "r0")
        let empty = (0..<5).map { Level.Section(title: "S\($0)", start: 0, count: 0) }
        browser.show(Level(title: "Root", path: .root, sections: empty))
        _ = browser.press(.down)
        #expect(browser.place.top == 1)
    }

    @Test("keeps the selected row through changes, and marks the changed rows")
    func changes() {
        var browser = browser([row("a"), row("b"), row("c")])
        _ = browser.press(.down)
        browser.show(
            Level(title: "Root", path: .root, rows: [row("x"), row("a"), row("b"), row("c")]), changed: ["x"])
        #expect(selected(browser) == "b")
        #expect(lines(browser)[1].hasPrefix("• x "))
        browser.show(Level(title: "Root", path: .root, rows: [row("x"), row("a"), row("c")]), removed: 1)
        #expect(selected(browser) == "c")
        browser.show(Level(title: "Root", path: .root, rows: []))
        #expect(selected(browser) == nil)
        #expect(lines(browser)[2] == "  No rows.")
    }

    @Test("drills down and goes back to where it was")
    func drilling() {
        var browser = browser([row("a"), row("b", count: 1)])
        _ = browser.press(.down)
        #expect(browser.press(.enter) == .follow)
        #expect(browser.place.path == ["b"] && browser.place.kind == .level)
        #expect(lines(browser)[1] == "  …")
        browser.show(
            Level(title: "b", path: ["b"], ancestors: [ItemLink(title: "Root", path: .root)], rows: [row("c")]))
        #expect(lines(browser)[0].hasPrefix(" Root › b "))
        #expect(browser.press(.right) == .follow)
        #expect(browser.place.kind == .detail)
        browser.show(Detail(title: "c", path: ["b", "c"], fields: ["Title": "c", "Price": 12, "On": true]))
        #expect(lines(browser)[2...4].map { $0 } == ["  Title  c", "  Price  12", "  On  yes"])
        #expect(browser.press(.left) == .follow)
        #expect(browser.press(.escape) == .follow)
        #expect(selected(browser) == "b")
        #expect(browser.press(.left) == nil)
        #expect(browser.press(.text("q")) == .leave)
    }

    @Test("goes back above the place that it began at")
    func above() {
        var browser = Browser(
            address: "http://h", size: TerminalSize(columns: 80, lines: 24), at: Place(.detail, at: ["a", "b"]))
        #expect(browser.press(.left) == .follow)
        #expect(browser.place == Place(.level, at: ["a"]))
        #expect(browser.press(.left) == .follow)
        #expect(browser.place == Place(.level, at: .root))
        #expect(browser.press(.left) == nil)
    }

    @Test("searches as one types, and comes back")
    func searching() {
        var browser = browser([row("a"), row("b")])
        _ = browser.press(.down)
        #expect(browser.press(.text("/")) == .follow)
        #expect(browser.press(.text("q")) == .follow)
        #expect(browser.press(.text("j")) == .follow)
        #expect(browser.press(.backspace) == .follow)
        #expect(browser.place.search == "q")
        #expect(browser.frame().cursor == Frame.Position(line: 5, column: 2))
        browser.show(Level(title: "Root", path: .root, rows: []))
        #expect(lines(browser)[2] == "  Nothing found.")
        _ = browser.press(.enter)
        #expect(!browser.isTyping && browser.frame().cursor == nil)
        #expect(browser.press(.text("/")) == nil && browser.isTyping && browser.place.search == "q")
        #expect([Key.control("u"), .backspace, .delete].map { browser.press($0) } == [.follow, nil, nil])
        #expect(browser.place.search == "")
        #expect(browser.press(.escape) == .follow)
        #expect(browser.place.search == nil)
        #expect(selected(browser) == "b")
        #expect(lines(browser)[1].hasPrefix("  a") && browser.place.top == 0)
        for (key, path) in [(Key.left, ItemPath.root), (.right, ["b"])] {
            #expect(browser.press(.text("/")) == .follow)
            browser.show(Level(title: "Root", path: .root, rows: [row("b")]))
            #expect(browser.press(key) == .follow && !browser.isTyping && browser.place.path == path)
        }
    }

    @Test("shows the level again as it was before a search that was refused")
    func refusedSearch() {
        var browser = browser((0..<10).map { row("r\($0)") })
        for key in [Key.end, .up, .up] { _ = browser.press(key) }
        #expect(browser.press(.text("/")) == .follow && browser.place.top == 0)
        browser.refuse("No.")
        #expect(browser.press(.escape) == .follow)
        #expect(browser.place.refusal == nil && selected(browser) == "r7" && browser.place.top == 6)
    }

    @Test("shows trouble, refusals and harmful titles as text")
    func trouble() {
        var browser = browser([row("a\u{1B}[2J\u{202E}b")], columns: 60)
        #expect(lines(browser)[1].hasPrefix("  a\\u{1B}[2J\\u{202E}b "))
        browser.trouble = "The server does not answer."
        #expect(lines(browser)[5] == " The server does not answer.")
        #expect(browser.failure == nil)
        browser.refuse("There is no 'a' in /.")
        #expect(lines(browser)[2] == "  There is no 'a' in /.")
        browser.trouble = "The server does not answer."
        #expect(browser.failure == "There is no 'a' in /.")
    }

    @Test("shows all of the trouble above the text that is typed")
    func longTrouble() {
        var browser = browser((0..<4).map { row("r\($0)") })
        _ = browser.press(.end)
        browser.trouble = "http://h:1 sent no complete answer to /levels/: cannot connect."
        let rows = ["  r2", "  r3"].map { $0 + String(repeating: " ", count: 26) }
        #expect(selected(browser) == "r3")
        #expect(
            lines(browser).dropFirst() == [
                rows[0], rows[1], " http://h:1 sent no complete ", " answer to /levels/: cannot ", " connect.",
            ])
        var low = browser
        low.resize(to: TerminalSize(columns: 30, lines: 3))
        #expect(lines(low) == [line(" Root", "4 rows "), " answer to /levels/: cannot ", " connect."])
        _ = browser.press(.text("/"))
        browser.trouble = "The server does not answer."
        #expect(lines(browser)[4] == " The server does not answer.")
        #expect(lines(browser)[5].hasPrefix("/ "))
    }

    @Test("lists the keys until one is pressed")
    func keys() {
        var browser = browser([row("a", count: 1)], columns: 80, lines: 24)
        #expect(browser.press(.text("?")) == nil)
        #expect(lines(browser)[2] == "  Keys:")
        #expect(BrowseArguments.keys.split(separator: "\n").allSatisfy { lines(browser).contains("  " + $0) })
        #expect(lines(browser)[23] == " Press any key to continue.")
        #expect(browser.press(.enter) == nil)
        #expect(lines(browser)[1].hasPrefix("  a"))
        let requests: [(Key, Browser.Request?, shown: Browser.Request?)] = [
            (.text("q"), .leave, .leave), (.control("c"), .leave, .leave), (.control("z"), .suspend, .suspend),
            (.control("l"), .redraw, nil), (.text("r"), .follow, nil),
        ]
        for (key, request, shown) in requests {
            #expect(browser.press(key) == request)
            _ = browser.press(.text("?"))
            #expect(browser.press(key) == shown && !browser.showsKeys)
        }
        #expect(browser.press(.text(" ")) == .follow && browser.place == Place(.detail, at: ["a"]))
    }

    @Test("fails with the trouble or the refusal if nothing else is shown, and names the option for a token")
    func failures() {
        var browser = Browser(address: "http://h", size: .init(columns: 80, lines: 24), at: Place(.level, at: .root))
        #expect(browser.failure == nil)
        browser.trouble = "The server does not answer."
        #expect(browser.failure == "The server does not answer.")
        let refusal = Problem(.wrongToken, title: "", status: 401, detail: "No.")
        #expect(Browse.sentence(for: refusal) == "No. Name a file with the token: --token-file FILE.")
        #expect(Browse.sentence(for: Problem(.noSuchItem, title: "", detail: "No.")) == "No.")
    }

    @Test("counts a row that was removed and inserted at one place as renamed")
    func renaming() {
        func level(_ titles: [String]) -> Level { Level(title: "Root", path: .root, rows: titles.map { row($0) }) }
        #expect(LevelDifference(from: level(["a", "b"]), to: level(["c", "b"])).renamedRows == 1)
        #expect(LevelDifference(from: level(["a", "b"]), to: level(["a", "c"])).renamedRows == 1)
        #expect(LevelDifference(from: level(["a", "b", "c"]), to: level(["d", "b"])).renamedRows == 1)
        #expect(LevelDifference(from: level(["a", "b"]), to: level(["b", "c"])).renamedRows == 0)
    }

    @Test("forgets trouble once the server refuses or another place is opened")
    func staleTrouble() {
        var browser = browser([row("a", count: 1)])
        browser.trouble = "The server does not answer."
        browser.refuse("There is no 'a' in /.")
        #expect(browser.trouble == nil)
        for key in [Key.right, .left, .text("/"), .escape, .text("r")] {
            browser.trouble = "The server does not answer."
            #expect(browser.press(key) == .follow)
            #expect(browser.trouble == nil)
            browser.show(Level(title: "Root", path: .root, rows: [row("a", count: 1)]))
        }
        browser.trouble = "The server does not answer."
        _ = browser.press(.down)
        #expect(browser.trouble != nil)
    }

    @Test("fits any size", arguments: [(1, 1), (2, 2), (5, 3), (20, 1), (200, 60)])
    func sizes(_ columns: Int, _ lines: Int) {
        var browser = browser((0..<10).map { row("row \($0)", count: 3) }, columns: columns, lines: lines)
        for key in [Key.down, .end, .text("/"), .text("漢"), .escape, .right] {
            _ = browser.press(key)
            browser.resize(to: TerminalSize(columns: columns, lines: lines))
            let frame = browser.frame()
            #expect(frame.lines.count == lines)
            #expect(frame.lines.allSatisfy { $0.columns <= columns })
            #expect(frame.cursor.map { $0.column < columns && $0.line < lines } ?? true)
        }
    }
}

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

    @Test("shows a heading, the rows and the keys")
    func whole() {
        func line(_ left: String, _ right: String) -> String {
            left + String(repeating: " ", count: 64 - left.count - right.count) + right
        }
        #expect(
            lines(browser([row("a", count: 2), row("b")], columns: 64)) == [
                line(" Root", "2 rows "), line("  a", "2 › "), line("  b", ""), "", "",
                line(" ↑↓ move  → open  ← back  / search  ? keys  q leave", ""),
            ])
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
    }

    @Test("keeps the selected row through changes, and marks the changed rows")
    func changes() {
        var browser = browser([row("a"), row("b"), row("c")])
        _ = browser.press(.down)
        browser.show(
            Level(title: "Root", path: .root, rows: [row("x"), row("a"), row("b"), row("c")]), changed: ["x"])
        #expect(selected(browser) == "b")
        #expect(lines(browser)[1].hasPrefix("• x "))
        #expect(lines(browser)[5].hasSuffix("• 1 row has changed "))
        browser.show(Level(title: "Root", path: .root, rows: [row("x"), row("a"), row("c")]), removed: 1)
        #expect(selected(browser) == "c")
        #expect(lines(browser)[5].hasSuffix("• 1 row was removed "))
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
        #expect(browser.press(.escape) == .follow)
        #expect(browser.place.search == nil)
        #expect(selected(browser) == "b")
        #expect(lines(browser)[1].hasPrefix("  a"))
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
        _ = browser.press(.text("?"))
        #expect(browser.press(.text("q")) == .leave)
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
        }
    }

    @Test("shows the fields of fields below each other")
    func fields() {
        let fields: Fields = [
            "List": ["a", 2], "Empty": [], "Nested": ["x": 1.5, "y": ["z": false]], "Text": "one two three four",
        ]
        #expect(
            FieldLines.lines(of: fields, columns: 20).map(\.text) == [
                "  List", "    1  a", "    2  2", "  Empty  0 values", "  Nested", "    x  1.5", "    y",
                "      z  no",
                "  Text", "    one two three ", "    four",
            ])
    }
}

import Foundation
import Glibc
import Levels
import Testing

@testable import TestSupport
@testable import TreeSources
@testable import drilldown

@Suite("The output of check")
struct CheckTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func told(_ document: any TreeSource) throws -> [String] {
        let loaded = try document.load(replacing: nil)
        let cost = DocumentSummary.Cost(bytes: 12_345, time: .microseconds(2_360))
        return CheckCommand.warnings(loaded, of: document.name)
            + DocumentSummary(loaded: loaded, of: document.name, cost: cost).lines
    }

    private func standardInput(_ text: String, maximumBytes: Int = 1000) throws -> StandardInput {
        let descriptor = unsafe open(try scratch.write("input", text), O_RDONLY)
        return StandardInput(interpretation: Interpretation(maximumBytes: maximumBytes), descriptor: descriptor)
    }

    private func refusal(_ document: any TreeSource) -> String {
        do {
            _ = try document.load(replacing: nil)
            return "it was read"
        } catch {
            return "\(error)"
        }
    }

    @Test("counts one as one, and the warnings beyond the limit")
    func warnings() throws {
        let title = "<dict><key>Title</key><string>A</string><key>Children</key><array/></dict>"
        let path = try scratch.write("One.plist", "<plist><array>\(title)</array></plist>")
        var loaded = try PropertyListFile(path: path).load(replacing: nil)
        func told() -> [String] {
            let summary = DocumentSummary(loaded: loaded, of: "a", cost: .init(bytes: 0, time: .zero))
            return Array(CheckCommand.warnings(loaded, of: "a").dropFirst()) + summary.lines.suffix(1)
        }
        #expect(told() == ["a: 1 item, 1 warning"])
        loaded.omittedWarnings = 2
        #expect(told() == ["a: and 2 more warnings.", "a: 1 item, 3 warnings"])
    }

    @Test("says how it read a document that is not a document of items")
    func reading() throws {
        let path = try scratch.write("a.csv", "Artist,Album,Name\nAda,X,One\nAda,X,Two\n")
        func reading(_ options: RecordOptions) throws -> String? {
            var interpretation = Interpretation(shape: .auto)
            interpretation.records = options
            return try told(PropertyListFile(path: path, interpretation: interpretation)).dropLast().last
        }
        #expect(try reading(.init()) == "\(path): read as it is: rows by 'Name'")
        #expect(
            try reading(.init(titleField: "Album", drillFields: ["Artist"]))
                == "\(path): read as a table: records by 'Album', drilled by 'Artist'")
    }

    @Test("calls standard input as compilers do")
    func standardInput() throws {
        #expect(
            try told(standardInput(items("A", "B"))) == [
                "<stdin>: 1 level, 13 kB of memory, loaded in 2.3 ms", "<stdin>: deepest at /levels/",
                "<stdin>: 2 items, 0 warnings",
            ])
        #expect(try refusal(standardInput("<plist>\n<array><nonsense/>")).hasPrefix("<stdin>:2:8: "))
        #expect(try !refusal(standardInput("1")).contains("is empty"))
    }

    @Test("names the first of the deepest levels by a path to paste")
    func deepest() throws {
        let rows = #"{"Title":"a/b","Children":["x"]},{"Title":"Ä","Children":[{"Title":"c","Children":["x"]}]}"#
        let more = #"{"Title":"d","Children":[{"Title":"e","Children":["x",{"Title":"f","Children":[]}]}]}"#
        #expect(
            try told(standardInput("[\(rows),\(more)]")).suffix(3) == [
                "<stdin>: 3 levels, 13 kB of memory, loaded in 2.3 ms", "<stdin>: deepest at /levels/%C3%84/c",
                "<stdin>: 9 items, 1 warning",
            ])
        #expect(
            try told(standardInput("[]")) == [
                "<stdin>: 1 level, 13 kB of memory, loaded in 2.3 ms", "<stdin>: deepest at /levels/",
                "<stdin>: 0 items, 0 warnings",
            ])
    }

    @Test("cuts the middle of a very deep path, and the end of a long key")
    func longPath() throws {
        func nested(_ depth: Int) -> String {
            (1...depth).reversed().reduce("[]") { #"[{"Title":"\#($1)","Children":\#($0)}]"# }
        }
        func deepest(_ text: String) throws -> String {
            try told(standardInput(text, maximumBytes: 100_000))[1 + (text.contains("Children") ? 1 : 0)]
        }
        #expect(try deepest(nested(14)) == "<stdin>: deepest at /levels/1/2/3/4/5/6/…/8/9/10/11/12/13")
        #expect(try deepest(nested(13)) == "<stdin>: deepest at /levels/1/2/3/4/5/6/7/8/9/10/11/12")
        let key = String(repeating: "ä", count: 101)
        let text = #"[{"Title":"\#(key)","Children":["x"]}]"#
        let cut = String(repeating: "%C3%A4", count: 100)
        #expect(try told(standardInput(text))[1] == "<stdin>: deepest at /levels/\(cut)…")
    }

    @Test(
        "tells memory in its units",
        arguments: [
            (-5, "0 kB"), (1, "1 kB"), (1_000, "1 kB"), (1_001, "2 kB"), (9_999_999, "10000 kB"),
            (10_000_000, "10 MB"), (2_345_678_901, "2345 MB"),
        ])
    func memory(_ bytes: Int, _ text: String) throws {
        let loaded = try standardInput("[]").load(replacing: nil)
        let summary = DocumentSummary(loaded: loaded, of: "a", cost: .init(bytes: bytes, time: .seconds(2)))
        #expect(summary.lines[0] == "a: 1 level, \(text) of memory, loaded in 2000.0 ms")
    }

    @Test("advises another syntax for a large binary document that is edited", arguments: [99_999, 100_000])
    func largeBinary(_ count: Int) throws {
        let items = [String](repeating: "a", count: count)
        let data = try PropertyListSerialization.data(fromPropertyList: items, format: .binary, options: 0)
        let path = scratch("Large.plist")
        try data.write(to: URL(filePath: path))
        let loaded = try PropertyListFile(path: path).load(replacing: nil)
        let lines = DocumentSummary(loaded: loaded, of: "a", cost: .init(bytes: 0, time: .zero)).lines
        let advice = "a: an edit writes a binary document anew; XML or JSON is faster to edit at this size"
        #expect(lines.filter { $0 == advice }.count == (count < 100_000 ? 0 : 1))
        #expect(lines.last == "a: \(count) items, 1 warning")
    }

    @Test("refuses standard input that is empty, too long or no file")
    func noInput() throws {
        #expect(try refusal(standardInput("")) == "<stdin>: standard input is empty; it must contain a property list.")
        #expect(
            try refusal(standardInput("<plist/>", maximumBytes: 7))
                == "<stdin>: standard input has more than 7 bytes; split the document, or raise MaxDocumentBytes.")
        _ = try standardInput("[]", maximumBytes: 2).load(replacing: nil)
        let folder = unsafe open(scratch.path, O_RDONLY)
        defer { close(folder) }
        let input = StandardInput(interpretation: Interpretation(maximumBytes: 7), descriptor: folder)
        #expect(refusal(input) == "<stdin>: standard input cannot be read: Is a directory.")
    }

    @Test("show the tables of a database in lines that fit a terminal")
    func tables() throws {
        let table = TextTable(
            heads: ["table", "none", "title"],
            rows: [["short", "", "Name"], [String(repeating: "l", count: 70), "", String(repeating: "t", count: 60)]])
        let long = String(repeating: "l", count: 48) + "…"
        #expect(
            table.lines == [
                "table" + String(repeating: " ", count: 46) + "title",
                "short" + String(repeating: " ", count: 46) + "Name",
                long + "  " + String(repeating: "t", count: 48) + "…",
            ])
    }
}

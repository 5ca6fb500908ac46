import Foundation
import Levels
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("Records in a file")
struct RecordFileTests {
    private let scratch: ScratchFolder
    private static let csv = "Artist,Name\r\nAda,One\r\nBo,\"Two\"\r\nAda,Three\r\n"

    init() throws {
        scratch = try ScratchFolder()
        try scratch.folder("in/sub")
    }

    private func load() throws -> LoadedTree {
        try PropertyListFile(path: scratch("in/Main.json")).load(replacing: nil)
    }

    /// Writes a document whose first level has an item for each table, titled by its path.
    private func writeMain(_ paths: String...) throws {
        let rows = paths.map {
            ["Title": $0, "Records": $0, "DrillBy": ["Artist"], "TitleBy": "Name"] as [String: Any]
        }
        try scratch.write("in/Main.json", try JSONSerialization.data(withJSONObject: ["Rows": rows]))
    }

    /// The titles of two levels below a row, or the reason why they are missing.
    private func shown(_ row: Int, _ loaded: LoadedTree) -> String {
        guard let level = loaded.tree.document.child(0)?.child(row) else { return "no level" }
        if let refusal = level.refusal { return refusal }
        return level.rowNumbers.map { number in
            let below = level.child(number)
            return level.title(number) + ": "
                + (0..<(below?.count ?? 0)).map { below?.title($0) ?? "" }.joined(separator: " ")
        }.joined(separator: ", ")
    }

    @Test("are the level of the item that names it, in every syntax")
    func syntaxes() throws {
        let list = [
            ["Artist": "Ada", "Name": "One"], ["Artist": "Bo", "Name": "Two"], ["Artist": "Ada", "Name": "Three"],
        ]
        try scratch.write("in/a.csv", Self.csv)
        try scratch.write("in/sub/b.tsv", Self.csv.replacing(",", with: "\t"))
        try scratch.write("in/c.json", JSONSerialization.data(withJSONObject: list))
        for (name, format) in [("in/d.plist", PropertyListSerialization.PropertyListFormat.xml), ("in/e", .binary)] {
            try scratch.write(
                name, PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
        }
        try writeMain("a.csv", "sub/b.tsv", "c.json", "d.plist", "e")
        let loaded = try load()
        for row in 0..<5 { #expect(shown(row, loaded) == "Ada: One Three, Bo: Two", "row \(row)") }
        #expect(loaded.warnings == [])
        #expect(loaded.tree.itemCount == 30)
    }

    @Test("may be all that a document holds")
    func root() throws {
        try scratch.write("in/a.csv", Self.csv)
        try scratch.write("in/Main.json", #"{"Title":"All","Records":"a.csv","DrillBy":[]}"#)
        let document = try load().tree.document
        let level = try #require(document.child(0))
        #expect(document.title(0) == "All")
        #expect((0..<level.count).map(level.title) == ["1", "2", "3"])
    }

    @Test("are read again when the file changes")
    func change() throws {
        try scratch.write("in/a.csv", Self.csv)
        try writeMain("a.csv")
        let watcher = PropertyListFile(path: scratch("in/Main.json")).makeWatcher()
        let first = try watcher.load(replacing: nil)
        try scratch.write("in/a.csv", "Artist,Name\nBo,Two\nBo,Four\n")
        #expect(watcher.fingerprint != first.fingerprint)
        _ = watcher.refresh()
        let second = try watcher.load(replacing: first.tree.document)
        #expect(shown(0, second) == "Bo: Two Four")
    }

    @Test(
        "are missing with a sentence, and a warning, if the file cannot be read; the rest serves",
        arguments: [
            (
                "quote.csv",
                "quote.csv:3:1: the quote that begins here never ends; end the cell with a quote, and double each quote within it."
            ),
            (
                "cells.tsv",
                "cells.tsv:2:1: the line has more cells than the 2 columns of the header; put a cell that contains the separator in quotes."
            ),
            ("object.json", "object.json:1:1: the table must be an array of dictionaries, not a dictionary."),
            ("empty.csv", "empty.csv: the file is empty; it must contain a table."),
            ("none.csv", "none.csv: the file does not exist; name a file that exists in the document's folder."),
            ("QUOTE.csv", "QUOTE.csv: the file does not exist, but 'quote.csv' does, whose name differs only in case."),
            (
                "../outside.csv",
                "../outside.csv: the path leads out of the document's folder; move the file into that folder."
            ),
        ])
    func refused(name: String, sentence: String) throws {
        try scratch.write("in/quote.csv", "A,B\n1,2\n\"never ends,2\n3,4\n")
        try scratch.write("in/cells.tsv", "A\tB\n1\t2\t3\n")
        try scratch.write("in/object.json", "{}")
        try scratch.write("in/empty.csv", "")
        try scratch.write("outside.csv", Self.csv)
        try scratch.write("in/a.csv", Self.csv)
        try writeMain("a.csv", name)
        let loaded = try load()
        #expect(shown(0, loaded) == "Ada: One Three, Bo: Two")
        #expect(shown(1, loaded) == sentence)
        #expect(loaded.warnings.count == 1)
        // The records are in no item of the table's file.
        #expect(loaded.warnings.first?.warning.path == (sentence.contains(/:[0-9]+:/) ? "" : "/\(name)"))
    }

    @Test("refuse their document if its DrillBy is too long")
    func depth() throws {
        try scratch.write("in/a.csv", Self.csv)
        let fields = Array(repeating: #""A""#, count: 513).joined(separator: ",")
        try scratch.write("in/Main.json", "{\"Records\":\"a.csv\",\n\"DrillBy\":[\(fields)]}")
        let error = try #require(throws: SourceError.self) { try load() }
        #expect(
            error.description.replacing(scratch.path + "/", with: "")
                == "in/Main.json:2:1: in /: 'DrillBy' leads deeper than 512 levels; name fewer fields."
        )
    }

    @Test("are written in place of the file's name, and by the file's name alone if the parts are left out")
    func document() throws {
        try scratch.write("in/a.csv", Self.csv)
        try writeMain("a.csv")
        let loaded = try load()
        let composition = try #require(loaded.composition)
        #expect(composition.document.hash == loaded.tree.document.hash)
        let source = try #require(composition.source.child(0))
        #expect(source.part(0) == .records("a.csv", drilling: RecordDrilling(fields: ["Artist"], titleField: "Name")))
        let own = try #require(loaded.tree.document.child(0))
        #expect(own.part(0) == nil)
        #expect(own.child(0)?.form == .facets)
    }
}

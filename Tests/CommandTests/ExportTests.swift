import Foundation
import TestSources
import Testing
import TreeSources

@testable import TestSupport
@testable import drilldown

@Suite("Export and import")
struct ExportTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    @Test(
        "write the syntax that the name of the file or the option asks for",
        arguments: [
            ("Out.json", [], "["), ("Out.JSON", [], "["), ("Out.plist", [], "<?xml"), ("Out.xml", [], "<?xml"),
            ("Out", [], "<?xml"), ("Out.json", ["--format", "xml"], "<?xml"), ("Out.plist", ["--format=json"], "["),
            ("Out.json", ["--format", "binary"], "bplist"),
        ])
    func syntax(_ name: String, _ options: [String], _ beginning: String) throws {
        try scratch.write("Menu.json", #"["A","B"]"#)
        let words = ["export", scratch("Menu.json"), scratch(name)] + options
        let settings = try Settings(arguments: CommandLineArguments(arguments: words), environment: [:])
        #expect(try ExportCommand.run(settings) == 0)
        let written = try Data(contentsOf: URL(filePath: scratch(name)))
        #expect(written.starts(with: beginning.utf8))
    }

    @Test("that cannot be finished leave no file, and what was there")
    func unfinished() throws {
        try scratch.write("Menu.json", #"["\u0001"]"#)
        try scratch.write("Old.plist", "old")
        try scratch.folder("Folder.json")
        for name in ["Old.plist", "Folder.json", "none/Out.json"] {
            let words = ["export", scratch("Menu.json"), scratch(name)]
            let settings = try Settings(arguments: CommandLineArguments(arguments: words), environment: [:])
            #expect(try ExportCommand.run(settings) == 1)
        }
        #expect(try String(contentsOfFile: scratch("Old.plist"), encoding: .utf8) == "old")
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        #expect(names == ["Folder.json", "Menu.json", "Old.plist"])
    }

    @Test(
        "put a document that is read as it is into a database as items, but none that may be one of items with a fault")
    func natural() throws {
        try scratch.write("Posts.json", #"{"posts":[{"id":1,"title":"Hello","n":2},"x"],"n":1}"#)
        try scratch.write("Fault.json", #"["a",{"Text":"untitled"}]"#)
        let target = "sqlite:" + scratch("Posts.db")
        func status(_ words: String...) throws -> Int32 {
            let settings = try Settings(arguments: CommandLineArguments(arguments: words), environment: [:])
            return words[0] == "import" ? try ImportCommand.run(settings) : try ExportCommand.run(settings)
        }
        #expect(try status("import", scratch("Posts.json"), target) == 0)
        #expect(try status("import", scratch("Fault.json"), target, "--replace") == 1)
        #expect(try status("export", target, scratch("Out.json")) == 0)
        let items =
            #"{"n":1,"Children":[{"Title":"posts","Children":[{"Title":"Hello","Key":"1","id":1,"title":"Hello","n":2},"x"]}]}"#
        #expect(try String(contentsOfFile: scratch("Out.json"), encoding: .utf8).filter { !$0.isWhitespace } == items)
        #expect(try status("import", scratch("Fault.json"), target, "--replace", "--shape", "natural") == 0)
    }

    @Test("go to a database and back, and replace a tree only if they are told to")
    func database() throws {
        let menu = #"{"Title":"Menu","Rows":["A",{"Title":"B","Price":1}]}"#
        try scratch.write("Menu.json", menu)
        try scratch.write("Other.json", #"["C"]"#)
        let target = "sqlite:" + scratch("Menu.db")
        func status(_ words: String...) throws -> Int32 {
            let settings = try Settings(arguments: CommandLineArguments(arguments: words), environment: [:])
            return words[0] == "import" ? try ImportCommand.run(settings) : try ExportCommand.run(settings)
        }
        // The password is that of the target.
        #expect(try status("import", scratch("Menu.json"), target, "--database-password-file", "none") == 0)
        #expect(try status("import", scratch("Other.json"), target) == 1)
        #expect(try status("export", target, scratch("Out.json")) == 0)
        #expect(try String(contentsOfFile: scratch("Out.json"), encoding: .utf8).filter { !$0.isWhitespace } == menu)
        #expect(try status("import", scratch("Other.json"), target, "--replace") == 0)
        #expect(try status("export", target, scratch("Out.json")) == 0)
        #expect(try String(contentsOfFile: scratch("Out.json"), encoding: .utf8).contains("C"))
    }

    @Test("refuse rows that are not in memory, as /document does")
    func rows() throws {
        let error = #expect(throws: SourceError.self) { _ = try NumberSource(count: 10).loadDocument() }
        #expect(
            error?.description
                == "numbers:10: these rows are made when they are asked for, and have no document; read /levels and /detail."
        )
    }
}

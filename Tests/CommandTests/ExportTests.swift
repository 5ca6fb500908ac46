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

    @Test("refuse rows that are not in memory, as /document does")
    func rows() throws {
        let error = #expect(throws: SourceError.self) { _ = try NumberSource(count: 10).loadDocument() }
        #expect(
            error?.description
                == "numbers:10: these rows are made when they are asked for, and have no document; read /levels and /detail."
        )
    }
}

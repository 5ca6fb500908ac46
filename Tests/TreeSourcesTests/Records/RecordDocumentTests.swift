import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("A document that is a table")
struct RecordDocumentTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func file(_ name: String, _ text: String, _ options: RecordOptions = .init()) throws -> PropertyListFile {
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = options
        return PropertyListFile(path: try scratch.write(name, text), interpretation: interpretation)
    }

    private func refusal(_ file: PropertyListFile) -> String {
        do throws(SourceError) {
            _ = try file.load(replacing: nil)
            return "it was read"
        } catch {
            return error.description.replacing(scratch.path + "/", with: "")
        }
    }

    private func titles(_ tree: Tree) -> [String] {
        tree.document.child(0).map { level in (0..<level.count).map(level.title) } ?? []
    }

    @Test(
        "is read as it is, and titled by a field whose name or texts tell",
        arguments: [
            ("a.csv", "Title,Name\n,One\n,Two\n", "'Name'"),
            ("a.csv", "Id,Genre,Name\n1,Pop,One\n2,Pop,Two\n", "'Name', keys 'Id'"),
            ("a.csv", "Id;Name\n1;One\n2;Two\n", "'Name', keys 'Id'"),
            ("a.tsv", "Id\tName\n1\tOne\n2\tTwo\n", "'Name', keys 'Id'"),
            ("a.json", #"[{"id":1,"name":"One"},{"id":2,"name":"Two"}]"#, "'name', keys 'id'"),
            ("a.csv", "Code,Town\n1,One\n2,Two\n", "'Town', keys 'Code'"),
            (
                "a.plist",
                "<plist><array><dict><key>N</key><string>One</string></dict><dict><key>N</key><string>Two</string></dict></array></plist>",
                "'N'"
            ),
        ])
    func chosen(name: String, text: String, fields: String) throws {
        let loaded = try file(name, text).load(replacing: nil)
        #expect(loaded.tree.reading == "read as it is: rows by \(fields)")
        #expect(titles(loaded.tree) == ["One", "Two"])
    }

    @Test(
        "is not one if its content is of another format, whatever its name",
        arguments: [
            (
                "\n<!DOCTYPE html><html><body>Down, for now</body></html>",
                " it is an HTML page; it must be a property list or a table."
            ),
            ("%PDF-1.7,a\n1,2\n", " it is a PDF document; it must be a property list or a table."),
            ("GIF89a,b\n1,2\n", " it is a GIF image; it must be a property list or a table."),
            ("PK\u{3}\u{4},a\n1,2\n", " it is compressed with zip; decompress it first."),
            ("{\"a\": 1,\nb", "2:1: in /: an object's key must be a string in double quotes"),
        ])
    func otherFormat(_ text: String, _ words: String) throws {
        for name in ["a.csv", "a.tsv"] {
            let text = refusal(try file(name, text))
            #expect(text.hasPrefix("\(name):\(words)"), "\(text)")
        }
        let binary = PropertyListFile(
            path: try scratch.write("b.csv", [0x1F, 0x8B, 8, 0]), interpretation: Interpretation())
        #expect(refusal(binary) == "b.csv: it is compressed with gzip; decompress it first.")
        let array = try file("a.csv", #" [{"Name":"One","N":1},{"Name":"Two","N":2}]"#).load(replacing: nil)
        #expect(titles(array.tree) == ["One", "Two"])
    }

    @Test("is titled, keyed and drilled by the fields that are named")
    func options() throws {
        let text = "Artist,Album,Name,Nr\nAda,X,One,1\nAda,X,Two,2\nBo,Y,Three,3\nBo,Y,Four,3\n"
        let options = RecordOptions(titleField: "Album", keyField: "Nr", drillFields: ["Artist"])
        let loaded = try file("a.csv", text, options).load(replacing: nil)
        #expect(titles(loaded.tree) == ["Ada", "Bo"])
        #expect(loaded.tree.reading == "read as a table: records by 'Album', keys 'Nr', drilled by 'Artist'")
        let level = try #require(loaded.tree.document.child(0)?.child(1))
        #expect([level.title(0), level.title(1)] == ["Y", "Y"])
        #expect([level.key(0), level.key(1)] == ["3", "3~2"])
        let flat = try file("a.csv", text, RecordOptions(titleField: "Album", keyField: "Name")).load(replacing: nil)
        let rows = try #require(flat.tree.document.child(0))
        #expect((0..<4).map(rows.title) == ["X", "X", "Y", "Y"])
        #expect((0..<4).map(rows.key) == ["One", "Two", "Three", "Four"])
    }

    @Test("is titled by the field that is named in the shape natural, too")
    func naturalShape() throws {
        var interpretation = Interpretation(shape: .natural)
        interpretation.records = RecordOptions(titleField: "b")
        let path = try scratch.write("a.json", #"[{"id":1,"name":"One","b":"x"}]"#)
        let loaded = try PropertyListFile(path: path, interpretation: interpretation).load(replacing: nil)
        #expect(loaded.tree.reading == "read as it is: rows by 'b', keys 'id'")
    }

    @Test("without anything that tells its records apart has their numbers as titles")
    func numbers() throws {
        let loaded = try file("a.json", #"[{"a":[1]},{"a":[2]}]"#).load(replacing: nil)
        #expect(titles(loaded.tree) == ["1", "2"])
    }

    @Test("is the same tree when its document is read again")
    func again() throws {
        let options = RecordOptions(drillFields: ["Artist"])
        let loaded = try file("a.csv", "Artist,Name\nAda,One\nBo,Two\n", options).load(replacing: nil)
        let written = #"{"DrillBy":["Artist"],"Records":[{"Artist":"Ada","Name":"One"},{"Artist":"Bo","Name":"Two"}],"#
        let tree = try file("b.json", written + #""TitleBy":"Name"}"#).load(replacing: nil).tree
        #expect(loaded.tree.reading == "read as a table: records by 'Name', drilled by 'Artist'")
        #expect(titles(tree) == titles(loaded.tree))
        #expect(tree.document.child(0)?.hash == loaded.tree.document.child(0)?.hash)
    }

    @Test(
        "is refused if no record has a field that is named",
        arguments: [
            ("Nmae", "a.csv: no record has the field 'Nmae'; did you mean 'Name'?"),
            ("Price", "a.csv: no record has the field 'Price'; the first records have 'Artist', 'Name'."),
        ])
    func unknown(field: String, sentence: String) throws {
        let text = "Artist,Name\nAda,One\n"
        #expect(try refusal(file("a.csv", text, RecordOptions(titleField: field))) == sentence)
        #expect(try refusal(file("a.csv", text, RecordOptions(drillFields: [field]))) == sentence)
    }

    @Test(
        "is refused for the first fault of its syntax, or of a table",
        arguments: [
            ("a.json", "[{\"n\":1,\"m\":\"x\"},\n{\"n\":}]", "2:6: "),
            ("a.json", "[{\"n\":1},\n{\"n\":2}", "2:8: in /: the document ends"),
            (
                "a.plist", "<plist><array><dict><key>n</key><integer>1</integer></dict>\n<dict><key>n</array></plist>",
                "2:7: "
            ),
        ])
    func faults(name: String, text: String, sentence: String) throws {
        let told = try refusal(file(name, text))
        #expect(told.hasPrefix("\(name):\(sentence)"), "\(told)")
    }

    @Test("is JSON Lines, whose edits are refused like those of other tables")
    func lines() throws {
        for (name, text, all) in [
            ("a.json", "{\"name\":\"One\"}\n{\"name\":\"Two\"}\n", ["One", "Two"]),
            ("a.jsonl", "{\"name\":\"One\"}", ["One"]),
        ] {
            let watcher = try file(name, text).makeWatcher()
            let loaded = try watcher.load(replacing: nil)
            #expect(titles(loaded.tree) == all)
            #expect(loaded.syntax == .json)
            #expect(watcher.savability(at: .root) == .nothing(.table))
        }
    }

    @Test("has warnings about its encoding and its columns")
    func warnings() throws {
        let path = try scratch.write("a.csv", Array("Name,N,N\nCaf".utf8) + [0xE9] + Array(",1,2\n".utf8))
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let loaded = try PropertyListFile(path: path, interpretation: interpretation).load(replacing: nil)
        #expect(
            loaded.warnings.map { $0.description.replacing(scratch.path + "/", with: "") } == [
                "a.csv:2:4: in /: the text is not valid UTF-8, so it is read as Windows-1252; save it as UTF-8.",
                "a.csv:1:8: in /: the column 'N' appears more than once; this one is named 'N (2)'.",
            ])
        #expect(titles(loaded.tree) == ["Café"])
    }

    @Test("takes no edits, and is read again when it changes")
    func watched() throws {
        let watcher = try file("a.csv", "Name\nOne\n").makeWatcher()
        _ = try watcher.load(replacing: nil)
        do throws(EditRefusal) {
            _ = try watcher.beginEdits()
            Issue.record("an edit began")
        } catch {
            #expect(
                error.detail
                    == "A table in a file cannot be edited here; edit its file, or put it into a database, which can: drilldown import x.csv sqlite:x.db."
            )
        }
        #expect(watcher.savability(at: .root) == .nothing(.table))
        try scratch.write("a.csv", "Name\nOne\nTwo\n")
        #expect(titles(try watcher.load(replacing: nil).tree) == ["One", "Two"])
    }
}

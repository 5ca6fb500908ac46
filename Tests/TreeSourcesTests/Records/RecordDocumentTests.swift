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
        var interpretation = Interpretation()
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
        "is titled by the field that tells its records apart",
        arguments: [
            ("a.csv", "Title,Name\n,One\n,Two\n", "Name"),
            ("a.csv", "Id,Genre,Name\n1,Pop,One\n2,Pop,Two\n3,Jazz,Three\n4,Jazz,Four\n", "Name"),
            ("a.csv", "Id;Name\n1;One\n2;Two\n", "Name"), ("a.CSV", "Id\tName\n1\tOne\n2\tTwo\n", "Name"),
            ("a.tsv", "Id\tName\n1\tOne\n2\tTwo\n", "Name"),
            ("a.json", #"[{"id":1,"name":"One"},{"id":2,"name":"Two"}]"#, "name"),
            ("a.json", #"[{"id":1,"title":"One"},{"id":2,"title":"One"}]"#, "title"),
            (
                "a.plist",
                "<plist><array><dict><key>N</key><string>One</string></dict><dict><key>N</key><string>Two</string></dict></array></plist>",
                "N"
            ),
            // The default name comes first, then half of the texts are enough, then numbers, then few texts.
            ("a.csv", "Name,Title\nOne,x\nTwo,x\n", "Title"),
            ("a.csv", "Id,Genre,Name\n1,Pop,One\n2,Pop,One\n3,Pop,Two\n4,Pop,\n", "Name"),
            ("a.csv", "Genre,Id\nPop,1\nPop,2\nPop,3\n", "Id"), ("a.csv", "Genre\nPop\nPop\nPop\n", "Genre"),
        ])
    func chosen(name: String, text: String, title: String) throws {
        let loaded = try file(name, text).load(replacing: nil)
        let choice = try #require(loaded.tree.recordChoice)
        #expect(choice.drilling == RecordDrilling(fields: [], titleField: title))
        #expect(!choice.isTitleGiven && choice.hasTitles)
        #expect(titles(loaded.tree).count == choice.records)
        #expect(loaded.tree.document.child(0)?.form == .records)
    }

    @Test(
        "is not one if its content is of another format, whatever its name",
        arguments: [
            (
                "\n<!DOCTYPE html><html><body>Down, for now</body></html>",
                " it is an HTML page; it must be a property list or a table."
            ),
            ("{\"error\":\"no,\"}", "1:1: in /: the document is a dictionary without a level"),
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

    @Test("is titled and drilled by the fields that are named, and suggests others")
    func options() throws {
        let text = "Artist,Album,Name\nAda,X,One\nAda,X,Two\nBo,Y,Three\nBo,Y,Four\n"
        let chosen = try #require(try file("a.csv", text).load(replacing: nil).tree.recordChoice)
        #expect(chosen.levels == ["Artist", "Album"])
        #expect(chosen.otherTitle == "Artist")
        let options = RecordOptions(titleField: "Album", drillFields: ["Artist"])
        let loaded = try file("a.csv", text, options).load(replacing: nil)
        #expect(titles(loaded.tree) == ["Ada", "Bo"])
        #expect(loaded.tree.document.child(0)?.child(1).map { [$0.title(0), $0.title(1)] } == ["Y", "Y"])
    }

    private func choice(_ header: String, _ lines: [String]) throws -> RecordChoice? {
        try file("a.csv", ([header] + lines).joined(separator: "\n") + "\n").load(replacing: nil).tree.recordChoice
    }

    @Test("has titles of text if a tenth of the values at most are numbers, and of numbers if all differ")
    func kindsOfTitles() throws {
        let letters = "abcdefghij".map { "\($0)" }
        for (values, hasTitles) in [
            (letters + ["1"], true), (letters.dropLast() + ["1"], false), (["1", "2"], true), (["1", "1"], false),
            (["1", "x"], false),
        ] { #expect(try choice("N", values)?.hasTitles == hasTitles, "\(values)") }
        for (values, title) in [(["1,a", "2,b", "3,a", "4,b"], "N"), (["1,a", "2,b", "3,a", "4,b", "5,a"], "Id")] {
            #expect(try choice("Id,N", values)?.drilling.titleField == title, "\(values)")
        }
    }

    @Test("has a field as a level if half of the records have it, and each value twice on average")
    func levels() throws {
        for (values, isLevel) in [
            (["x", "y", "x", "y"], true), (["x", "y", "x"], false), (["x", "x", "x", "x"], false),
            (["x", "y", "x", "y", "", "", "", ""], true), (["x", "y", "x", "y", "", "", "", "", ""], false),
        ] {
            let lines = values.enumerated().map { "title \($0.offset),\($0.element)" }
            #expect(try choice("N,A", lines)?.levels == (isLevel ? ["A"] : []), "\(values)")
        }
    }

    @Test("without anything that tells its records apart has their numbers as titles")
    func numbers() throws {
        let loaded = try file("a.json", #"[{"a":[1]},{"a":[2]}]"#).load(replacing: nil)
        #expect(loaded.tree.recordChoice?.hasTitles == false)
        #expect(titles(loaded.tree) == ["1", "2"])
    }

    @Test("is the same tree when its document is read again")
    func again() throws {
        let options = RecordOptions(drillFields: ["Artist"])
        let loaded = try file("a.csv", "Artist,Name\nAda,One\nBo,Two\n", options).load(replacing: nil)
        let written = #"{"DrillBy":["Artist"],"Records":[{"Artist":"Ada","Name":"One"},{"Artist":"Bo","Name":"Two"}],"#
        let tree = try file("b.json", written + #""TitleBy":"Name"}"#).load(replacing: nil).tree
        #expect(loaded.tree.recordChoice?.drilling.titleField == "Name")
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
        "must be an array without titles and without lists that could be levels",
        arguments: [
            ("[{\"Text\":\"a\"},{\"Title\":\"b\"}]", "an item has no 'Title'; give it one, or a 'Key'"),
            ("[{\"name\":\"a\",\"kids\":[{\"name\":\"b\"}]}]", "an item has no 'Title'"),
            ("[{\"Title\":\"a\"},{\"Text\":\"b\"}]", "an item has no 'Title'; give it one, or a 'Key'"),
            ("[{\"name\":\"a\"},\"b\"]", "an item has no 'Title'; give it one, or a 'Key'"),
            ("{\"data\":[{\"name\":\"a\"}]}", "the document is a dictionary without a level"),
        ])
    func items(text: String, sentence: String) throws {
        #expect(try refusal(file("a.json", text)).contains(sentence))
    }

    @Test(
        "is refused for the first fault of its syntax, or of a table",
        arguments: [
            ("a.json", "[{\"n\":1,\"m\":\"x\"},\n{\"n\":}]", "2:6: "),
            ("a.json", "[{\"n\":1},\n{\"n\":2}", "2:8: the document ends"),
            ("a.json", "[{\"n\":1},\n5]", "2:1: element 2 of the array is a number"),
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
        var interpretation = Interpretation()
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
            #expect(error.detail == "A document of records cannot be edited here; edit its file.")
        }
        #expect(watcher.savability(at: .root) == .nothing(.table))
        try scratch.write("a.csv", "Name\nOne\nTwo\n")
        #expect(titles(try watcher.load(replacing: nil).tree) == ["One", "Two"])
    }
}

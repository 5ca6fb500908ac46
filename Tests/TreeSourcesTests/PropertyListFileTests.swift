import Files
import Foundation
import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

@Suite("A property list file")
struct PropertyListFileTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func refusal(_ text: String, names: StructuralNames = .init()) throws -> String {
        let path = try scratch.write("Data.plist", text)
        do {
            _ = try PropertyListFile(path: path, interpretation: Interpretation(names: names)).load(replacing: nil)
            return "it was read"
        } catch {
            return "\(error)".replacingOccurrences(of: scratch.path + "/", with: "")
        }
    }

    @Test("gives the same tree in each of the three syntaxes")
    func syntaxes() throws {
        let value: [String: Any] = ["Title": "Top", "Rows": [["Title": "A", "Text": "ä", "Children": ["x", "y"]]]]
        let xml = try PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0)
        let binary = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        let trees = try [
            scratch.write("Xml", xml), scratch.write("Binary", binary),
            scratch.write("Utf16", String(decoding: xml, as: UTF8.self).replacing("UTF-8", with: "UTF-16").utf16Bytes),
            scratch.write("Json", JSONSerialization.data(withJSONObject: value, options: .sortedKeys)),
        ].map { try PropertyListFile(path: $0).load(replacing: nil) }
        #expect(trees.map(\.syntax) == [.xml, .binary, .xml, .json])
        #expect(trees.map(\.tree.itemCount) == [3, 3, 3, 3])
        #expect(trees.allSatisfy { $0.tree.document.title(0) == "Top" })
        #expect(trees[0].tree.document.hash == trees[2].tree.document.hash)
    }

    @Test("tells if XML cannot represent a text of it", arguments: [Interpretation.Shape.items, .any])
    func textBeyondXML(shape: Interpretation.Shape) throws {
        let path = try scratch.write("Data.json", #"[{"Title":"\u0001"}]"#)
        let file = PropertyListFile(path: path, interpretation: Interpretation(shape: shape))
        #expect(try file.load(replacing: nil).tree.document.holdsTextBeyondXML)
    }

    @Test("has the fingerprint of the file that was read, in the state in which it was read")
    func fingerprint() throws {
        let path = try scratch.write("Data.plist", items("A"))
        let watcher = PropertyListFile(path: path).makeWatcher()
        let loaded = try watcher.load(replacing: nil).fingerprint
        #expect(watcher.fingerprint == loaded)
        try scratch.write("Data.plist", items("A", "B"))
        #expect(watcher.fingerprint != loaded)
        try scratch.remove("Data.plist")
        #expect(watcher.fingerprint == .missing)
    }

    @Test("has a fingerprint that distinguishes a change of its permissions or times from one of its content")
    func attributes() throws {
        let path = try scratch.write("Data.plist", items("A"))
        let first = try #require(FileIdentity(path: path))
        try scratch.permit(0o600, "Data.plist")
        let permitted = try #require(FileIdentity(path: path))
        #expect(permitted != first)
        #expect(permitted.isSameContent(as: first))
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path)
        let touched = try #require(FileIdentity(path: path))
        #expect(!touched.isSameContent(as: first))
        #expect(Fingerprint(touched) != Fingerprint(first))
    }

    @Test("is read though its permissions change meanwhile")
    func permissions() throws {
        let file = PropertyListFile(path: try scratch.write("Data.plist", items("A")))
        let loaded = try file.loadAlone(replacing: nil) {
            do { try scratch.permit(0o600, "Data.plist") } catch { Issue.record(error) }
        }
        #expect(loaded.tree.itemCount == 1)
    }

    @Test("takes over the levels of the old tree that are as they were")
    func adoption() throws {
        func text(_ last: String) -> String {
            "<array><dict><key>Title</key><string>A</string><key>Children</key><array><string>a</string></array></dict>"
                + "<dict><key>Title</key><string>B</string><key>Children</key><array><string>\(last)</string></array></dict></array>"
        }
        let file = PropertyListFile(path: try scratch.write("Data.plist", text("b")))
        let old = try file.load(replacing: nil).tree.document
        try scratch.write("Data.plist", text("c"))
        let new = try file.load(replacing: old).tree.document
        #expect(new !== old)
        #expect(new.child(0)?.child(0) === old.child(0)?.child(0))
        #expect(new.child(0)?.child(1) !== old.child(0)?.child(1))
        #expect(try file.load(replacing: new).tree.document === new)
    }

    @Test("that is refused gives the position as editors read it")
    func place() throws {
        #expect(
            try refusal(
                "<plist>\n<array>\n<dict><key>Title</key><string>A</string>\n  <nonsense/></dict></array></plist>"
            )
            .hasPrefix("Data.plist:4:3: in /A: "))
    }

    @Test("that is read with doubts gives them with their positions")
    func warnings() throws {
        let path = try scratch.write(
            "Data.plist",
            "<array>\n<dict><key>Title</key><string>A</string>\n<key>Childern</key><array/></dict></array>")
        let loaded = try PropertyListFile(path: path).load(replacing: nil)
        #expect(
            loaded.warnings.map(\.description) == [
                "\(path):3:1: in /A: 'Childern' is kept as a field; did you mean 'Children'?"
            ])
        #expect(loaded.omittedWarnings == 0)
    }

    @Test("of any shape is served with --shape any")
    func anyShape() throws {
        let path = try scratch.write("Data.plist", "<dict><key>a</key><array><integer>1</integer></array></dict>")
        #expect(
            try PropertyListFile(path: path, interpretation: Interpretation(shape: .any)).load(replacing: nil).tree
                .itemCount == 2)
    }

    @Test(
        "of the shape auto is one of items if it has them, and read as it is otherwise",
        arguments: [
            ("Data.json", #"["a","b"]"#, nil), ("Data.json", #"{"Rows":[{"Title":"a"}]}"#, nil),
            ("Data.json", #"{"l":[{"name":"A","entries":[{"name":"B"}]}]}"#, "'l' by 'name'; 'entries' by 'name'"),
            ("Data.json", #"{"a":{"b":1}}"#, "rows by their names"),
            (
                "Data.plist", "<dict><key>a</key><dict><key>name</key><string>A</string></dict></dict>",
                "rows by their names"
            ),
            ("Data.csv", "id,name\n1,A\n", "rows by 'name', keys 'id'"),
        ])
    func auto(name: String, text: String, reading: String?) throws {
        let path = try scratch.write(name, text)
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let loaded = try PropertyListFile(path: path, interpretation: interpretation).load(replacing: nil)
        #expect(loaded.tree.reading == reading.map { "read as it is: \($0)" })
        #expect(loaded.warnings.map(\.description) == [])
    }

    @Test("of the shape auto that only resembles one of items is read as it is, with a warning")
    func autoWarning() throws {
        let path = try scratch.write("Data.json", #"{"Children":[{"name":"A"},5]}"#)
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let loaded = try PropertyListFile(path: path, interpretation: interpretation).load(replacing: nil)
        #expect(loaded.tree.reading == "read as it is: rows in 'Children'; 'Children' by 'name'")
        #expect(
            loaded.warnings.map(\.description) == [
                "\(path):1:14: in /(item 1, name 'A'): an item has no 'Title'; give it one, or a 'Key'; so the document is read as it is, and --shape items would refuse it."
            ])
    }

    @Test(
        "of the shape auto that has mostly items is refused with what is missing, and with the shape that serves it",
        arguments: [
            (
                #"[{"Title":"A"},{"name":"B"}]"#,
                "1:16: in /(item 2, name 'B'): an item has no 'Title'; give it one, or a 'Key'; --shape natural serves the document as it is."
            ),
            (
                #"[{"Title":"A"},{"Titel":"B"}]"#,
                "1:16: in /(item 2, Titel 'B'): an item has 'Titel' but no 'Title'; did you mean 'Title'?"
            ),
            (
                #"[{"Title":"A"},{"Title":"B","Children":{}}]"#,
                "1:40: in /B: 'Children' must be an array of items, not a dictionary."
            ),
        ])
    func autoRefusal(text: String, reason: String) throws {
        let path = try scratch.write("Data.json", text)
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        let refusal = #expect(throws: SourceError.self) {
            try PropertyListFile(path: path, interpretation: interpretation).load(replacing: nil)
        }
        #expect(refusal.map(String.init(describing:)) == "\(path):\(reason)")
    }

    @Test("of the shape auto keeps its shape at a reload, until it has items only")
    func autoReload() throws {
        var interpretation = Interpretation(shape: .auto)
        interpretation.records = RecordOptions()
        func load(_ text: String, replacing old: Level?) throws -> Tree {
            let path = try scratch.write("Data.json", text)
            return try PropertyListFile(path: path, interpretation: interpretation).load(replacing: old).tree
        }
        let items = try load(#"[{"Title":"a"}]"#, replacing: nil)
        #expect(throws: SourceError.self) { try load(#"[{"name":"a"},5]"#, replacing: items.document) }
        #expect(try load(#"[{"name":"a"},5]"#, replacing: load("[]", replacing: nil).document).reading != nil)
        let natural = try load(#"{"Rows":[{"name":"a"}]}"#, replacing: nil)
        #expect(try load(#"{"Rows":[{"Title":"a"},{"Title":"b"},5]}"#, replacing: natural.document).reading != nil)
        #expect(try load(#"{"Rows":[{"Title":"a"},{"Title":"b"}]}"#, replacing: natural.document).reading == nil)
    }

    @Test(
        "that is none of items is refused with the shape that serves it",
        arguments: [
            (
                #"[{"name":"A","id":"1"}]"#,
                "1:2: in /(item 1, name 'A'): an item has no 'Title'; give it one, or a 'Key'"
            ),
            (
                #"{"entries":[{"name":"A"}]}"#,
                "1:1: in /: the document is a dictionary without a level; it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
            ),
            ("[1,2]", "1:2: in /: element 1 of the array is a number, but an item must be a string or a dictionary"),
            (
                "<array><string>a</string>\n<true/></array>",
                "2:8: in /: element 2 of the array is a Boolean, but an item must be a string or a dictionary"
            ),
        ])
    func advice(document: String, reason: String) throws {
        #expect(try refusal(document) == "Data.plist:\(reason); --shape natural serves the document as it is.")
    }

    @Test("that is refused for another reason gets no advice on names")
    func noAdvice() throws {
        let text = #"[{"Title":"A","Key":"k"},{"Title":"B","Key":"k"}]"#
        #expect(try !refusal(text).contains("--keys"))
    }

    @Test("that changes while it is read is read again")
    func changing() throws {
        let file = PropertyListFile(path: try scratch.write("Data.plist", items("A")))
        var changes = ["A", "B", "C"]
        let loaded = try file.loadAlone(replacing: nil) {
            guard let title = changes.popLast() else { return }
            #expect(throws: Never.self) { try scratch.write("Data.plist", items(title, title + title)) }
        }
        #expect(loaded.tree.document.child(0)?.title(0) == "A")
        #expect(changes.isEmpty)
    }

    @Test("that never comes to rest is refused in the end")
    func restless() throws {
        let path = try scratch.write("Data.plist", items("A"))
        var size = 1
        let sentence =
            "\(path): the file changed while it was being read, 4 times in a row; it will be read when it stops changing."
        do {
            _ = try PropertyListFile(path: path).loadAlone(replacing: nil) {
                size += 1
                #expect(throws: Never.self) {
                    try scratch.write("Data.plist", items(String(repeating: "A", count: size)))
                }
            }
            Issue.record("it was read")
        } catch {
            #expect("\(error)" == sentence)
        }
    }
}

extension String {
    /// UTF-16 with a mark, little end first.
    fileprivate var utf16Bytes: [UInt8] { ("\u{FEFF}" + self).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
}

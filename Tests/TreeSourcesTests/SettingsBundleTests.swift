import Bytes
import Foundation
import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

/// Settings bundles: the pages and the strings in one folder (manual, Settings pages).
@Suite("A settings bundle") struct SettingsBundleTests {
    private let scratch: ScratchFolder

    init() throws {
        scratch = try ScratchFolder()
        try scratch.folder("App.bundle")
        try page("Root", #"{"Title":"Sound"}"#, Self.pane("More", "Sub"))
        try page("Sub", #"{"Title":"Zoom"}"#)
    }

    private static func pane(_ title: String, _ file: String) -> String {
        #"{"Type":"PSChildPaneSpecifier","Title":"\#(title)","File":"\#(file)"}"#
    }

    private func page(_ name: String, _ specifiers: String..., table: String? = nil) throws {
        let table = table.map { #""StringsTable":"\#($0)","# } ?? ""
        try scratch.write(
            "App.bundle/\(name).plist", #"{\#(table)"PreferenceSpecifiers":[\#(specifiers.joined(separator: ","))]}"#)
    }

    private func strings(_ language: String, _ table: String, _ text: String) throws {
        try scratch.folder("App.bundle/\(language).lproj")
        try scratch.write("App.bundle/\(language).lproj/\(table).strings", text)
    }

    private func load(_ name: String = "App.bundle") throws(SourceError) -> LoadedTree {
        try source(name).load(replacing: nil)
    }

    /// A file, or the root page of a folder.
    private func source(_ name: String = "App.bundle") -> PropertyListFile {
        PropertyListFile(
            path: PropertyListFile.rootPage(inBundle: scratch(name)) ?? scratch(name), name: scratch(name),
            pollInterval: .seconds(3_600))
    }

    /// The titles of a document, the levels below in parentheses; a refusal after an exclamation mark.
    private static func titles(_ level: Level?) -> String {
        guard let level else { return "" }
        if let refusal = level.refusal { return "!\(refusal)" }
        return (0..<level.count).map { row in
            level.title(row) + (level.child(row).map { "(\(titles($0)))" } ?? "")
        }.joined(separator: " ")
    }

    private static func variants(_ loaded: LoadedTree) -> [String] {
        (loaded.tree.translations?.variants ?? []).map { "\($0.name): \(titles($0.document))" }
    }

    private func warnings(_ loaded: LoadedTree) -> [String] {
        loaded.warnings.map { $0.description.replacing(scratch.path + "/", with: "") }
    }

    @Test("is a folder or its Root.plist, and has its child pages below their rows")
    func pages() throws {
        for name in ["App.bundle", "App.bundle/", "App.bundle/Root.plist"] {
            let loaded = try load(name)
            #expect(Self.titles(loaded.tree.document) == "Root(Sound More(Zoom))")
            #expect(loaded.tree.itemCount == 3)
            #expect(loaded.warnings.isEmpty)
            #expect(loaded.tree.translations == nil)
        }
        #expect(source().name == scratch("App.bundle"))
    }

    @Test("keeps the sections with titles or footers of a page without rows, which then is not a leaf")
    func acknowledgements() throws {
        let group = #"{"Type":"PSGroupSpecifier"}"#
        try page("Root", Self.pane("A", "Pods"), Self.pane("B", "Empty"))
        try page("Pods", #"{"Type":"PSGroupSpecifier","Title":"Licence","FooterText":"MIT"}"#, group)
        try page("Empty", group)
        let loaded = try load()
        let document = loaded.tree.document
        let root = try #require(document.child(0))
        #expect(root.child(0)?.sections.map(\.shown) == [Section(title: "Licence", footer: "MIT", start: 0, count: 0)])
        let top = Item.Step(level: document, row: 0)
        #expect((0..<2).map { Item([top, Item.Step(level: root, row: $0)]).isLeaf } == [false, true])
        #expect(loaded.warnings.isEmpty)
        let rows = RowPage(Listing(root))
        var leaves: [Bool] = []
        rows.forEachRow { leaves.append($0.isLeaf) }
        #expect(leaves == [false, true])
        let before = root.rowsHash
        try page("Pods", #"{"Type":"PSGroupSpecifier","Title":"Licence","FooterText":"BSD"}"#)
        #expect(try load().tree.document.child(0)?.rowsHash != before)
    }

    @Test("shows a page that cannot be read at its row, and warns")
    func refusals() throws {
        try page(
            "Root", Self.pane("A", "Gone"), Self.pane("B", "../Sub"), Self.pane("C", "Broken"), Self.pane("D", "List"),
            #"{"Type":"PSChildPaneSpecifier","Title":"E"}"#, Self.pane("F", "Folder"))
        try scratch.folder("App.bundle/Folder.plist")
        try scratch.write("App.bundle/Broken.plist", "{\"PreferenceSpecifiers\":\n1}")
        try scratch.write("App.bundle/List.plist", "[]")
        try scratch.write("Sub.plist", "{\"PreferenceSpecifiers\":[]}")
        let loaded = try load()
        let refusals = [
            "Gone.plist: the page does not exist in the folder of the bundle.",
            "../Sub.plist: the path leads out of the folder of the bundle; move the file into that folder.",
            "Broken.plist:2:1: in /: 'PreferenceSpecifiers' must be an array of specifiers, not a number.",
            "List.plist: it is not a settings page, which is a dictionary with 'PreferenceSpecifiers'.",
            "the specifier names no 'File', which is its page.", "Folder.plist: it is not a file.",
        ]
        #expect(
            Self.titles(loaded.tree.document)
                == "Root(" + zip("ABCDEF", refusals).map { "\($0)(!\($1))" }.joined(separator: " ") + ")")
        #expect(loaded.warnings.count == 6)
        #expect(
            warnings(loaded).first
                == "App.bundle/Root.plist:1:26: in /A: the row has no page, since Gone.plist: the page does not exist in the folder of the bundle."
        )
    }

    @Test("is refused if a page leads back to itself, but two rows may lead to one page")
    func cycles() throws {
        try page("Root", Self.pane("A", "Sub"), Self.pane("B", "Sub"))
        #expect(Self.titles(try load().tree.document) == "Root(A(Zoom) B(Zoom))")
        try page("Sub", Self.pane("C", "Third"))
        try page("Third", Self.pane("D", "Sub"))
        let error = try #require(throws: SourceError.self) { try load() }
        #expect(
            "\(error)".replacing(scratch.path + "/", with: "")
                == "App.bundle/Third.plist:1:26: in /D: a page leads back to itself: 'Sub.plist' leads to 'Third.plist' leads to 'Sub.plist'; remove one PSChildPaneSpecifier."
        )
    }

    @Test("of pages that multiply is refused as too large, at once")
    func multiplication() throws {
        for number in 0..<60 {
            try page("P\(number)", Self.pane("A", "P\(number + 1)"), Self.pane("B", "P\(number + 1)"))
        }
        try page("Root", Self.pane("A", "P0"))
        try page("P60", #"{"Title":"x"}"#)
        let error = try #require(throws: SourceError.self) { try load() }
        #expect(error.reason == "the pages hold more than 20000000 items; remove pages, or raise MaxItems")
    }

    @Test("has a variant for each language of which it has strings, by each page's table")
    func languages() throws {
        try page("Sub", #"{"Title":"Zoom"}"#, #"{"Title":"Sound"}"#, table: "Other")
        try strings("de", "Root", #""Sound" = "Ton"; "More" = "Mehr";"#)
        try strings("de", "Other", #""Zoom" = "Größe";"#)
        try strings("de-CH", "Root", #""Sound" = "Klang";"#)
        try strings("English", "Root", #""Sound" = "Audio"; "More" = "More…";"#)
        try strings("fr", "Unrelated", #""Sound" = "Son";"#)
        try strings("x y", "Root", #""Sound" = "never";"#)
        let loaded = try load()
        #expect(
            Self.variants(loaded) == [
                "en: Root(Audio More…(Zoom Sound))", "de-CH: Root(Klang Mehr(Größe Sound))",
                "de: Root(Ton Mehr(Größe Sound))",
            ])
        #expect(loaded.tree.translations?.fallback == "en")
        #expect(loaded.warnings.isEmpty)
    }

    @Test(
        "falls back on the language that it was written in",
        arguments: [
            (["de", "en"], nil, "en"), (["de", "en", "Base"], nil, "Base"), (["de", "en", "Base"], "de", "de"),
            (["de", "en"], "German", "de"), (["es-005"], "fr", nil),
        ] as [([String], String?, String?)])
    func fallback(_ languages: [String], _ region: String?, _ expected: String?) throws {
        for language in languages { try strings(language, "Root", "Sound = x;") }
        if let region {
            try scratch.write(
                "App.bundle/Info.plist",
                "<plist><dict><key>CFBundleDevelopmentRegion</key><string>\(region)</string></dict></plist>")
        }
        let loaded = try load()
        #expect(loaded.tree.translations?.fallback == expected)
        #expect(loaded.tree.translations?.variants.count == languages.count)
        #expect(loaded.warnings.isEmpty)
    }

    @Test("has one language, with a warning, if its pages take much memory")
    func largePages() throws {
        for language in ["de", "en"] { try strings(language, "Root", "Sound = x;") }
        let half = PropertyListValue.data([UInt8](repeating: 0, count: 33 << 20))
        let fields = [("Title", .string("Sound")), ("A", half), ("B", half)] as [(String, PropertyListValue)]
        let specifier = PropertyListDictionary(fields.map { .init(key: $0, value: $1) })
        let page = PropertyListDictionary([.init(key: "PreferenceSpecifiers", value: .array([.dictionary(specifier)]))])
        var writer = BinaryPropertyListWriter()
        try PropertyListValue.dictionary(page).tell(to: &writer)
        try writer.finish()
        try scratch.write("App.bundle/Root.plist", Array(copying: writer.output.span))
        let loaded = try load()
        #expect(Self.variants(loaded) == ["de: Root(x)"])
        #expect(warnings(loaded) == ["App.bundle:1:1: the pages are too large for more than 1 language."])
    }

    @Test("warns of strings that are broken or too large, and is served without them")
    func brokenStrings() throws {
        try strings("de", "Root", "\"Sound\" = \n;")
        try strings("fr", "Root", String(repeating: "x", count: BundleStrings.mostBytes + 1))
        try strings("it", "Root", "Sound = Suono;")
        try strings("nl", "Root", "")
        let loaded = try load()
        #expect(Self.variants(loaded) == ["it: Root(Suono More(Zoom))"])
        #expect(
            warnings(loaded) == [
                "App.bundle/de.lproj/Root.strings:2:1: the text of the key 'Sound' must be text between quotation marks, not ';'; its texts are not used.",
                "App.bundle/fr.lproj/Root.strings:1:1: the file has 4194305 bytes and the limit is 4194304; remove texts; its texts are not used.",
            ])
    }

    @Test("names the missing part in its message")
    func noRoot() throws {
        try scratch.folder("Empty.bundle")
        #expect(throws: SourceError.self) { try load("Empty.bundle") }
        do { _ = try load("Empty.bundle") } catch {
            #expect(
                "\(error)".replacing(scratch.path, with: "")
                    == "/Empty.bundle/Root.plist: the file does not exist in the folder /Empty.bundle; name a property list file that exists."
            )
        }
    }

    @Test(
        "is loaded again after a change of any of its files",
        arguments: [
            "a page", "a page that was missing", "strings", "a new language", "a page by rename", "the root",
        ])
    func watching(_ change: String) throws {
        try page("Root", Self.pane("A", "Sub"), Self.pane("B", "Late"))
        try strings("de", "Root", "A = a;")
        let watcher = source().makeWatcher()
        let before = try watcher.load(replacing: nil)
        #expect(watcher.fingerprint == before.fingerprint)
        #expect(watcher.advance(at: .now) == nil)
        switch change {
        case "a page": try page("Sub", #"{"Title":"New"}"#)
        case "a page that was missing": try page("Late", #"{"Title":"New"}"#)
        case "strings": try strings("de", "Root", "A = New;")
        case "a new language": try strings("it", "Root", "A = New;")
        case "the root": try page("Root", #"{"Title":"New"}"#)
        default:
            try scratch.write("App.bundle/aside", #"{"PreferenceSpecifiers":[{"Title":"New"}]}"#)
            try scratch.rename("App.bundle/aside", "App.bundle/Sub.plist")
        }
        #expect(watcher.nextReport() == .changed)
        #expect(watcher.fingerprint != before.fingerprint)
        let after = try watcher.load(replacing: before.tree.document)
        #expect(([Self.titles(after.tree.document)] + Self.variants(after)).joined().contains("New"))
        #expect(watcher.fingerprint == after.fingerprint)
    }

    @Test("is not loaded again for another file in its folder")
    func unrelated() throws {
        let watcher = source().makeWatcher()
        let before = try watcher.load(replacing: nil)
        try scratch.write("App.bundle/Icon.png", "x")
        #expect(watcher.advance(at: .now) == nil)
        #expect(watcher.fingerprint == before.fingerprint)
    }

    @Test("that a document mounts as its root is a part of that document")
    func mounted() throws {
        try scratch.write("Data.plist", #"{"Source":"App.bundle/Root.plist","Owner":"x"}"#)
        let watcher = source("Data.plist").makeWatcher()
        let loaded = try watcher.load(replacing: nil)
        #expect(Self.titles(loaded.tree.document) == "Root(Sound More)")
        #expect(loaded.composition?.source.child(0) == nil)
        #expect(watcher.savability(at: try ItemPath(Array("/".utf8).span)) == .items)
        // The same, written in one piece.
        let specifiers = #"{"Title":"Sound"},"# + Self.pane("More", "Sub")
        try scratch.write("App.bundle/Whole.json", #"{"Source":"x","PreferenceSpecifiers":[\#(specifiers)]}"#)
        #expect(Self.titles(try load("App.bundle/Whole.json").tree.document) == "Root(Sound More)")
    }

    @Test("has the first hundred warnings, and the number of the others")
    func manyWarnings() throws {
        let panes = (0..<150).map { Self.pane("\($0)", "Gone\($0)") }.joined(separator: ",")
        try scratch.write("App.bundle/Root.plist", #"{"PreferenceSpecifiers":[\#(panes)]}"#)
        let loaded = try load()
        #expect(loaded.warnings.count == 100 && loaded.omittedWarnings == 50)
    }

    @Test("has a hundred languages at most", arguments: [100, 101])
    func manyLanguages(count: Int) throws {
        for number in 0..<count { try scratch.folder("App.bundle/\(number).lproj") }
        let sentence = "App.bundle:1:1: only the first 100 folders of languages are read."
        #expect(try warnings(load()) == (count > 100 ? [sentence] : []))
    }
}

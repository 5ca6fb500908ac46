import Bytes
import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

/// The document that has the values of a settings page's controls (manual, Settings pages).
@Suite("A values document") struct ValuesDocumentTests {
    private var page: ControlledPage

    init() throws { page = try ControlledPage() }

    private static let defaults = #"sound=true volume=0.5 A="a" B="a" Version=- name=-"#

    private func shown() throws -> String {
        try ControlledPage.shown(page.source().load(replacing: nil).tree.document)
    }

    private func warnings(_ loaded: LoadedTree) -> [String] {
        loaded.warnings.map { $0.description.replacing(page.scratch.path + "/", with: "") }
    }

    private func refusal(_ text: String) throws -> String {
        try page.scratch.write("Values.plist", text)
        let error = try #require(throws: SourceError.self) { try page.source().load(replacing: nil) }
        return "\(error)".replacing(page.scratch.path + "/", with: "")
    }

    @Test("need not exist: then the defaults show")
    mutating func missing() throws {
        #expect(try shown() == Self.defaults)
        page.values = "none/Values.plist"
        #expect(try shown() == Self.defaults)
    }

    @Test(
        "has values by their keys, for all pages",
        arguments: [
            #"{"sound":false,"name":"Ann","order":"b","volume":7,"other":[{}]}"#,
            "<plist><dict><key>sound</key><false/><key>name</key><string>Ann</string><key>order</key><string>b</string><key>volume</key><integer>7</integer></dict></plist>",
        ])
    func values(_ text: String) throws {
        try page.scratch.write("Values.plist", text)
        #expect(try shown() == #"sound=false volume=7 A="b" B="b" Version=- name="Ann""#)
    }

    @Test("may be binary")
    func binary() throws {
        var writer = BinaryPropertyListWriter()
        try PropertyListValue(json: Array(#"{"sound":false}"#.utf8)).tell(to: &writer)
        try writer.finish()
        try page.scratch.write("Values.plist", Array(copying: writer.output.span))
        #expect(try shown() == Self.defaults.replacing("sound=true", with: "sound=false"))
    }

    @Test("shows in every language of the page")
    func languages() throws {
        try page.scratch.folder("App.bundle/de.lproj")
        try page.scratch.write("App.bundle/de.lproj/Root.strings", "Sound = Ton;")
        try page.scratch.write("Values.plist", #"{"sound":false,"name":"Ann"}"#)
        let tree = try page.source().load(replacing: nil).tree
        let german = try #require(tree.translations?.variants.first?.document)
        #expect(german.child(0)?.title(0) == "Ton")
        #expect(try ControlledPage.shown(german) == #"sound=false volume=0.5 A="a" B="a" Version=- name="Ann""#)
    }

    @Test("that changes gives the pages that a load gives, and only the rows of its controls are made again")
    func changes() throws {
        try page.scratch.folder("App.bundle/de.lproj")
        try page.scratch.write("App.bundle/de.lproj/Root.strings", "Sound = Ton; B = Zwei; More = Mehr;")
        let loaded = try page.source().load(replacing: nil)
        let root = try #require(SettingsPage(try page.source().loadAlone(replacing: nil).tree))
        let bundle = try BundlePages(
            of: root, root: loaded, at: page.scratch("App.bundle/Root.plist"), by: Interpretation())
        func stored(_ json: String) throws -> StoredValues {
            guard case .dictionary(let values) = try PropertyListValue(json: Array(json.utf8)) else {
                throw CancellationError()
            }
            return StoredValues(values: values)
        }
        var latest = try LoadedPage(bundle: bundle, stored: StoredValues(), sharing: nil)
        for json in [
            #"{"sound":false}"#, #"{"sound":false,"order":"b"}"#, #"{"order":"a","name":"Ann"}"#,
            #"{"order":"c","name":"Bo","volume":7}"#, #"{"name":"Bo","order":"b"}"#, "{}",
        ] {
            let before = latest
            latest = try latest.storing(stored(json))
            let fresh = try LoadedPage(bundle: bundle, stored: stored(json), sharing: nil)
            #expect(latest.tree.document.hash == fresh.tree.document.hash, "\(json)")
            #expect(latest.tree.translations == fresh.tree.translations, "\(json)")
            #expect(latest.loaded(valuesPath: "v").warnings == fresh.loaded(valuesPath: "v").warnings, "\(json)")
            // A page whose controls stay is the same level.
            for (new, old) in zip(latest.documents, before.documents) where json == #"{"sound":false}"# {
                #expect(new.child(0)?.child(5) === old.child(0)?.child(5))
            }
        }
    }

    @Test("with values that controls cannot have is a warning, and their defaults show")
    func unusable() throws {
        try page.scratch.write("Values.plist", "{\"sound\":1,\n \"order\":\"c\",\"name\":\"Ann\"}")
        let loaded = try page.source().load(replacing: nil)
        #expect(
            try ControlledPage.shown(loaded.tree.document) == Self.defaults.replacing("name=-", with: #"name="Ann""#))
        #expect(
            warnings(loaded) == [
                "Values.plist:1:2: 'sound' must be true or false, not 1; the default is shown instead.",
                "Values.plist:2:2: 'order' must be 'a' or 'b', not 'c'; the default is shown instead.",
            ])
    }

    @Test("that is broken refuses the page, and says where")
    func broken() throws {
        let cut = try refusal("{\"sound\":\n true")
        #expect(cut == "Values.plist:2:6: the document ends before its value does; it was truncated.")
        let sentence = "a values document must be a dictionary of values by the controls' keys."
        #expect(try refusal("[]") == "Values.plist:1:1: \(sentence)")
        for (value, column) in [("<true/>", 8), ("<string>a</string>", 9), ("<data>AA==</data>", 7)] {
            #expect(try refusal("<plist>\n\(value)</plist>") == "Values.plist:2:\(column): \(sentence)")
        }
        #expect(try refusal("") == "Values.plist: the file is empty; it must contain a property list.")
    }

    @Test("of a document that is not a settings page is not used, which is a warning")
    func notAPage() throws {
        try page.scratch.write("Data.plist", items("A"))
        let loaded = try page.source("Data.plist").load(replacing: nil)
        #expect(
            warnings(loaded) == [
                "Values.plist:1:1: the values are not used, because Data.plist is not a settings page."
            ])
    }

    @Test("must not be one of the pages")
    mutating func ownPage() throws {
        for name in ["Root", "Sub"] {
            page.values = "App.bundle/\(name).plist"
            let error = try #require(throws: SourceError.self) { try page.source().load(replacing: nil) }
            #expect(error.reason == "it is one of the settings pages; name another file for their values")
        }
    }

    @Test("is watched", arguments: ["made", "written", "replaced", "removed", "broken, then repaired"])
    func watching(_ change: String) throws {
        if change != "made" { try page.scratch.write("Values.plist", #"{"sound":false}"#) }
        let (watcher, before) = try page.watcher()
        #expect(watcher.fingerprint == before.fingerprint)
        #expect(watcher.advance(at: .now) == nil)
        switch change {
        case "made", "written": try page.scratch.write("Values.plist", #"{"name":"New"}"#)
        case "replaced":
            try page.scratch.write("aside", #"{"name":"New"}"#)
            try page.scratch.rename("aside", "Values.plist")
        case "removed": try page.scratch.remove("Values.plist")
        default:
            try page.scratch.write("Values.plist", "{")
            #expect(watcher.nextReport() == .changed)
            #expect(throws: SourceError.self) { try watcher.load(replacing: before.tree.document) }
            try page.scratch.write("Values.plist", #"{"name":"New"}"#)
        }
        #expect(watcher.nextReport() == .changed)
        #expect(watcher.fingerprint != before.fingerprint)
        let after = try watcher.load(replacing: before.tree.document)
        let name = change == "removed" ? "-" : #""New""#
        #expect(
            try ControlledPage.shown(after.tree.document) == Self.defaults.replacing("name=-", with: "name=\(name)"))
        #expect(watcher.fingerprint == after.fingerprint)
    }
}

extension LoadedPage {
    /// The document as it is written, and in each language.
    fileprivate var documents: [Level] { [tree.document] + (tree.translations?.variants.map(\.document) ?? []) }
}

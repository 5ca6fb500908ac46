import Foundation
import Levels
import PropertyLists
import TestSources
import Testing

@testable import TestSupport
@testable import TreeSources

/// Setting the controls of a settings page (manual, Settings pages).
@Suite("A control of a settings page") struct ControlEditTests {
    private var page: ControlledPage

    init() throws { page = try ControlledPage() }

    /// Applies and saves the edits of one request.
    @discardableResult
    private func edit(_ edits: Edit..., by watcher: DocumentWatcher) throws -> EditedTree {
        let group = try watcher.beginEdits()
        let tree = try #require(try group.apply(EditBatch(edits, isExact: false)))
        #expect(try group.save() == watcher.fingerprint)
        return tree
    }

    private func refusal(_ edit: Edit, by watcher: DocumentWatcher) throws -> EditRefusal {
        let group = try watcher.beginEdits()
        return try #require(throws: EditRefusal.self) { try group.apply(EditBatch([edit], isExact: false)) }
    }

    private func mode() throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: page.scratch(page.values))[.posixPermissions] as? Int
    }

    @Test("is stored in a new values document, with the usual permissions and no other files")
    func first() throws {
        let (watcher, before) = try page.watcher()
        let tree = try edit(.setting("/sound", "false"), by: watcher)
        #expect(
            try ControlledPage.shown(tree.document) == #"sound=false volume=0.5 A="a" B="a" Version=- name=-"#)
        guard case .present(let item, isNew: false) = try #require(tree.items.first) else {
            Issue.record("\(tree.items)")
            return
        }
        #expect(item.titlePath == "/Sound")
        #expect(item.own.level === tree.document.child(0))
        #expect(try page.entries() == "<key>sound</key><false/>")
        #expect(try page.text()?.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist") == true)
        let mask = umask(0o022)
        _ = umask(mask)
        #expect(try mode() == Int(0o644 & ~mask))
        #expect(try page.files() == ["Values.plist"])
        // The save is not reported as a change of somebody else.
        #expect(watcher.advance(at: .now) == nil)
        let after = try watcher.load(replacing: before.tree.document)
        #expect(after.tree.document.hash == tree.document.hash)
        #expect(after.fingerprint == watcher.fingerprint)
    }

    @Test("leaves the comments, the layout and the values of others in the values document")
    func othersValues() throws {
        let text =
            "<?xml version=\"1.0\"?>\n<plist>\n <dict>\n  <!-- loud -->\n  <key>volume</key><real>3</real>\n  <key>theirs</key><array><data>AQI=</data></array>\n </dict>\n</plist>\n"
        try page.scratch.write("Values.plist", text)
        try page.scratch.permit(0o600, "Values.plist")
        let (watcher, _) = try page.watcher()
        try edit(.setting("/volume", "7.5"), by: watcher)
        #expect(try page.text() == text.replacing("<real>3</real>", with: "<real>7.5</real>"))
        try edit(.setting("/volume", "null"), by: watcher)
        #expect(
            try page.text()
                == "<?xml version=\"1.0\"?>\n<plist>\n <dict>\n  <!-- loud -->\n  <key>theirs</key><array><data>AQI=</data></array>\n </dict>\n</plist>\n"
        )
        #expect(try mode() == 0o600)
    }

    @Test("goes back to the default when its value is removed")
    func removal() throws {
        try page.scratch.write("Values.plist", #"{"sound":false,"name":"Ann"}"#)
        let (watcher, _) = try page.watcher()
        let tree = try edit(.setting("/sound", "null"), by: watcher)
        #expect(
            try ControlledPage.shown(tree.document) == #"sound=true volume=0.5 A="a" B="a" Version=- name="Ann""#)
        #expect(try page.text() == #"{"name":"Ann"}"#)
        try edit(.setting("/More/name", "null"), by: watcher)
        #expect(try page.text() == "{}")
    }

    @Test("of a radio group sets all of its rows")
    func radioGroup() throws {
        let (watcher, _) = try page.watcher()
        let tree = try edit(.setting("/A", #""b""#), by: watcher)
        #expect(try ControlledPage.shown(tree.document) == #"sound=true volume=0.5 A="b" B="b" Version=- name=-"#)
        #expect(try page.entries() == "<key>order</key><string>b</string>")
    }

    @Test("is stored even if it is the default, and replaces a value that cannot show")
    func unshownChanges() throws {
        try page.scratch.write("Values.plist", #"{"sound":"maybe"}"#)
        let (watcher, loaded) = try page.watcher()
        let group = try watcher.beginEdits()
        let tree = try #require(try group.apply(EditBatch([.setting("/sound", "true")], isExact: false)))
        #expect(tree.document.hash == loaded.tree.document.hash)
        #expect(group.hasUnshownChanges)
        _ = try group.save()
        #expect(try page.text() == #"{"sound":true}"#)
        let again = try watcher.beginEdits()
        _ = try again.apply(EditBatch([.setting("/sound", "true")], isExact: false))
        #expect(!again.hasUnshownChanges)
    }

    @Test("shares all levels that show the same as before")
    func sharing() throws {
        let (watcher, loaded) = try page.watcher()
        let tree = try edit(.setting("/More/name", #""Ann""#), by: watcher)
        let (old, new) = (try #require(loaded.tree.document.child(0)), try #require(tree.document.child(0)))
        let more = try #require((0..<old.count).first { old.key($0) == "More" })
        #expect(old.hash != new.hash)
        #expect(old.bytes == new.bytes)
        #expect(old.child(more) !== new.child(more))
        let second = try edit(.setting("/sound", "false"), by: watcher)
        #expect(second.document.child(0)?.child(more) === new.child(more))
    }

    @Test("is set with others in one save, and each request has its own tree")
    func group() throws {
        let (watcher, _) = try page.watcher()
        let group = try watcher.beginEdits()
        let both = EditBatch([try .setting("/sound", "false"), try .setting("/More/name", #""Ann""#)], isExact: false)
        let first = try #require(try group.apply(both))
        #expect(throws: EditRefusal.self) {
            try group.apply(EditBatch([.setting("/volume", "1"), .setting("/volume", "11")], isExact: false))
        }
        let second = try #require(try group.apply(EditBatch([.setting("/volume", "2")], isExact: false)))
        #expect(try page.text() == nil)
        _ = try group.save()
        #expect(
            try ControlledPage.shown(first.document) == #"sound=false volume=0.5 A="a" B="a" Version=- name="Ann""#)
        #expect(
            try ControlledPage.shown(second.document) == #"sound=false volume=2.0 A="a" B="a" Version=- name="Ann""#)
        #expect(
            try page.entries()
                == "<key>sound</key><false/><key>name</key><string>Ann</string><key>volume</key><real>2.0</real>")
    }

    @Test("is all of a settings page that can be edited")
    func otherEdits() throws {
        let (watcher, _) = try page.watcher()
        let sentence =
            "A settings page cannot be edited; only the values of its controls can be set, each by a patch with 'Value' alone."
        let root = try ItemPath(Array("".utf8).span)
        let sound = try ItemPath(Array("/sound".utf8).span)
        func patch(_ json: String) throws -> Edit {
            .patch(try PropertyListValue(json: Array(json.utf8)), at: sound)
        }
        for edit in [
            .delete(sound), .insert(.string("x"), below: root, at: .last, section: nil),
            .put(.string("x"), at: sound, onlyIfNew: false), .move(sound, below: root, at: .first, section: nil),
            try patch("{}"), try patch(#"{"Title":"x"}"#), try patch(#"{"Value":true,"Title":"x"}"#), try patch("[]"),
            try .setting("/More", "1"), try .setting("", "1"),
        ] {
            let refusal = try refusal(edit, by: watcher)
            #expect(refusal.detail == sentence)
            guard case .conflict = refusal.kind else {
                Issue.record("\(refusal.kind)")
                continue
            }
        }
        #expect(throws: EditRefusal.self) { try watcher.beginEdits().replaceDocument(with: Array("[]".utf8)) }
        #expect(
            try refusal(.setting("/Version", "1"), by: watcher).detail
                == "This control has no 'Key' under which its value could be stored; give it one in the settings page.")
        #expect(try refusal(.setting("/none", "1"), by: watcher).detail == "There is no 'none' in /.")
        let wrong = try refusal(.setting("/volume", "11"), by: watcher)
        #expect(wrong.detail == "'Value' must be a number from 0 to 10, not 11.")
        #expect(wrong.step == 0)
        #expect(try page.text() == nil)
    }

    @Test("cannot be set if its value cannot be stored, and the reason is given")
    mutating func unstorable() throws {
        func sentence(_ watcher: DocumentWatcher) throws -> String {
            try #require(throws: EditRefusal.self) { try watcher.beginEdits() }.detail
        }
        let alone = DocumentWatcher(
            document: PropertyListFile(path: page.scratch("App.bundle/Root.plist")))
        _ = try alone.load(replacing: nil)
        #expect(
            try sentence(alone)
                == "The values of these controls are not stored anywhere; start the server with --values FILE.")
        page.values = "none/Values.plist"
        let (missing, _) = try page.watcher()
        #expect(
            try sentence(missing) == "The folder of the values document does not exist; make it, then repeat the edit.")
        try page.scratch.folder("none")
        try edit(.setting("/sound", "false"), by: missing)
        try page.scratch.permit(0o444, "none/Values.plist")
        #expect(
            try sentence(missing)
                == "The values document is read-only; give the server permission to write to it.")
        try page.scratch.link("Link.plist", to: "nowhere.plist")
        page.values = "Link.plist"
        let (dangling, _) = try page.watcher()
        #expect(
            try sentence(dangling)
                == "The values document is a symbolic link to a file that does not exist; point it at a file.")
    }

    @Test("is stored in the file that a link leads to")
    mutating func link() throws {
        try page.scratch.folder("other")
        try page.scratch.write("other/v.json", #"{"sound":true}"#)
        try page.scratch.link("Link.plist", to: "other/v.json")
        page.values = "Link.plist"
        let (watcher, _) = try page.watcher()
        try edit(.setting("/sound", "false"), by: watcher)
        #expect(try String(contentsOfFile: page.scratch("other/v.json"), encoding: .utf8) == #"{"sound":false}"#)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: page.scratch("Link.plist")) == "other/v.json")
    }

    @Test("keeps the exact type of a property list, and JSON's fits the type before")
    func types() throws {
        try page.scratch.write("Values.plist", "<plist><dict>\n<key>volume</key><real>3</real></dict></plist>")
        let (watcher, _) = try page.watcher()
        try edit(.setting("/volume", "4"), by: watcher)
        #expect(try page.entries() == "<key>volume</key><real>4.0</real>")
        let group = try watcher.beginEdits()
        _ = try group.apply(EditBatch([.setting("/volume", "5")], isExact: true))
        _ = try group.save()
        #expect(try page.entries() == "<key>volume</key><integer>5</integer>")
    }
}

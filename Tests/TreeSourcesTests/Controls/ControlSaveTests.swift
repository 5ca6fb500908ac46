import Foundation
import Levels
import PropertyLists
import TestSources
import Testing

@testable import TestSupport
@testable import TreeSources

/// Saves of a values document that somebody else changes, or that fail (manual, Settings pages).
@Suite("A save of control values") struct ControlSaveTests {
    private let page: ControlledPage

    init() throws { page = try ControlledPage() }

    @Test("does not overwrite another program's save", arguments: ["made", "written", "replaced", "removed"])
    func foreignSave(_ change: String) throws {
        if change != "made" { try page.scratch.write("Values.plist", #"{"sound":false}"#) }
        let (watcher, before) = try page.watcher()
        let group = try watcher.beginEdits()
        let batch = EditBatch([try .setting("/More/name", #""Ann""#)], isExact: false)
        _ = try group.apply(batch)
        switch change {
        case "made", "written": try page.scratch.write("Values.plist", #"{"volume":1}"#)
        case "replaced":
            try page.scratch.write("aside", #"{"volume":1}"#)
            try page.scratch.rename("aside", "Values.plist")
        default: try page.scratch.remove("Values.plist")
        }
        let error = try #require(throws: SaveError.self) { try group.save() }
        guard case .changedMeanwhile = error else {
            Issue.record("\(error)")
            return
        }
        #expect(try page.text() == (change == "removed" ? nil : #"{"volume":1}"#))
        #expect(try page.files() == (change == "removed" ? [] : ["Values.plist"]))
        // On the newer tree the same edit can be saved.
        _ = try watcher.load(replacing: before.tree.document)
        let second = try watcher.beginEdits()
        let tree = try #require(try second.apply(batch))
        _ = try second.save()
        #expect(try ControlledPage.shown(tree.document).hasSuffix(#"name="Ann""#))
        if change == "removed" {
            #expect(try page.entries() == "<key>name</key><string>Ann</string>")
        } else {
            #expect(try page.text() == #"{"volume":1,"name":"Ann"}"#)
        }
    }

    @Test("finds a file that somebody else makes in the last instant")
    func foreignCreation() throws {
        var source = page.source()
        let path = page.scratch("Values.plist")
        source.values?.fault = { step, _ in
            let isMade = step == .rename && FileManager.default.createFile(atPath: path, contents: Data("{}".utf8))
            return isMade ? nil : step == .rename ? EIO : nil
        }
        let watcher = DocumentWatcher(document: source)
        _ = try watcher.load(replacing: nil)
        let group = try watcher.beginEdits()
        _ = try group.apply(EditBatch([.setting("/sound", "false")], isExact: false))
        let error = try #require(throws: SaveError.self) { try group.save() }
        guard case .changedMeanwhile = error else {
            Issue.record("\(error)")
            return
        }
        #expect(try page.text() == "{}")
        #expect(try page.files() == ["Values.plist"])
    }

    @Test("that fails leaves the file and the page as they were", arguments: [true, false])
    func failures(_ isNew: Bool) throws {
        if !isNew { try page.scratch.write("Values.plist", #"{"sound":false}"#) }
        let before = try page.text()
        for step in [FileReplacement.Step.create, .write, .sync, isNew ? .rename : .exchange, .syncFolder] {
            var source = page.source()
            source.values?.fault = { current, _ in current == step ? ENOSPC : nil }
            let watcher = DocumentWatcher(document: source)
            let loaded = try watcher.load(replacing: nil)
            let group = try watcher.beginEdits()
            _ = try group.apply(EditBatch([.setting("/volume", "2")], isExact: false))
            let error = try #require(throws: SaveError.self) { try group.save() }
            guard case .noSpace = error else {
                Issue.record("\(step): \(error)")
                continue
            }
            #expect(try page.text() == before, "\(step)")
            #expect(try page.files() == (isNew ? [] : ["Values.plist"]), "\(step)")
            #expect(try watcher.load(replacing: nil).tree.document.hash == loaded.tree.document.hash)
        }
    }

    @Test("clears the remains of a killed process")
    func remains() throws {
        try page.scratch.write(".Values.plist.drilldown-edit", "half")
        _ = try page.watcher()
        #expect(try page.files() == [])
    }
}

import Bytes
import Foundation
import Levels
import PropertyLists
import Testing

@testable import TestSupport
@testable import TreeSources

/// A settings bundle with a values document beside it, in a folder of its own.
struct ControlledPage {
    let scratch: ScratchFolder
    /// The path of the values document in the folder.
    var values = "Values.plist"

    init() throws {
        scratch = try ScratchFolder()
        try scratch.folder("App.bundle")
        try page(
            "Root",
            #"{"Type":"PSToggleSwitchSpecifier","Title":"Sound","Key":"sound","DefaultValue":true}"#,
            #"{"Type":"PSSliderSpecifier","Title":"Volume","Key":"volume","DefaultValue":0.5,"MaximumValue":10}"#,
            #"{"Type":"PSRadioGroupSpecifier","Key":"order","DefaultValue":"a","Titles":["A","B"],"Values":["a","b"]}"#,
            #"{"Type":"PSGroupSpecifier"}"#, #"{"Type":"PSTitleValueSpecifier","Title":"Version"}"#,
            #"{"Type":"PSChildPaneSpecifier","Title":"More","File":"Sub"}"#)
        try page("Sub", #"{"Type":"PSTextFieldSpecifier","Title":"Name","Key":"name"}"#)
    }

    func page(_ name: String, _ specifiers: String...) throws {
        try scratch.write(
            "App.bundle/\(name).plist", #"{"PreferenceSpecifiers":[\#(specifiers.joined(separator: ","))]}"#)
    }

    func source(_ name: String = "App.bundle/Root.plist") -> PropertyListFile {
        PropertyListFile(path: scratch(name), pollInterval: .seconds(3_600), valuesPath: scratch(values))
    }

    /// A watcher that has loaded the page.
    func watcher() throws -> (DocumentWatcher, LoadedTree) {
        let watcher = DocumentWatcher(document: source())
        return (watcher, try watcher.load(replacing: nil))
    }

    /// The content of the values document, if it exists.
    func text() throws -> String? {
        guard FileManager.default.fileExists(atPath: scratch(values)) else { return nil }
        return try String(contentsOfFile: scratch(values), encoding: .utf8)
    }

    /// The entries of an XML values document, without white space, if it exists.
    func entries() throws -> String? {
        let content = try text()?.components(separatedBy: "<dict>").last?.components(separatedBy: "</dict>").first
        return content?.replacing("\n", with: "").replacing("\t", with: "")
    }

    /// The names of the files beside the bundle.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0 != "App.bundle" }.sorted()
    }

    /// The values that the controls show, including child pages, as JSON: `sound=true …`.
    static func shown(_ document: Level) throws -> String {
        var shown: [String] = []
        var open = [document]
        while let level = open.popLast() {
            for row in 0..<level.count {
                if let control = level.control(ofRow: row) {
                    shown.append("\(level.key(row))=\(try control["value"].map(json) ?? "-")")
                }
                if let child = level.child(row) { open.append(child) }
            }
        }
        return shown.joined(separator: " ")
    }

    static func json(_ value: PropertyListValue) throws -> String {
        var writer = JSONPropertyListWriter()
        try value.tell(to: &writer)
        return String(utf8: writer.output.span)
    }
}

extension Edit {
    /// A patch of an item's `Value`, as JSON.
    static func setting(_ path: String, _ json: String) throws -> Edit {
        .patch(
            try PropertyListValue(json: Array(#"{"Value":\#(json)}"#.utf8)), at: try ItemPath(Array(path.utf8).span))
    }
}

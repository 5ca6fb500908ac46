import DrilldownClient
import Foundation
import Testing

@Suite("Edits through the client")
struct EditingTests {
    private static let token = "6fe0c4a19b7d42e8"
    private let folder: URL
    private let document: URL
    private let running: RunningServer
    private let server: Server

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        document = folder.appendingPathComponent("Data.plist")
        try Data(contentsOf: URL(fileURLWithPath: RunningServer.document("Data.plist"))).write(to: document)
        running = try RunningServer(document.path, environment: ["DRILLDOWN_EDIT_TOKEN": Self.token])
        server = try Server(running.address, editToken: Self.token)
    }

    private func titles(_ path: ItemPath = .root) async throws -> [String] {
        try await server.level(at: path).rows.map(\.title)
    }

    /// The document as the file on disk has it.
    private func saved() throws -> NSDictionary {
        let bytes = try Data(contentsOf: document)
        let saved = try unsafe PropertyListSerialization.propertyList(from: bytes, format: nil)
        return try #require(saved as? NSDictionary)
    }

    @Test("put items at every place, and answer with the new ones")
    func insertions() async throws {
        let last = try await server.insert("Leaf", into: .root)
        #expect(last.path == ["Leaf"] && last.position == .init(index: 4, count: 5) && last.isLeaf)
        try await server.insert(["Title": "a/b ü", "Price": 12], into: .root, at: .first)
        try await server.insert("before", into: .root, at: .before("Item 2"))
        try await server.insert("after", into: .root, at: .after("a/b ü"))
        try await server.insert("third", into: .root, at: .index(2))
        #expect(
            try await titles() == [
                "a/b ü", "after", "third", "Item 1", "before", "Item 2", "Item 3", "Item 4", "Leaf",
            ])
        let branch = try await server.insert(
            ["Title": "Branch", "Children": ["x", ["Title": "y", "Children": ["z"]]]], into: ["Leaf"])
        #expect(branch.path == ["Leaf", "Branch"] && branch.count == 2)
        #expect(try await titles(["Leaf", "Branch", "y"]) == ["z"])
        #expect(try await server.detail(at: ["a/b ü"]).fields["Price"] == 12)
    }

    @Test("change fields, with every type exact on disk")
    func fields() async throws {
        let date = Date(timeIntervalSince1970: 984_355_200)
        let types: NSDictionary = [
            "Rows": [
                ["Title": "Types", "Date": Date(), "Data": Data([0]), "Real": 1.5, "Whole": 1, "Flag": false]
                    as NSDictionary
            ]
        ]
        try PropertyListSerialization.data(fromPropertyList: types, format: .xml, options: 0).write(to: document)
        // The watcher may have been faster, but then there is nothing left to publish.
        let reload = try await server.reload()
        #expect(try await server.reload() == ReloadResult(isChanged: false, revision: reload.revision))
        let detail = try await server.patch(
            [
                "Date": .date(date), "Data": .data(Data([1, 2])), "Real": 2, "Whole": .integer(.max), "Flag": true,
                "New": ["a": [1, "b"]],
            ], at: ["Types"])
        #expect(detail.fields["Date"]?.date == date && detail.fields["Data"]?.data == Data([1, 2]))
        #expect(detail.fields["Whole"] == .integer(.max))
        let row = try #require((saved()["Rows"] as? [NSDictionary])?.first)
        #expect(
            row == [
                "Title": "Types", "Date": date, "Data": Data([1, 2]), "Real": 2.0, "Whole": Int64.max, "Flag": true,
                "New": ["a": [1, "b"] as NSArray],
            ] as NSDictionary)
        let fewer = try await server.patch(["New": nil, "Title": "Renamed"], at: ["Types"], ifMatch: detail.version)
        #expect(fewer.path == ["Renamed"] && fewer.fields["New"] == nil)
        let replaced = try await server.put(["Title": "Renamed", "Only": "this"], at: ["Renamed"])
        #expect(replaced.fields == ["Title": "Renamed", "Only": "this"])
        #expect(try await server.put(["Title": "made"], at: ["made"]).position.index == 1)
    }

    @Test("move and remove items")
    func moves() async throws {
        let moved = try await server.move(["Item 4", "Screen G"], into: ["Item 1"], at: .first)
        #expect(moved.path == ["Item 1", "Screen G"])
        #expect(try await titles(["Item 1"]) == ["Screen G", "Screen A"])
        try await server.delete(["Item 2"])
        #expect(try await titles() == ["Item 1", "Item 3", "Item 4"])
    }

    @Test("are done together or not at all")
    func batches() async throws {
        let result = try await server.perform([
            .insert(["Title": "New"], into: .root, at: .first), .patch(["Text": "x"], at: ["New"]),
            .move(["Item 1"], into: ["New"]), .delete(["Item 2"]), .put(["Title": "Item 5"], at: ["Item 5"]),
        ])
        #expect(result.paths == [["New"], ["New"], ["New", "Item 1"], nil, ["Item 5"]])
        #expect(try await titles() == ["New", "Item 3", "Item 4", "Item 5"])
        await #expect(throws: EditConflict.self) {
            try await server.perform([.delete(["Item 3"]), .move(["New"], into: ["New", "Item 1"])])
        }
        let problem = await #expect(throws: Problem.self) {
            try await server.perform([.delete(["Item 3"]), .delete(["Item 3"])])
        }
        #expect(problem?.editIndex == 1 && problem?.kind == .noSuchItem)
        #expect(try await titles() == ["New", "Item 3", "Item 4", "Item 5"])
    }

    @Test("that are about the fields of an item succeed though its place, its neighbours and its children change")
    func fieldsVersions() async throws {
        let mine = try await server.detail(at: ["Item 4"])
        let row = try await server.level(at: .root, matching: .showing(.all)).rows.last
        #expect(row?.key == "Item 4" && row?.fieldsVersion == mine.fieldsVersion)
        #expect(try await server.level(at: .root).rows.last?.fieldsVersion == nil)
        try await server.insert("first", into: .root, at: .first)
        try await server.insert("below", into: ["Item 4"])
        await #expect(throws: EditConflict.self) {
            try await server.patch(["Text": "x"], at: ["Item 4"], ifMatch: mine.version)
        }
        let changed = try await server.patch(["Text": "x"], at: ["Item 4"], ifMatch: mine.fieldsVersion)
        #expect(changed.fieldsVersion != mine.fieldsVersion)
        try await server.perform([.move(["Item 4"], into: ["first"], ifMatch: changed.fieldsVersion)])
        let moved = try await server.detail(at: ["first", "Item 4"])
        #expect(moved.fieldsVersion == changed.fieldsVersion)
        let conflict = await #expect(throws: EditConflict.self) {
            try await server.delete(moved.path, ifMatch: mine.fieldsVersion)
        }
        #expect(conflict?.problem.currentFieldsVersion == moved.fieldsVersion)
        #expect(conflict?.isOutdated == true && conflict?.current == .detail(moved))
        try await server.delete(moved.path, ifMatch: conflict?.problem.currentFieldsVersion)
        let problem = await #expect(throws: Problem.self) { try await server.detail(at: moved.path) }
        #expect(problem?.status == 404)
    }

    @Test("that meet another version give both")
    func conflicts() async throws {
        let mine = try await server.detail(at: ["Item 4"])
        let theirs = try await server.patch(["Text": "theirs"], at: ["Item 4"])
        let edit = Edit.patch(["Text": "mine"], at: ["Item 4"], ifMatch: mine.version)
        let conflict = await #expect(throws: EditConflict.self) {
            try await server.patch(["Text": "mine"], at: ["Item 4"], ifMatch: mine.version)
        }
        #expect(conflict?.edit == edit)
        #expect(conflict?.current == .detail(theirs))
        #expect(conflict?.currentVersion == theirs.version)
        #expect(conflict?.problem.kind == .preconditionFailed && conflict?.problem.status == 412)
        #expect(conflict.map { "\($0)" } == "Someone else has changed this since it was read.")
        let insisted = try await server.patch(["Text": "mine"], at: ["Item 4"], ifMatch: conflict?.currentVersion)
        #expect(insisted.fields["Text"] == "mine")

        try await server.delete(["Item 4"])
        let gone = await #expect(throws: EditConflict.self) {
            try await server.delete(["Item 4"], ifMatch: insisted.version)
        }
        #expect(gone?.current == .missing && gone?.currentVersion == nil)
        #expect(gone.map { "\($0)" } == "Someone else has deleted this since it was read.")

        let level = await #expect(throws: EditConflict.self) {
            try await server.insert("x", into: .root, at: .before("nothing"))
        }
        #expect(level?.problem.kind == .conflict)
        let root = try await server.level(at: .root)
        #expect(level?.current == .level(root))

        let step = await #expect(throws: EditConflict.self) {
            try await server.perform([.delete(["Item 1"]), .delete(["Item 3"], ifMatch: "old")])
        }
        #expect(step?.edit == .delete(["Item 3"], ifMatch: "old"))
        let third = try await server.detail(at: ["Item 3"])
        #expect(step?.current == .detail(third))
    }

    @Test("are merged with those that others made to other fields since the item was read")
    func merges() async throws {
        let mine = try await server.patch(["Text": "a", "Note": "b"], at: ["Item 4"])
        try await server.patch(["Text": "theirs"], at: ["Item 4"])
        let merged = try await server.patch(["Price": 3], removing: ["Note"], of: mine)
        #expect(merged.fields == ["Title": "Item 4", "Text": "theirs", "Price": 3])
        for (changes, names): (Fields, [String]) in [(["Text": "mine"], []), ([:], ["Text"]), (["Price": 4], [])] {
            let conflict = await #expect(throws: EditConflict.self) {
                try await server.patch(changes, removing: names, of: mine)
            }
            #expect(conflict?.current == .detail(merged))
        }
        try await server.delete(["Item 4"])
        let gone = await #expect(throws: EditConflict.self) { try await server.patch(["Price": 4], of: merged) }
        #expect(gone?.current == .missing)
    }

    @Test("succeed if another client has made the same change")
    func sameChanges() async throws {
        let mine = try await server.patch(["Text": "a", "Note": "b"], at: ["Item 4"])
        let theirs = try await server.patch(["Text": "c", "Price": 3], removing: ["Note"], at: ["Item 4"])
        #expect(try await server.patch(["Text": "c"], removing: ["Note"], of: mine) == theirs)
        let more = try await server.patch(["Text": "c", "Size": 1], of: mine)
        #expect(more.fields == ["Title": "Item 4", "Text": "c", "Price": 3, "Size": 1])
    }

    @Test("undo a deletion with the order and the types of everything below the item")
    func undo() async throws {
        try Data(
            """
            <plist version="1.0"><dict><key>Rows</key><array><string>First</string><dict><key>Title</key>
            <string>Types</string><key>z</key><date>2001-03-12T00:00:00Z</date><key>Real</key><real>3</real>
            <key>Data</key><data>AAEC</data><key>a</key><dict><key>y</key><date>1969-07-20T20:17:40Z</date><key>b</key>
            <integer>1</integer></dict><key>Children</key><array><string>Leaf</string><dict><key>Title</key>
            <string>Branch</string><key>On</key><true/></dict></array></dict><string>Last</string></array></dict></plist>
            """.utf8
        ).write(to: document)
        try await server.reload()
        let before = try await server.document()
        for (path, next) in [(["Types"], "Last"), (["First"], "Types")] as [(ItemPath, String)] {
            let detail = try await server.detail(at: path)
            let saved = try await server.document(at: path)
            try await server.delete(path, ifMatch: detail.version)
            #expect(try await server.document() != before)
            let restored = try await server.insert(propertyList: saved, into: .root, at: .before(next))
            #expect(restored.fieldsVersion == detail.fieldsVersion && restored.position == detail.position)
            #expect(try await server.document() == before)
        }
        let conflict = await #expect(throws: EditConflict.self) {
            try await server.insert(propertyList: before, into: .root, ifMatch: "old")
        }
        #expect(conflict?.isOutdated == true)
    }

    @Test("keep the types of a property list: dates, data, and real numbers")
    func types() async throws {
        let moment = Date(timeIntervalSince1970: 984_355_200.75)
        let item: PropertyList = [
            "Title": "a & <b>", "Day": .date(moment), "Bytes": .data(Data([1, 2, 255])), "Real": 3.0, "Whole": 3,
            "Huge": PropertyList(.unsigned(.max)), "Flag": true, "List": [1, .real(.infinity), "x\r\n", .date(moment)],
            "Inner": ["z": .real(.nan), "a": PropertyList(["n": nil, "l": [1.5, false]])],
        ]
        let inserted = try await server.insert(propertyList: item, into: .root, at: .first)
        #expect(FieldValue.dictionary(inserted.fields) == item.fieldValue)
        let members = try #require((try saved()["Rows"] as? [NSDictionary])?.first)
        let day = Date(timeIntervalSince1970: 984_355_200)
        #expect(members["Day"] as? Date == day && members["Bytes"] as? Data == Data([1, 2, 255]))
        #expect((members["List"] as? [Any])?.last as? Date == day)
        let text = try String(contentsOf: document, encoding: .utf8)
        #expect(text.contains("<key>Real</key>\n") && text.contains("<real>3"))
        let put = try await server.put(
            propertyList: ["Title": "c", "Since": .date(.distantPast), "Real": -2.0], at: inserted.path,
            ifMatch: inserted.fieldsVersion)
        #expect(put.fields == ["Title": "c", "Real": .real(-2), "Since": "0001-01-01T00:00:00Z"])
        let conflict = await #expect(throws: EditConflict.self) {
            try await server.put(propertyList: ["Title": "d"], at: put.path, ifMatch: inserted.fieldsVersion)
        }
        #expect(conflict?.isOutdated == true)
    }

    @Test("are made on the version of a level that was read without a query")
    func levelVersions() async throws {
        let root = try await server.level()
        try await server.insert("a", into: .root, ifMatch: root.itemVersion)
        let conflict = await #expect(throws: EditConflict.self) {
            try await server.insert("b", into: .root, ifMatch: root.itemVersion)
        }
        #expect(conflict?.isOutdated == true)
        try await server.insert("b", into: .root, ifMatch: conflict?.currentVersion)
        #expect(try await server.level(matching: .sorted(by: "Title")).itemVersion == nil)
        #expect(try await server.wholeLevel().itemVersion == nil)
        let detail = try await server.patch(["Text": "x", "Note": "y"], at: ["Item 4"])
        let changed = try await server.patch(["Text": "z"], removing: ["Note"], at: ["Item 4"], ifMatch: detail.version)
        #expect(changed["Text"] == "z" && changed["Note"] == nil)
        var row = try #require(try await server.level().rows.first)
        #expect(try await server.setSwitch(of: row, isOn: true)["Value"] == true)
        row.control = Control(type: "ToggleSwitch")
        row.control?.trueValue = "YES"
        #expect(try await server.setSwitch(of: row, isOn: true)["Value"] == "YES")
        #expect(try await server.setSwitch(of: row, isOn: false)["Value"] == false)
    }

    @Test("are refused in a sentence without the token")
    func refusals() async throws {
        let reader = try Server(running.address)
        let problem = await #expect(throws: Problem.self) { try await reader.delete(["Item 1"]) }
        #expect(problem?.kind == .unauthorized && problem?.status == 401)
        #expect(problem?.detail == "The service needs a token for this.")
        let wrong = try Server(running.address, editToken: "0123456789abcdef")
        let forbidden = await #expect(throws: Problem.self) { try await wrong.reload() }
        #expect(forbidden?.kind == .wrongToken)
        #expect(forbidden?.detail == "The service does not accept this token here.")
        let bad = await #expect(throws: Problem.self) { try await server.insert(["Text": "x"], into: .root) }
        #expect(bad?.kind == .invalidContent && bad?.pointer == "")
        #expect(bad.map { "\($0)" } == "An item has no 'Title'; give it one, or a 'Key'.")
    }

    @Test("set the controls of a settings page")
    func controls() async throws {
        let bundle = RunningServer.document("Settings.bundle")
        let values = folder.appendingPathComponent("Values.plist").path
        let running = try RunningServer(
            bundle, ["--values", values], environment: ["DRILLDOWN_EDIT_TOKEN": Self.token])
        let server = try Server(running.address, editToken: Self.token)
        let rows = try await server.level(at: .root).rows
        let toggle = try #require(rows.first { $0.control?.type == "ToggleSwitch" })
        let value: FieldValue? = toggle.control?.value
        let before = try #require(value?.bool as Bool?)
        let changed = try await server.setValue(.boolean(!before), of: toggle.path)
        #expect(changed.control?.value == .boolean(!before))
        #expect(try await server.setValue(nil, of: toggle.path).control?.value == .boolean(before))
        let refused = await #expect(throws: Problem.self) { try await server.setValue("maybe", of: toggle.path) }
        #expect(refused?.status == 422 && refused?.allowed == [true, false])
    }
}

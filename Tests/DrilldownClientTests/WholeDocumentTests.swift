import DrilldownClient
import Foundation
import Testing

@testable import TestSupport

/// Every document in Data, read whole through the client, equals what Foundation reads from its files.
///
/// One after the other, so that not all of their servers run at once.
@Suite(.serialized) struct WholeDocumentTests {
    private static let documents = [
        "Campus.plist", "Campus/Canteen.json", "Campus/Library.plist", "Catalog.plist", "Data.plist", "Library.plist",
        "Meetings.plist", "Music.plist",
    ]

    @Test(arguments: documents) func `a document that is read whole is its file`(_ name: String) async throws {
        let file = RunningServer.documents.appendingPathComponent(name)
        let expected = try FileItem(document: file)
        let running = try RunningServer(file.path)
        #expect(try await Self.read(expected, from: running.client()) == expected)
    }

    @Test(arguments: documents.filter { $0.hasSuffix("plist") } + ["Albums.plist"])
    func `the document as one file has the same values`(_ name: String) async throws {
        let running = try RunningServer(RunningServer.document(name))
        let server = try running.client()
        let xml = try await FileValue(propertyList: server.document())
        let own = try FileValue(file: RunningServer.documents.appendingPathComponent(name))
        if name == "Campus.plist" || name == "Library.plist" {
            // Mounted levels and records are in place of their files.
            #expect(xml.members.map(\.name) == own.members.map(\.name))
            #expect(xml["Title"] == own["Title"])
        } else {
            #expect(xml == own)
        }
        // The rows do not depend on the format in which the document is read.
        var format = PropertyListSerialization.PropertyListFormat.xml
        let binary = try await server.document(as: .binary)
        let object = try unsafe PropertyListSerialization.propertyList(from: binary, format: &format) as? NSDictionary
        let text = try await server.document()
        #expect(object == (try unsafe PropertyListSerialization.propertyList(from: text, format: nil) as? NSDictionary))
        #expect(format == .binary)
    }

    @Test func `a document with values of every type, data too, is its file`() async throws {
        let folder = try ScratchFolder()
        let path = try folder.write(
            "Types.plist",
            """
            <plist version="1.0"><dict><key>Rows</key><array><dict><key>Title</key><string>Types</string>
            <key>Data</key><data>AAEC/f7/</data><key>None</key><data></data><key>Date</key><date>1969-07-20T20:17:40Z</date>
            <key>Least</key><integer>-9223372036854775808</integer><key>Most</key><integer>9223372036854775807</integer>
            <key>Real</key><real>0.1</real><key>Whole</key><real>3</real><key>No</key><false/><key>Empty</key><string/>
            <key>List</key><array><date>2001-03-12T00:00:00Z</date><data>AAE=</data><array/><dict/></array>
            <key>Inner</key><dict><key>z</key><date>2001-03-12T00:00:00Z</date><key>a</key><true/></dict>
            </dict></array></dict></plist>
            """)
        let expected = try FileItem(document: URL(fileURLWithPath: path))
        let running = try RunningServer(path)
        #expect(try await Self.read(expected, from: running.client()) == expected)
    }

    @Test func `records and mounted documents are in place in the document as one file`() async throws {
        let library = try RunningServer(RunningServer.document("Library.plist"))
        let records = try FileTable(RunningServer.documents.appendingPathComponent("Tracks.csv")).records
        #expect(records.count == 8)
        #expect(try await FileValue(propertyList: library.client().document())["Records"] == .list(records))
        let campus = try RunningServer(RunningServer.document("Campus.plist"))
        let rows = try await FileValue(propertyList: campus.client().document())["Rows"]?.elements ?? []
        let parts = try ["Campus/Library.plist", "Campus/Canteen.json"].map {
            try FileValue(file: RunningServer.documents.appendingPathComponent($0))["Rows"]
        }
        #expect(rows.prefix(2).map { $0["Rows"] } == parts)
    }

    @Test func `a level with an order of its own is read in it, and in that of the file`() async throws {
        let file = RunningServer.documents.appendingPathComponent("Albums.plist")
        var expected = try FileItem(document: file)
        let running = try RunningServer(file.path)
        let server = try running.client()
        #expect(
            try await Self.read(expected, from: server, matching: .sorted(by: []).grouped(by: .ungrouped)) == expected)
        let items = Dictionary(uniqueKeysWithValues: expected.sections[0].items.map { ($0.title, $0) })
        expected.sections = try [
            ("Folk", ["Low Tide Radio", "Paper Harbour"]), ("Brass", ["Ämter und Würden"]),
            (nil, ["A Field Recording"]),
        ].map { title, titles in
            FileItem.Section(title: title, items: try titles.map { try #require(items[$0]) })
        }
        #expect(try await Self.read(expected, from: server) == expected)
    }

    @Test(arguments: ["en", "de"])
    func `a settings bundle that is read whole is its files`(_ language: String) async throws {
        let folder = try ScratchFolder()
        let bundle = URL(fileURLWithPath: folder("Settings.bundle"))
        let original = RunningServer.documents.appendingPathComponent("Settings.bundle")
        try FileManager.default.copyItem(at: original, to: bundle)
        try PropertyListEncoder().encode(["CFBundleDevelopmentRegion": language])
            .write(to: bundle.appendingPathComponent("Info.plist"))
        // The session requests the languages of the user; a bundle of one language has only one answer.
        for folder in ["en", "de"] where folder != language {
            try FileManager.default.removeItem(at: bundle.appendingPathComponent("\(folder).lproj"))
        }
        let expected = try FileItem(settings: original, language: language)
        let running = try RunningServer(bundle.path)
        #expect(try await Self.read(expected, from: running.client()) == expected)
    }

    /// The whole tree as the client reads it, level by level; the expected types distinguish dates and data from texts.
    private static func read(
        _ expected: FileItem, from server: Server, at path: ItemPath = .root, matching query: LevelQuery = .all
    ) async throws -> FileItem {
        let level = try await server.level(at: path, matching: query.showing(.all))
        let detail = try await server.detail(at: path)
        #expect(level.title == detail.title)
        #expect(level.count == level.rows.count)
        #expect(detail.count == level.count)
        #expect(level.isLeaf == level.rows.isEmpty)
        var item = FileItem(
            title: detail.title, key: path.lastKey ?? "",
            fields: FileValue.members(detail.fields, as: expected.fields))
        if level.isLeaf { return item }
        for (number, section) in level.sections.enumerated() {
            var read = FileItem.Section(title: section.title, index: section.index, footer: section.footer, items: [])
            for (position, row) in level.rows(in: section).enumerated() {
                #expect(level[section: number, row: position] == row)
                let below = expected.item(number, position)
                let child = try await self.read(below, from: server, at: row.path)
                #expect(row.title == child.title)
                #expect(row.key == child.key)
                #expect(FileValue.members(row.fields, as: below.fields) == child.fields)
                read.items.append(child)
            }
            item.sections.append(read)
        }
        return item
    }
}

extension FileItem {
    /// The item at a position; an empty item if the file lacks it.
    fileprivate func item(_ section: Int, _ row: Int) -> FileItem {
        guard sections.indices.contains(section), sections[section].items.indices.contains(row) else {
            return FileItem(title: "", fields: [])
        }
        return sections[section].items[row]
    }
}

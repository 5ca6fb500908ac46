import DrilldownPreviews
import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

/// The service in memory beside the service itself: the same questions and edits must have the same answers.
@Suite(.timeLimit(.minutes(5)))
struct RefereeTests {
    private static let token = "6fe0c4a19b7d42e8"
    private static let environment = ["DRILLDOWN_EDIT_TOKEN": token]

    /// Returns an answer as text, without what depends on the service: versions, the form of cursors, and sentences.
    private func text(_ body: () async throws -> [UInt8]) async throws -> String {
        do {
            return String(decoding: try await body(), as: UTF8.self)
        } catch {
            guard let problem = error as? Problem ?? (error as? EditConflict)?.problem else { throw error }
            return "\(problem.kind.rawValue) \(problem.status ?? 0) \(problem.parameter ?? "")"
                + (problem.nearest?.description ?? "") + (problem.status == 422 ? "\(problem.allowed)" : "")
        }
    }

    private func level(_ server: Server, _ path: ItemPath, _ query: LevelQuery) async throws -> String {
        try await text {
            var level = try await server.level(at: path, matching: query)
            (level.version, level.next, level.error) = ("", level.next.map { _ in "" }, level.error.map { _ in "" })
            for number in level.rows.indices {
                level.rows[number].version = ""
                level.rows[number].fieldsVersion = level.rows[number].fieldsVersion.map { _ in "" }
                level.rows[number].error = level.rows[number].error.map { _ in "" }
            }
            return LevelText.bytes(of: level)
        }
    }

    private func detail(_ server: Server, _ path: ItemPath) async throws -> String {
        try await text { plain(try await server.detail(at: path)) }
    }

    private func plain(_ detail: Detail) -> [UInt8] {
        var detail = detail
        (detail.version, detail.fieldsVersion, detail.error) = ("", "", detail.error.map { _ in "" })
        return LevelText.bytes(of: detail)
    }

    private func paths(_ server: Server) async throws -> [ItemPath] {
        [.root] + (try await server.wholeLevel(matching: .outlined()).rows.map(\.path))
    }

    private func expectSame(
        _ wanted: String, _ found: String, _ question: @autoclosure () -> String,
        at location: SourceLocation = #_sourceLocation
    ) {
        guard !wanted.utf8.elementsEqual(found.utf8) else { return }
        let same = zip(wanted, found).prefix { $0 == $1 }.count
        let (rest, other) = (
            wanted.dropFirst(max(same - 80, 0)).prefix(300), found.dropFirst(max(same - 80, 0)).prefix(300)
        )
        Issue.record("\(question()): …\(other), expected …\(rest)", sourceLocation: location)
    }

    @Test(arguments: 1...4)
    func `random questions have the same answers`(_ seed: UInt64) async throws {
        var random = RandomPreview(seed: seed)
        let document = random.document()
        let folder = try ScratchFolder()
        try folder.write("Document.json", JSONText.bytes(of: document))
        let service = try RunningServer(folder("Document.json"), ["--shape", "items"])
        let (client, memory) = (try service.client(), Server(inMemory: document))
        let paths = try await paths(client)
        for path in paths {
            expectSame(try await detail(client, path), try await detail(memory, path), "\(seed): \(path)")
            expectSame(try await level(client, path, .all), try await level(memory, path, .all), "\(seed): \(path)")
        }
        for _ in 0..<50 {
            let path = random.one(in: 20) ? ["nothing", "x"] : random.one(in: 3) ? .root : random.pick(paths)
            let query = random.query(paths)
            expectSame(
                try await level(client, path, query), try await level(memory, path, query),
                "\(seed): \(path.levelLink + query.encoded)")
        }
        let query = random.pick([.sorted(by: "-Price", "Title"), .searching(for: "e"), .outlined()] as [LevelQuery])
        var pages: [[Row.ID]] = [[], []]
        for (number, server) in [client, memory].enumerated() {
            for try await row in server.rows(matching: query.limited(to: 3)) { pages[number].append(row.id) }
        }
        #expect(pages[0] == pages[1])
    }

    @Test func `every letter has the same place and the same initial`() async throws {
        let scalars = [0xA0...0x24FF as ClosedRange<UInt32>, 0xFB00...0xFB4F]
            .joined().compactMap(Unicode.Scalar.init).filter { scalar in
                // The letters of Unicode 14, because the two libraries know different later letters.
                scalar.properties.age.map { $0.major <= 14 } == true
            }
        // In a word, because some letters fold to several.
        let items = FieldValue.list(scalars.map { .text("\($0)x") })
        let folder = try ScratchFolder()
        try folder.write("Letters.json", JSONText.bytes(of: items))
        let service = try RunningServer(folder("Letters.json"), ["--shape", "items"])
        let (client, memory) = (try service.client(), Server(inMemory: items))
        for query in [.grouped(by: .initial), .where("Title", contains: "ss")] as [LevelQuery] {
            let start = query.starting(at: 0).limited(to: 10_000)
            expectSame(
                try await level(client, .root, start), try await level(memory, .root, start), "\(query.encoded)")
        }
    }

    @Test func `a settings page has the same controls, and accepts the same values`() async throws {
        let page: FieldValue = [
            "StringsTable": "Root",
            "PreferenceSpecifiers": [
                ["Type": "PSToggleSwitchSpecifier", "Title": "Sync", "Key": "sync", "DefaultValue": true],
                ["Type": "PSGroupSpecifier", "Title": "Library", "FooterText": "On this device."],
                [
                    "Type": "PSMultiValueSpecifier", "Title": "Quality", "Key": "quality", "DefaultValue": 256,
                    "Titles": ["Low", "High"], "Values": [128, 256],
                ],
                [
                    "Type": "PSSliderSpecifier", "Key": "volume", "DefaultValue": 0.5, "MinimumValue": 0,
                    "MaximumValue": 2,
                ],
                [
                    "Type": "PSToggleSwitchSpecifier", "Title": "Mode", "Key": "mode", "TrueValue": "on",
                    "FalseValue": "off",
                ],
                ["Type": "PSGroupSpecifier"],
                [
                    "Type": "PSRadioGroupSpecifier", "Title": "Order", "Key": "order", "DefaultValue": "artist",
                    "Titles": ["By artist", "By title"], "Values": ["artist", "title"],
                ],
                ["Type": "PSGroupSpecifier", "FooterText": "Account"],
                ["Type": "PSChildPaneSpecifier", "Title": "Account", "File": "Account"],
                ["Type": "PSChildPaneSpecifier", "Title": "Missing", "File": "Missing"],
                [
                    "Type": "PSTextFieldSpecifier", "Title": "PIN", "Key": "pin", "IsSecure": true,
                    "KeyboardType": "NumberPad",
                ],
                [
                    "Type": "PSTitleValueSpecifier", "Title": "Version", "Key": "version", "DefaultValue": "1.0",
                    "Tag": 5,
                ],
            ],
        ]
        let account: FieldValue = [
            "PreferenceSpecifiers": [
                ["Type": "PSTextFieldSpecifier", "Title": "Name", "Key": "name", "DefaultValue": ""]
            ]
        ]
        let folder = try ScratchFolder()
        try folder.folder("Settings.bundle")
        try folder.write("Settings.bundle/Root.plist", JSONText.bytes(of: page))
        try folder.write("Settings.bundle/Account.plist", JSONText.bytes(of: account))
        let service = try RunningServer(
            folder("Settings.bundle"), ["--values", folder("Values.plist")], environment: Self.environment)
        let servers = [
            try Server(service.address, editToken: Self.token), Server(inMemory: page, pages: ["Account": account]),
        ]
        func expectSamePages(_ comment: String) async throws {
            for path in try await paths(servers[0]) {
                expectSame(try await detail(servers[0], path), try await detail(servers[1], path), comment)
                for query in [.all, .showing(.all), .sorted(by: "Title"), .outlined()] as [LevelQuery] {
                    expectSame(
                        try await level(servers[0], path, query), try await level(servers[1], path, query), comment)
                }
            }
        }
        try await expectSamePages("at first")
        let values: [FieldValue?] = [
            true, false, "on", "off", 0.25, 2, 2.5, -1, 128, 128.0, 256.5, "title", "other", "12", "a\u{7}", [1], nil,
        ]
        for path in try await paths(servers[0]) where path != .root {
            for value in values {
                let answers = [
                    try await text { plain(try await servers[0].setValue(value, of: path)) },
                    try await text { plain(try await servers[1].setValue(value, of: path)) },
                ]
                expectSame(answers[0], answers[1], "\(path) = \(value ?? .null)")
            }
            for server in servers { _ = try await text { plain(try await server.setValue("title", of: path)) } }
        }
        try await expectSamePages("afterwards")
        let renamed = [
            try await text { plain(try await servers[0].patch(["Title": "x"], at: ["quality"])) },
            try await text { plain(try await servers[1].patch(["Title": "x"], at: ["quality"])) },
        ]
        expectSame(renamed[0], renamed[1], "another edit")
    }

    @Test func `controls outside of settings are the same`() async throws {
        let document: FieldValue = [
            "Sections": [
                [
                    "Title": "Size", "Type": "RadioGroup", "Key": "size", "Value": "M",
                    "Rows": ["S", ["Title": "Medium", "Value": "M"]],
                ],
                ["Type": "Multirow", "Key": "list", "Rows": ["one", ["Title": "two", "Value": 2]]],
                ["Type": "Checkbox", "Rows": [["Title": "Salt", "Key": "salt", "Value": true], "Pepper"]],
                [
                    "Rows": [
                        ["Title": "On", "Type": "ToggleSwitch", "Value": true],
                        ["Title": "Loud", "Type": "Slider", "Value": 3, "MinimumValue": 1, "MaximumValue": 5],
                        ["Title": "Send", "Type": "Button", "Key": "send"],
                        ["Title": "No control", "Type": "Sock"],
                    ]
                ],
            ]
        ]
        let folder = try ScratchFolder()
        try folder.write("Order.json", JSONText.bytes(of: document))
        let service = try RunningServer(folder("Order.json"), environment: Self.environment)
        let servers = [try Server(service.address, editToken: Self.token), Server(inMemory: document)]
        for path in try await paths(servers[0]) {
            expectSame(try await detail(servers[0], path), try await detail(servers[1], path), "\(path)")
            expectSame(
                try await level(servers[0], path, .all), try await level(servers[1], path, .all), "\(path)")
        }
        for (path, value) in [(["On"], false), (["On"], 1), (["Loud"], 6), (["Loud"], 4)] as [(ItemPath, FieldValue)] {
            let answers = [
                try await text { plain(try await servers[0].setValue(value, of: path)) },
                try await text { plain(try await servers[1].setValue(value, of: path)) },
            ]
            expectSame(answers[0], answers[1], "\(path) = \(value)")
        }
    }

    @Test(arguments: 1...3)
    func `random edits have the same answers and effects`(_ seed: UInt64) async throws {
        var random = RandomPreview(seed: seed)
        let document = random.document()
        let folder = try ScratchFolder()
        try folder.write("Document.json", JSONText.bytes(of: document))
        let service = try RunningServer(folder("Document.json"), ["--shape", "items"], environment: Self.environment)
        let servers = [try Server(service.address, editToken: Self.token), Server(inMemory: document)]
        var paths = try await paths(servers[0])
        for number in 0..<40 {
            let (isConditional, isOutdated) = (!random.one(in: 4), random.one(in: 8))
            let edit = random.edit(paths, version: "")
            var answers: [String] = []
            for server in servers {
                var edit = edit
                edit.ifMatch = isConditional ? isOutdated ? "old" : try await version(of: edit, on: server) : nil
                answers.append(
                    try await text {
                        if random.made % 3 == 0 { return "\(try await server.perform([edit]).paths)".utf8.map(\.self) }
                        guard case .delete(let path) = edit.action else {
                            return plain(try await server.transport.changedItem(edit))
                        }
                        try await server.delete(path, ifMatch: edit.ifMatch)
                        return []
                    })
            }
            expectSame(answers[0], answers[1], "\(seed): edit \(number), \(edit.step)")
            let query = LevelQuery.outlined().showing(.all).limited(to: 10_000)
            let levels = [try await level(servers[0], .root, query), try await level(servers[1], .root, query)]
            expectSame(levels[0], levels[1], "\(seed): after edit \(number), \(edit.step)")
            guard levels[0] == levels[1] else { return }
            if number % 4 == 3 { paths = try await self.paths(servers[0]) }
        }
    }

    /// The version that an edit can name; nil if the item does not exist.
    private func version(of edit: Edit, on server: Server) async throws -> ItemVersion? {
        do {
            if case .insert(_, let level, _, _) = edit.action { return try await server.level(at: level).itemVersion }
            return try await server.detail(at: edit.path).fieldsVersion
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }
}

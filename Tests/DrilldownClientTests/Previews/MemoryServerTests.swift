import DrilldownPreviews
import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

/// A service in memory.
@Suite(.timeLimit(.minutes(1)))
struct MemoryServerTests {
    private static let document: FieldValue = [
        ["Title": "Satie", "Born": 1866, "Children": ["Gymnopédie", "Gnossienne", "Gymnopédie"]], "Ravel",
    ]
    private let server = Server(inMemory: Self.document)

    @Test func `levels and details are those of the document`() async throws {
        let root = try await server.level()
        #expect(root.description == "Root: 2 rows\n  Satie (3 rows) {\"Born\":1866}\n  Ravel")
        let satie = try await server.level(at: ["Satie"])
        #expect(satie.rows.map(\.key) == ["Gymnopédie", "Gnossienne", "Gymnopédie~2"])
        #expect(satie.ancestors == [ItemLink(title: "Root", path: .root)])
        #expect(root.rows[0].fields == ["Born": 1866] && !satie.isLeaf && satie.rows[0].isLeaf)
        #expect(try await server.level(at: ["Ravel"]).isLeaf)
        let links = [[], ["Satie"], ["Ravel"]].map { ItemLink(title: $0.last ?? "Root", path: ItemPath($0)) }
        let pieces = satie.rows.map { ItemLink(title: $0.title, path: $0.path) }
        let details = [
            Detail(
                title: "Root", path: .root, count: 2, firstChild: links[1], lastChild: links[2]),
            Detail(
                title: "Satie", path: ["Satie"], count: 3, ancestors: [links[0]], position: .init(index: 0, count: 2),
                next: links[2], firstChild: pieces[0], lastChild: pieces[2], fields: ["Title": "Satie", "Born": 1866]),
            Detail(
                title: "Gnossienne", path: pieces[1].path, ancestors: [links[0], links[1]],
                position: .init(index: 1, count: 3), previous: pieces[0], next: pieces[2],
                fields: ["Title": "Gnossienne"]),
            Detail(
                title: "Gymnopédie", path: pieces[2].path, ancestors: [links[0], links[1]],
                position: .init(index: 2, count: 3), previous: pieces[1], fields: ["Title": "Gymnopédie"]),
        ]
        for var detail in details {
            let found = try await server.detail(at: detail.path)
            (detail.version, detail.fieldsVersion) = (found.version, found.fieldsVersion)
            #expect(found == detail)
            #expect(try await server.detail(at: detail.path) == found)
        }
        let missing = try await problem { try await server.level(at: ["Satie", "Bolero"]) }
        #expect(missing?.kind == .noSuchItem && missing?.nearest == ["Satie"])
        #expect(missing?.detail == "There is no 'Bolero' in /Satie.")
        #expect(
            try await problem { try await server.level(matching: .all.setting("order", to: "Title")) }?.detail
                == "A service in memory does not know 'order'.")
        #expect(
            try await problem { try await server.reload() }?.detail == "A service in memory has no POST /reload.")
        var request = Request("PATCH", target: "/detail/Ravel", json: nil)
        request.body = Data("{".utf8)
        let malformed = try await problem { try await server.transport.send(request) }
        #expect(malformed?.kind == .malformedContent && malformed?.status == 400)
        #expect(malformed?.detail.contains("it ends where a member's name was expected (at byte 1)") == true)
    }

    @Test func `a search has the hits of the service, in the same order`() async throws {
        let titles = ["Étude", "The étude", "Quietude", "etude no. 2", "Nocturne", "A-etude", "3etude"]
        let items: [FieldValue] = titles.enumerated().map { number, title in
            let fields: Fields = [
                "Title": .text(title), "Text": number % 2 == 0 ? "on a minor etude" : "x", "List": ["a", ["Minor"]],
            ]
            return .dictionary(number == 4 ? fields.with("Children", [.text("Etude below"), "Other"]) : fields)
        }
        let folder = try ScratchFolder()
        try folder.write("Pieces.json", JSONText.bytes(of: .list(items)))
        let (service, memory) = (try RunningServer(folder("Pieces.json")), Server(inMemory: .list(items)))
        let client = try service.client()
        for text in ["etude", "ÉTUDE", "e", "no. 2", "below", "minor", "nothing"] {
            for fields in [.title, .all, ["Text"], ["List", "Title"]] as [LevelQuery.SearchedFields] {
                for path in [.root, ["Nocturne"]] as [ItemPath] {
                    let query = LevelQuery.searching(for: text, in: fields)
                    let (wanted, found) = (
                        try await client.level(at: path, matching: query),
                        try await memory.level(at: path, matching: query)
                    )
                    #expect(found.rows.map(\.path) == wanted.rows.map(\.path), "\(text) \(fields) \(path)")
                    #expect(found.rows.map(\.trail) == wanted.rows.map(\.trail) && found.count == wanted.count)
                }
            }
        }
        let pages = memory.rows(matching: .searching(for: "etude").limited(to: 2))
        var hits: [String] = []
        for try await row in pages { hits.append(row.title) }
        #expect(hits == ["Étude", "etude no. 2", "Etude below", "The étude", "A-etude", "Quietude", "3etude"])
        var updates = memory.updates(matching: .searching(for: "below")).makeAsyncIterator()
        #expect(try await updates.next()?.level?.rows.map(\.trail) == [["Nocturne"]])
        try await memory.insert("Below too", into: .root)
        #expect(try await updates.next()?.level?.rows.map(\.title) == ["Below too", "Etude below"])
    }

    @Test func `a level is read in pages`() async throws {
        func pages(_ query: LevelQuery) async throws -> [String] {
            var pages: [String] = []
            for try await page in server.pages(at: ["Satie"], matching: query) {
                #expect(page.count == 3)
                pages.append("\(page.start) \(page.rows.map(\.key)) \(page.next ?? "")")
            }
            return pages
        }
        let (first, second) = ("Gymnopédie", "Gnossienne")
        let cursor = "2%20%2Flevels%2FSatie%2FGnossienne%20%2Flevels%2FSatie%2FGymnop%25C3%25A9die"
        #expect(
            try await pages(.limited(to: 2)) == [
                #"0 ["\#(first)", "\#(second)"] /levels/Satie?limit=2&after=\#(cursor)"#, #"2 ["\#(first)~2"] "#,
            ])
        #expect(try await pages(.limited(to: 3)) == [#"0 ["\#(first)", "\#(second)", "\#(first)~2"] "#])
        #expect(try await pages(.limited(to: 1).starting(at: 2)) == [#"2 ["\#(first)~2"] "#])
        #expect(try await pages(.starting(at: 3)) == ["3 [] "])
        for query in [.limited(to: 0), .starting(at: 4), .starting(at: -1), .all.setting("after", to: "x")]
            as [LevelQuery]
        {
            let refusal = try await problem { try await server.level(at: ["Satie"], matching: query) }
            #expect(refusal?.status == 400 && refusal?.parameter == query.parameters[0].name)
        }
        // The next page begins in the right place after the last rows of a page were removed or moved.
        var rest = server.pages(at: ["Satie"], matching: .limited(to: 2)).makeAsyncIterator()
        _ = try await rest.next()
        try await server.delete(["Satie", second])
        try await server.insert("Nocturne", into: ["Satie"], at: .first)
        #expect(try await rest.next()?.rows.map(\.key) == ["\(first)~2"])
        var counts: [Int] = []
        for try await page in Server(inMemory: .list((0...1_000).map { .text("\($0)") })).pages() {
            counts.append(page.rows.count)
        }
        #expect(counts == [1_000, 1])
    }

    @Test func `a root has fields too, and each child a key of its own`() async throws {
        let server = Server(
            inMemory: [
                "Title": "Top", "Note": 1, "Rows": ["", "", "a", "a", ["Title": "b", "Key": "a"], ["Title": 5]],
            ])
        let level = try await server.level()
        #expect(level.title == "Top" && level.rows.map(\.key) == ["~1", "~1~2", "a", "a~2", "a~3", "5"])
        #expect(try await server.detail(at: .root).fields == ["Title": "Top", "Note": 1])
        #expect(try await server.patch(["Title": "New", "Note": nil], at: .root).path == .root)
        #expect(try await server.detail(at: .root).fields == ["Title": "New"])
        let third = try await server.detail(at: ["a~3"])
        let unconditional = await #expect(throws: EditConflict.self) {
            try await server.put(["Title": "b"], at: ["a~3"])
        }
        #expect(unconditional?.needsVersion == true && unconditional?.current == .detail(third))
        let put = try await server.put(["Title": "b", "Key": "c"], at: third.path, ifMatch: third.fieldsVersion)
        #expect(put.path == ["c"])
        let version = try await server.detail(at: ["a~2"]).version
        #expect(try await server.patch(["Title": "z"], at: ["a~2"], ifMatch: version).path == ["z"])
    }

    @Test func `an item is put at a position`() async throws {
        let positions: [Edit.Position] = [.first, .last, .index(0), .index(3), .index(7), .after("1"), .before("1")]
        for (number, position) in positions.enumerated() {
            let made = try await server.insert(["Title": .text("\(number)")], into: ["Satie"], at: position)
            #expect(made.path == ["Satie", "\(number)"])
        }
        let keys = ["2", "0", "Gymnopédie", "3", "Gnossienne", "Gymnopédie~2", "6", "1", "5", "4"]
        #expect(try await server.level(at: ["Satie"]).rows.map(\.key) == keys)
        for position in [Edit.Position.index(11), .index(-1)] {
            let refusal = try await problem { try await server.insert("x", into: ["Satie"], at: position) }
            #expect(refusal?.detail == "The level has no row at '\(position.text)'." && refusal?.parameter == "at")
        }
        let conflict = await #expect(throws: EditConflict.self) {
            try await server.insert("x", into: ["Satie"], at: .after("x"))
        }
        #expect(conflict?.description == "The level has no row at 'after:x'.")
        #expect(try await server.move(["Satie", "0"], into: ["Satie"], at: .index(9)).position.index == 9)
    }

    @Test func `edits change it, with conditions`() async throws {
        let bolero = try await server.insert(["Title": "Boléro", "Key": "b", "Bars": 340], into: ["Ravel"])
        #expect(bolero.path == ["Ravel", "b"])
        try await server.insert("First", into: ["Ravel"], at: .before("b"))
        try await server.insert("Last", into: ["Ravel"], at: .after("b"))
        #expect(try await server.level(at: ["Ravel"]).rows.map(\.key) == ["First", "b", "Last"])
        let put = try await server.put(["Title": "Bolero"], at: bolero.path)
        #expect(put.fields == ["Title": "Bolero", "Key": "b"])
        let merged = try await server.patch(["Year": 1928], of: bolero)
        #expect(merged.fields == ["Title": "Bolero", "Key": "b", "Year": 1928])
        let conflict = await #expect(throws: EditConflict.self) { try await server.patch(["Year": 1], of: bolero) }
        #expect(conflict?.current == .detail(merged))
        let moved = try await server.move(merged.path, into: ["Satie"], at: .first)
        #expect(moved.path == ["Satie", "b"])
        let below = await #expect(throws: EditConflict.self) { try await server.move(["Satie"], into: moved.path) }
        #expect(below?.description == "An item cannot be moved below itself.")
        let nowhere = await #expect(throws: EditConflict.self) {
            try await server.move(moved.path, into: ["Ravel"], at: .before("x"))
        }
        #expect(nowhere?.description == "The level has no row at 'before:x'.")
        #expect(try await server.patch(["Title": "Ravel 2"], at: ["Ravel"]).path == ["Ravel 2"])
        for version in [moved.version, moved.fieldsVersion] {
            #expect(try await server.patch([:], at: moved.path, ifMatch: version) == moved)
        }
        let outdated = await #expect(throws: EditConflict.self) { try await server.delete(moved.path, ifMatch: "old") }
        #expect(outdated?.problem.currentVersion == moved.version && outdated?.current == .detail(moved))
        try await server.delete(moved.path)
        #expect(try await server.level().description.contains("Satie (3 rows)"))
        await #expect(throws: EditConflict.self) { try await server.delete(.root) }
        let level = try await server.level()
        try await server.insert("x", into: .root, ifMatch: level.itemVersion)
        await #expect(throws: EditConflict.self) {
            try await server.insert("y", into: .root, ifMatch: level.itemVersion)
        }
    }

    @Test func `a batch takes effect whole or not at all`() async throws {
        let result = try await server.perform([
            .insert(["Title": "Debussy"], into: .root, at: .first), .patch(["Title": "Maurice"], at: ["Ravel"]),
            .move(["Satie", "Gnossienne"], into: ["Debussy"]), .delete(["Debussy", "Gnossienne"]),
        ])
        #expect(result.paths == [["Debussy"], ["Maurice"], nil, nil] && result.revision == "1")
        let refusal = try await problem {
            try await server.perform([.insert("Fauré", into: .root), .delete(["Ravel"])])
        }
        #expect(refusal?.kind == .noSuchItem && refusal?.editIndex == 1)
        #expect(try await server.level().rows.map(\.title) == ["Debussy", "Satie", "Maurice"])
    }

    @Test func `images are answered by name`() async throws {
        let server = Server(
            inMemory: [["Title": "a", "Image": "folder/ä.png"]], images: ["folder/ä.png": Data([1, 2])])
        let row = try await server.level().rows[0]
        #expect(try await server.imageData(for: row) == Data([1, 2]))
        let missing = try await problem { try await server.imageData(named: "b.png") }
        #expect(missing?.kind == .noSuchFile && missing?.detail == "There is no image 'b.png' in memory.")
    }

    @Test func `errors and waiting are on demand`() async throws {
        let failure = Guarded<(any Error)?>(nil)
        let server = Server(
            inMemory: ["a"], beforeAnswering: { _ in if let error = failure.withLock({ $0 }) { throw error } })
        #expect(try await server.level().count == 1)
        for error in [
            Problem(.unauthorized, title: "No token", status: 401, detail: "x"),
            Problem(.tooBusy, title: "Busy", status: 503, detail: "Later."), URLError(.notConnectedToInternet),
        ] as [any Error] {
            failure.withLock { $0 = error }
            let found = try await problem { try await server.level() }
            let wanted: Problem.Situation = (error as? Problem)?.situation ?? .offline
            #expect(found?.situation == wanted && found?.status == (error as? Problem)?.status)
        }
    }

    @Test func `a level is read again after its item or an item above gets another title`() async throws {
        let server = Server(inMemory: [["Title": "A", "Key": "a", "Children": [["Title": "B", "Key": "b"]]]])
        let path: ItemPath = ["a", "b"]
        #expect(try await server.level(at: path).title == "B")
        try await server.patch(["Title": "C"], at: path)
        #expect(try await server.level(at: path).title == "C")
        try await server.patch(["Title": "D"], at: ["a"])
        #expect(try await server.level(at: path).ancestors.map(\.title) == ["Root", "D"])
    }

    @Test func `a page is observed`() async throws {
        var page = server.updates(matching: .limited(to: 1)).makeAsyncIterator()
        #expect(try await page.next()?.level?.rows.map(\.title) == ["Satie"])
        try await server.insert("Debussy", into: .root, at: .first)
        #expect(try await page.next()?.level?.rows.map(\.title) == ["Debussy"])
    }

    @Test func `several levels and a detail are observed`() async throws {
        var root = server.updates().makeAsyncIterator()
        #expect(try await root.next()?.level?.rows.map(\.title) == ["Satie", "Ravel"])
        try await server.insert("Debussy", into: .root)
        #expect(try await root.next()?.difference?.inserted == [2])
        var satie = server.updates(of: ["Satie"]).makeAsyncIterator()
        _ = try await satie.next()
        var detail = server.updates(ofDetail: ["Satie"]).makeAsyncIterator()
        _ = try await detail.next()
        try await server.delete(["Satie", "Gnossienne"])
        #expect(try await satie.next()?.difference?.removed == [1])
        #expect(try await detail.next()?.detail?.count == 2)
        #expect(try await root.next()?.level?.rows[0].count == 2)
    }
}

extension Fields {
    fileprivate func with(_ name: String, _ elements: [FieldValue]) -> Fields {
        var fields = self
        fields[name] = .list(elements)
        return fields
    }
}

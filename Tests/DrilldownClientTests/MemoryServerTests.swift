import Testing

@testable import DrilldownClient

/// A service in memory, and the models of screens, which are tested with it.
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
        let detail = try await server.detail(at: ["Satie", "Gymnopédie~2"])
        #expect(detail.title == "Gymnopédie" && detail.isLeaf && detail.position.index == 2)
        #expect(detail.previous == ItemLink(title: "Gnossienne", path: ["Satie", "Gnossienne"]) && detail.next == nil)
        let first = try await server.detail(at: ["Satie"])
        #expect(first.fields == ["Title": "Satie", "Born": 1866] && first.lastChild?.path == detail.path)
        var rows: [String] = []
        for try await row in server.rows(at: ["Satie"], matching: .limited(to: 2)) { rows.append(row.title) }
        #expect(rows == ["Gymnopédie", "Gnossienne", "Gymnopédie"])
        let missing = try await problem { try await server.level(at: ["Satie", "Bolero"]) }
        #expect(missing?.kind == .noSuchItem && missing?.nearest == ["Satie"])
        #expect(missing?.detail == "There is no 'Bolero' in /Satie.")
        #expect(
            try await problem { try await server.level(matching: .sorted(by: "Title")) }?.detail
                == "A service in memory does not know 'sort'.")
        #expect(
            try await problem { try await server.reload() }?.detail == "A service in memory has no POST /reload.")
    }

    @Test func `edits change it, with conditions`() async throws {
        let bolero = try await server.insert(["Title": "Boléro", "Key": "b"], into: ["Ravel"])
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
        try await server.delete(moved.path)
        #expect(try await server.level().description.contains("Satie (3 rows)"))
        await #expect(throws: EditConflict.self) { try await server.delete(.root) }
        let level = try await server.level()
        try await server.insert("x", into: .root, ifMatch: level.itemVersion)
        await #expect(throws: EditConflict.self) {
            try await server.insert("y", into: .root, ifMatch: level.itemVersion)
        }
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

    @Test @MainActor func `a model of a level shows it, and why an edit is refused`() async throws {
        let model = LevelModel(server, at: ["Satie"])
        let (updates, sender) = AsyncStream.makeStream(of: LevelUpdate.self)
        model.onUpdate = { sender.yield($0) }
        #expect(model.isLoading && !model.isCurrent)
        let following = Task { await model.follow() }
        var iterator = updates.makeAsyncIterator()
        _ = await iterator.next()
        #expect(model.level?.rows.count == 3 && model.notice == nil)
        #expect(!model.isLoading && model.isCurrent && !model.isFromCache)
        await model.edit { try await $0.delete(["Satie", "Nothing"]) }
        #expect(model.notice == "There is no 'Nothing' in /Satie." && model.problem?.kind == .noSuchItem)
        struct Own: Error {}
        await model.edit { _ in throw Own() }
        #expect(model.problem?.kind.rawValue == "error" && model.notice == "Own()")
        await model.edit { try await $0.delete(["Satie", "Gnossienne"]) }
        #expect(await iterator.next()?.difference?.removed == [1])
        #expect(model.level?.rows.count == 2 && model.problem == nil)
        await model.edit { try await $0.delete(["Satie"]) }
        _ = await iterator.next()
        await following.value
        #expect(model.notice == "There is no 'Satie' in /." && model.level?.rows.count == 2 && !model.isCurrent)
    }

    @Test @MainActor func `a model of a detail merges edits`() async throws {
        let model = DetailModel(server, at: ["Satie"])
        let following = Task { await model.follow() }
        while model.detail == nil { await Task.yield() }
        following.cancel()
        await following.value
        try await server.patch(["Died": 1925], at: ["Satie"])
        await model.patch(["Born": 1867])
        #expect(model.detail?.fields == ["Title": "Satie", "Born": 1867, "Died": 1925] && model.notice == nil)
        let theirs = try await server.patch(["Born": 1866], at: ["Satie"])
        await model.patch(["Born": 1868])
        #expect(model.problem?.kind == .preconditionFailed && model.detail == theirs)
        #expect(model.notice == "Someone else has changed this since it was read.")
        await model.patch(["Title": "Erik Satie"])
        #expect(model.path == ["Erik Satie"] && model.detail?.title == "Erik Satie")
    }
}

import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Edits that wait for the service, with a service that loses requests and answers.
@Suite(.timeLimit(.minutes(5)))
struct OutboxTests {
    private static let token = "6fe0c4a19b7d42e8"
    private let folder: ScratchFolder
    private let service: RunningServer
    private let network = Network()

    init() throws {
        folder = try ScratchFolder()
        try folder.write("Document.json", #"["a",{"Title":"b","Note":"n","Price":1},{"Title":"c","Children":["d"]}]"#)
        service = try RunningServer(folder("Document.json"), environment: ["DRILLDOWN_EDIT_TOKEN": Self.token])
    }

    /// The network between the app and the service.
    private final class Network: Sendable {
        enum State { case up, down, losesAnswers, hangs }

        let state = Guarded<[State]>([.up])
        let edits = Guarded<[String]>([])
        /// The requests that hang; nil once they are cancelled.
        private let hanging = Guarded<[CheckedContinuation<Void, Never>]?>([])

        /// Takes the state of the next request; the last state stays.
        private func next() -> State { state.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }

        func become(_ states: State...) { state.withLock { $0 = states } }

        func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
            // Only an edit can lose its answer.
            let isRead = request.httpMethod == "GET"
            let state = isRead && state.withLock({ $0[0] == .losesAnswers }) ? .up : next()
            if state == .hangs { try await hang() }
            if state == .down { throw URLError(.notConnectedToInternet) }
            if request.httpMethod != "GET" { edits.withLock { $0.append(request.httpMethod ?? "") } }
            let answer = try await URLSession.shared.data(for: request)
            if state == .losesAnswers { throw URLError(.networkConnectionLost) }
            return answer
        }

        private func hang() async throws {
            await withCheckedContinuation { continuation in
                let isOver = hanging.withLock { hanging in
                    hanging?.append(continuation)
                    return hanging == nil
                }
                if isOver { continuation.resume() }
            }
            throw CancellationError()
        }

        /// Cancels the requests that hang, so that the outbox of an app that was killed stops.
        func cancel() {
            let waiting = hanging.withLock { hanging in
                defer { hanging = nil }
                return hanging ?? []
            }
            for continuation in waiting { continuation.resume() }
        }
    }

    private func app(_ network: Network? = nil) throws -> Server {
        var configuration = try Server.Configuration(service.address)
        configuration.editToken = Self.token
        configuration.outboxFile = URL(fileURLWithPath: folder("app/outbox.json"))
        configuration.send = { [network = network ?? self.network] in try await network.send($0) }
        let server = Server(configuration)
        server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
        return server
    }

    /// Waits until the outbox has a state.
    private func wait(_ outbox: Outbox, until condition: ([Outbox.Entry]) -> Bool) async {
        for await entries in await outbox.updates() where condition(entries) { return }
    }

    private func sent(_ outbox: Outbox) async { await wait(outbox) { $0.isEmpty } }

    /// The document as titles with their fields.
    private func document() async throws -> String {
        try await Server(service.address).level(matching: .showing(.all)).description
    }

    @Test func `edits that were made offline are sent in order after the app was ended`() async throws {
        let first = try app()
        let outbox = try #require(first.outbox)
        let detail = try await first.detail(at: ["b"])
        network.become(.down)
        try await outbox.patch(["Price": 2], of: detail)
        try await outbox.patch(["Price": 3, "Title": "B"], removing: ["Note"], of: detail)
        try await outbox.add(.insert(["Title": "e", "Key": "e1"], into: .root, at: .first))
        try await outbox.add(.patch(["Price": 7], at: ["e1"]))
        try await outbox.add(.insert("f", into: ["e1"]))
        try await outbox.add(.delete(["b"], ifMatch: detail.fieldsVersion))
        await #expect(outbox.edited(detail).fields == ["Title": "B", "Price": 3])
        await wait(outbox) { _ in true }
        while await outbox.problem == nil { await Task.yield() }
        #expect(await outbox.problem?.situation == .offline)
        let waiting = await outbox.entries
        #expect(waiting.map(\.edit.path) == [["b"], ["b"], .root, ["e1"], ["e1"], ["b"]])
        // The app is ended.
        network.become(.hangs)
        let second = try #require(try app(Network()).outbox)
        await sent(second)
        let level = try await Server(service.address).level(matching: .showing(.all))
        #expect(level.rows.map(\.title) == ["e", "a", "c"])
        #expect(level.rows[0].fields == ["Title": "e", "Key": "e1", "Price": 7] && level.rows[0].count == 1)
        #expect(await second.problem == nil)
        network.cancel()
        await wait(outbox) { $0[0].conflict != nil }
    }

    @Test func `an edit whose answer is lost is not sent twice`() async throws {
        let server = try app()
        let outbox = try #require(server.outbox)
        func detail(_ path: ItemPath) async throws -> Detail { try await Server(service.address).detail(at: path) }
        let b = try await detail(["b"])
        let edits: [(String, (Outbox) async throws -> Void)] = [
            ("insert", { try await $0.add(.insert(["Title": "x"], into: .root, at: .first)) }),
            ("insert a text", { try await $0.add(.insert("y", into: ["c"])) }),
            ("patch", { try await $0.add(.patch(["Price": 5], at: ["a"])) }),
            ("merge", { try await $0.patch(["Price": 9], of: b) }),
            ("rename", { try await $0.patch(["Title": "bb"], of: detail(["b"])) }),
            (
                "property list",
                {
                    try await $0.add(
                        .insert(propertyList: ["Title": "p", "Key": "p", "Day": .date(.distantPast)], into: ["c"]))
                }
            ),
            ("put", { try await $0.add(.put(["Title": "a", "New": true], at: ["a"])) }),
        ]
        for (name, edit) in edits {
            network.edits.withLock { $0 = [] }
            network.become(.down, .losesAnswers, .losesAnswers, .up)
            try await edit(outbox)
            await sent(outbox)
            #expect(network.edits.withLock { $0.count } == 1, "\(name)")
        }
        let key = try await Server(service.address).level().rows[0].key
        #expect(key.count == 12)
        for edit in [
            Edit.move(["bb"], into: ["c"], ifMatch: try await detail(["bb"]).fieldsVersion),
            .delete(["a"], ifMatch: try await detail(["a"]).fieldsVersion),
        ] {
            network.edits.withLock { $0 = [] }
            network.become(.losesAnswers, .up)
            try await outbox.add(edit)
            await sent(outbox)
            #expect(network.edits.withLock { $0.count } == 1, "\(edit)")
        }
        #expect(
            try await document()
                == "Root: 2 rows\n  x {\"Title\":\"x\",\"Key\":\"\(key)\"}\n  c (4 rows) {\"Title\":\"c\"}")
        let rows = try await Server(service.address).level(at: ["c"], matching: .showing(.all)).rows
        #expect(
            rows.map(\.title) == ["d", "y", "p", "bb"] && rows[3].fields == ["Title": "bb", "Note": "n", "Price": 9])
    }

    @Test func `a refused edit stops the outbox until the app discards it or insists`() async throws {
        let server = try app()
        let outbox = try #require(server.outbox)
        let (a, b) = (try await server.detail(at: ["a"]), try await server.detail(at: ["b"]))
        let other = try Server(service.address, editToken: Self.token)
        network.become(.down)
        try await outbox.patch(["Price": 2], of: b)
        try await outbox.add(.delete(["a"], ifMatch: a.fieldsVersion))
        try await outbox.add(.insert("z", into: ["nowhere"]))
        try await outbox.patch(["Note": "mine"], of: b)
        let theirs = try await other.patch(["Price": 8, "More": 1], at: ["b"])
        let changed = try await other.patch(["Text": "theirs"], at: ["a"])
        network.become(.up)
        await wait(outbox) { $0.first?.conflict != nil }
        let first = try #require(await outbox.entries.first)
        #expect(first.conflict?.current == .detail(theirs) && first.conflict?.isOutdated == true)
        #expect(await outbox.entries.count == 4)
        try await outbox.resend(first.id)
        await wait(outbox) { $0.first?.conflict != nil }
        let second = try #require(await outbox.entries.first)
        #expect(second.edit.path == ["a"] && second.conflict?.current == .detail(changed))
        try await outbox.discard(second.id)
        await wait(outbox) { $0.first?.conflict != nil }
        let third = try #require(await outbox.entries.first)
        #expect(third.conflict?.current == .missing && third.conflict?.problem.kind == .noSuchItem)
        try await outbox.resend(third.id)
        await wait(outbox) { $0.first?.conflict != nil }
        try await outbox.resend(UUID())
        try await outbox.discard(third.id)
        await sent(outbox)
        let merged = try await other.detail(at: ["b"])
        #expect(merged.fields == ["Title": "b", "Note": "mine", "Price": 2, "More": 1])
        // An item that somebody else has deleted is deleted.
        network.become(.down)
        try await outbox.add(.delete(["a"], ifMatch: changed.fieldsVersion))
        try await outbox.add(.insert("w", into: .root, ifMatch: "old"))
        try await other.delete(["a"])
        network.become(.up)
        await wait(outbox) { $0.first?.conflict != nil }
        try await outbox.resend(try #require(await outbox.entries.first).id)
        await sent(outbox)
        #expect(try await other.level().rows.map(\.title) == ["b", "c", "w"])
    }

    @Test func `edits that cannot wait safely are refused, and a damaged file is kept`() async throws {
        let server = try app()
        let outbox = try #require(server.outbox)
        let problem = await #expect(throws: Problem.self) { try await outbox.add(.delete(["a"])) }
        #expect(
            problem?.detail
                == "A move or a deletion of /a in the outbox needs 'ifMatch', so that it changes no other item.")
        let unkeyed = await #expect(throws: Problem.self) {
            try await outbox.add(.insert(propertyList: ["Title": "p"], into: .root))
        }
        #expect(
            unkeyed?.detail
                == "A property list to insert into / in the outbox needs a 'Key', so that it is not inserted twice.")
        await #expect(throws: Problem.self) { try await outbox.add(.patch([:], at: ["..", "a"])) }
        await #expect(throws: Problem.self) { try await outbox.patch([:], of: Detail(title: "", path: ["."])) }
        #expect(await outbox.entries.isEmpty)
        #expect(try Server(service.address).outbox == nil)
        try FileManager.default.createDirectory(atPath: folder("app"), withIntermediateDirectories: true)
        for text in ["", "{}", #"{"format":"drilldown outbox 1","edits":[{"id":"x"}]}"#] {
            try folder.write("app/outbox.json", text)
            let damaged = try #require(try app().outbox)
            #expect(await damaged.entries.isEmpty)
            #expect(
                await damaged.problem?.detail
                    == "The outbox '\(folder("app/outbox.json"))' cannot be read; it is now 'outbox.json.damaged'.")
            #expect(
                try String(contentsOf: URL(fileURLWithPath: folder("app/outbox.json.damaged")), encoding: .utf8) == text
            )
            try folder.remove("app/outbox.json.damaged")
        }
        try folder.write("file", "x")
        var configuration = server.configuration
        configuration.outboxFile = URL(fileURLWithPath: folder("file/outbox"))
        let full = try #require(Server(configuration).outbox)
        let unwritable = await #expect(throws: Problem.self) { try await full.add(.insert("x", into: .root)) }
        #expect(unwritable?.kind == .unwritableOutbox)
        #expect(await full.entries.isEmpty)
        // An edit that cannot be taken from the disk waits on.
        network.become(.down)
        let kept = try #require(try app().outbox)
        try await kept.add(.patch(["Price": 4], at: ["a"]))
        // From then on, the outbox saves nothing by itself.
        while await kept.problem == nil { await Task.yield() }
        let waiting = try #require(await kept.entries.first)
        try FileManager.default.moveItem(atPath: folder("app"), toPath: folder("moved"))
        try folder.write("app", "a file")
        let unchanged = await #expect(throws: Problem.self) { try await kept.discard(waiting.id) }
        #expect(unchanged?.kind == .unwritableOutbox)
        #expect(await kept.entries.map(\.id) == [waiting.id])
        try FileManager.default.removeItem(atPath: folder("app"))
        try await kept.discard(waiting.id)
        #expect(await kept.entries.isEmpty)
    }

    @Test(arguments: [1, 2, 3])
    func `nothing is lost and nothing is twice if the app and the service are killed at any time`(_ seed: UInt64)
        async throws
    {
        var random = Seeded(state: seed)
        let address = try #require(URL(string: service.address))
        var service = service
        var configuration = try app().configuration
        var wanted: [String: Fields] = [:]
        var killed: [(outbox: Outbox, network: Network)] = []
        for round in 0..<4 {
            // The next app has only the file at the time of the kill.
            let file = URL(fileURLWithPath: folder("app/\(round).json"))
            if let last = configuration.outboxFile, FileManager.default.fileExists(atPath: last.path) {
                try FileManager.default.copyItem(at: last, to: file)
            }
            configuration.outboxFile = file
            let network = Network()
            network.become(.down)
            configuration.send = { [network] in try await network.send($0) }
            let server = Server(configuration)
            server.observations.backoff.withLock { $0.sleep = { _ in await Task.yield() } }
            let outbox = try #require(server.outbox)
            for number in 0..<4 {
                let key = "i\(round)-\(number)"
                let level: ItemPath = Bool.random(using: &random) ? .root : ["c"]
                try await outbox.add(.insert(["Title": .text(key), "Key": .text(key)], into: level, at: .first))
                let value = FieldValue.integer(Int64.random(in: 0...99, using: &random))
                try await outbox.add(.patch(["Value": value], at: level / key))
                wanted[key] = ["Title": .text(key), "Key": .text(key), "Value": value]
                if number == 0 {
                    try await outbox.add(.delete(level / key))
                    wanted[key] = nil
                }
            }
            network.state.withLock { states in
                states =
                    (0..<8).map { _ in [.up, .up, .down, .losesAnswers].randomElement(using: &random) ?? .up } + [.up]
            }
            let left = Int.random(in: 0...9, using: &random)
            await wait(outbox) { $0.count <= left || $0[0].conflict != nil }
            #expect(await outbox.entries.compactMap(\.conflict) == [])
            network.become(.hangs)
            killed.append((outbox, network))
            guard round % 2 == 1 else { continue }
            kill(service.process.processIdentifier, SIGKILL)
            service.process.waitUntilExit()
            service = try RunningServer(
                folder("Document.json"), port: try #require(address.port),
                environment: ["DRILLDOWN_EDIT_TOKEN": Self.token])
        }
        configuration.send = nil
        let last = try #require(Server(configuration).outbox)
        await wait(last) { $0.isEmpty || $0[0].conflict != nil }
        #expect(await last.entries == [])
        for (outbox, network) in killed {
            network.cancel()
            await wait(outbox) { $0.isEmpty || $0[0].conflict != nil }
        }
        let reader = try Server(service.address)
        let rows =
            try await reader.level(matching: .showing(.all)).rows
            + reader.level(at: ["c"], matching: .showing(.all)).rows
        let found = rows.filter { $0.key.hasPrefix("i") }
        #expect(found.count == wanted.count)
        #expect(Dictionary(found.map { ($0.key, $0.fields) }) { first, _ in first } == wanted)
    }

    @Test func `an edit counts as queued once its file and the folder are on the disk`() async throws {
        let url = URL(fileURLWithPath: folder("app/outbox.json"))
        let (steps, failing) = (Guarded<[OutboxFile.Step]>([]), Guarded<Int?>(nil))
        let file = OutboxFile(url: url) { step in
            let number = steps.withLock { steps in
                steps.append(step)
                return steps.count - 1
            }
            if number == failing.withLock({ $0 }) { throw CocoaError(.fileWriteOutOfSpace) }
            try step.perform()
        }
        network.become(.hangs)
        let server = try app()
        let outbox = Outbox(file, transport: server.transport, backoff: server.observations.backoff)
        try await outbox.add(.patch(["Price": 1], at: ["a"]))
        let (new, folder) = (url.appendingPathExtension("new"), url.deletingLastPathComponent())
        let saved = try Data(contentsOf: url)
        let save = [OutboxFile.Step.write(saved, to: new), .sync(new), .replace(url, by: new), .sync(folder)]
        #expect(steps.withLock { Array($0.prefix(4)) } == save)
        // The edit is marked as sent, in the same way, before it is sent.
        while steps.withLock({ $0.count < 8 }) { await Task.yield() }
        let marked = try Data(contentsOf: url)
        #expect(steps.withLock { $0[4] } == .write(marked, to: new) && marked != saved)
        #expect(network.edits.withLock { $0 } == [])
        for number in save.indices {
            steps.withLock { $0 = [] }
            failing.withLock { $0 = number }
            let problem = await #expect(throws: Problem.self) { try await outbox.add(.patch(["Price": 2], at: ["a"])) }
            #expect(problem?.kind == .unwritableOutbox && steps.withLock { $0.count } == number + 5)
            // Whichever step fails, the edit is not queued, and it is not in the file.
            #expect(await outbox.entries.map(\.edit.changes) == [["Price": 1]])
            #expect(try Data(contentsOf: url) == marked)
        }
        network.cancel()
    }

    @Test func `every edit is the same after it was written and read`() throws {
        var list = Edit.insert(["Title": "a"], into: ["x/y"], at: .before("b"), section: 1, ifMatch: "v")
        list.propertyList = Data([1, 2, 255])
        let edits: [Edit] = [
            list, .insert("t", into: .root, at: .index(3)),
            .put(["Title": "a", "r": .real(2)], at: ["a"], ifMatch: "w"),
            .patch(["b": nil], at: ["a"]), .move(["a"], into: ["b"], at: .after("c:d"), section: 3),
            .delete(["ü"], ifMatch: "w"),
        ]
        let file = OutboxFile(url: URL(fileURLWithPath: folder("file.json")))
        let entries = edits.map { Outbox.Entry(edit: $0, base: ["x": 1], isSent: $0.ifMatch == nil) }
        try file.save(entries)
        #expect(try file.entries() == entries)
        #expect(Edit(step: ["insert": "x"]) == nil && Edit(step: ["put": "x", "of": "/detail/a"]) == nil)
        let moved = (edits + [.delete(["a", "b"])]).map { $0.following(["a"], to: ["z", "y"]) }
        #expect(moved.map(\.path) == [["x/y"], .root, ["z", "y"], ["z", "y"], ["z", "y"], ["ü"], ["z", "y", "b"]])
        #expect(Edit.move(["b"], into: ["a"]).following(["a"], to: ["c"]) == .move(["b"], into: ["c"]))
    }
}

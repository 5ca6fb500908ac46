import Dispatch
import Locking
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import LevelsTests

/// Long polls that come while something is published, on many threads.
@Suite("Many who wait") struct ConcurrentWaitTests {
    private static let revisions = 300

    private static func snapshot(_ number: Int) throws -> Snapshot {
        Desk.snapshot(try Document.tree("[\"\(number)\", \"b\"]"), revision: "k3-\(number)")
    }

    /// One who waits, and the tag or revision that it has.
    private struct Held {
        let waiter: Waiter
        let known: String
    }

    /// Asks from many threads while one publishes; gives those who waited.
    private func held(by api: LevelsAPI, _ ask: @escaping @Sendable (Desk) -> Held?) throws -> [Held] {
        let snapshots = try (1...Self.revisions).map { try Self.snapshot($0) }
        let held = Guarded<[Held]>([])
        let isOver = Guarded(false)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            if thread == 0 {
                for snapshot in snapshots { api.publish(snapshot) }
                isOver.withLock { $0 = true }
            } else {
                // The last of them waits once all is over, so that there is always one.
                repeat {
                    if let one = ask(Desk(api: api)) { held.withLock { $0.append(one) } }
                } while !isOver.withLock { $0 }
            }
        }
        return held.withLock { $0 }
    }

    private func api() throws -> LevelsAPI {
        LevelsAPI(try Self.snapshot(0)) { Readiness(source: "") }
    }

    @Test("for a level are all answered but those who have what is served")
    func levels() throws {
        let api = try api()
        let held = try held(by: api) { desk in
            let tag = desk.get("/levels/").entityTag
            let request = Request(target: "/levels/", fields: [("If-None-Match", tag), ("Prefer", "wait=300")])
            return desk.api.respond(to: request).waiter.map { Held(waiter: $0, known: tag) }
        }
        let tag = Desk(api: api).get("/levels/").entityTag
        for one in held where one.waiter.end == nil { #expect(one.known == tag) }
        for one in held where one.waiter.end != nil {
            #expect(one.waiter.response?.header("ETag") != one.known)
        }
        #expect(!held.isEmpty)
    }

    @Test("for changes are all told but those who have heard of all")
    func changes() throws {
        let api = try api()
        let held = try held(by: api) { desk in
            let text = desk.get("/readyz").text
            guard let revision = text.firstMatch(of: /k3-[0-9]+/).map({ String($0.output) }) else { return nil }
            let request = Request(target: "/changes?wait=300&since=\(revision)")
            return desk.api.respond(to: request).waiter.map { Held(waiter: $0, known: revision) }
        }
        for one in held where one.waiter.end == nil { #expect(one.known == "k3-\(Self.revisions)") }
        for one in held {
            let isEmpty = one.waiter.response.map { Answer($0).text.contains("\"changes\":[]") } ?? false
            #expect(!isEmpty)
        }
        #expect(!held.isEmpty)
    }
}

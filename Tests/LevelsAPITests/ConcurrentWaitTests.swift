import Levels
import Locking
import TestSupport
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// Long polls that come while something is published, on other threads: the next publication would wake a
/// forgotten poll, so each round has only one.
@Suite("Many long polls during a publication") struct ConcurrentWaitTests {
    private let snapshots: [Snapshot]

    init() throws {
        snapshots = try (1...2).map { number in
            Desk.snapshot(try Document.tree("[\"\(number)\", \"b\"]"), revision: "k3-\(number)")
        }
    }

    @Test("are all answered, whether they came before or after", arguments: ["/levels/", "/changes?since=k3-1"])
    func answered(_ target: String) throws {
        let fields = [("If-None-Match", Desk(snapshots[0]).get("/levels/").entityTag), ("Prefer", "wait=300")]
        for round in 0..<300 {
            let api = Desk(snapshots[0]).api
            let waiters = Guarded<[Waiter]>([])
            try concurrently(4) { thread in
                if thread == 0 { return api.publish(snapshots[1]) }
                for _ in 0..<8 {
                    let answer = api.respond(to: Request(target: target, fields: fields))
                    if let waiter = answer.waiter { waiters.withLock { $0.append(waiter) } }
                }
            }
            try #require(waiters.withLock { $0.allSatisfy { $0.hasEnded } }, "in round \(round)")
        }
    }

    @Test("and who ask without waiting have the entry of the publication that they have seen")
    func seen() throws {
        for round in 0..<300 {
            let api = Desk(snapshots[0]).api
            let answers = Guarded<[(number: Int, answer: HTTPServer.Answer)]>([])
            try concurrently(4) { thread in
                if thread == 0 { return api.publish(snapshots[1]) }
                for _ in 0..<8 {
                    let number = api.publications.current.number
                    let answer = api.respond(to: Request(target: "/changes?since=k3-1"))
                    answers.withLock { $0.append((number, answer)) }
                }
            }
            for (number, answer) in answers.withLock({ $0 }) {
                let response = try #require(answer.response, "in round \(round)")
                try #require(number == 0 || Answer(response).line.contains("k3-2\",\"at\""), "in round \(round)")
            }
        }
    }
}

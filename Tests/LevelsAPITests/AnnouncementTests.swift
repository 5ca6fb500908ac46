import Levels
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// A snapshot that is served before the subscribers were notified of it.
@Suite("A revision that is published and not notified of") struct AnnouncementTests {
    private let snapshots: [Snapshot]
    private let api: LevelsAPI

    init() throws {
        snapshots = try (1...3).map { number in
            Desk.snapshot(try Document.tree("[\"\(number)\"]"), revision: "k3-\(number)")
        }
        api = Desk(snapshots[0]).api
        api.publications.publish(snapshots[1])
    }

    private func ask(_ target: String, _ fields: [(name: String, value: String)] = []) -> HTTPServer.Answer {
        api.respond(to: Request(target: target, fields: fields))
    }

    private func told(_ response: Response?) throws -> String {
        let text = Answer(try #require(response)).line
        return text.replacing(/"at".*?\]}/, with: "…}")
    }

    @Test("has nothing after it", arguments: ["/changes?since=k3-2", "/changes"])
    func nothing(target: String) throws {
        let waiter = try #require(ask(target).waiter)
        #expect(!waiter.hasEnded)
        api.publications.notify()
        let nothing = #"{"revision":"k3-2","since":"k3-2","reset":false,"changes":[]}"#
        #expect(try told(waiter.response) == nothing)
        #expect(try told(ask(target).response) == nothing)
    }

    @Test("is never left out: a request waits for its entry, and only for that")
    func entry() throws {
        let waiters = try ["/changes?since=k3-1", "/changes?since=k3-1&wait=30"].map { try #require(ask($0).waiter) }
        #expect(waiters.map(\.hasEnded) == [false, false])
        api.publications.notify()
        let entry = #"{"revision":"k3-2","since":"k3-1","reset":false,"changes":[{"revision":"k3-2",…}]}"#
        for waiter in waiters { #expect(try told(waiter.response) == entry) }
    }

    @Test("has its entry awaited also where nobody may wait for changes")
    func noRoom() throws {
        let api = Desk(snapshots[0]) { $0.waiters = 0 }.api
        api.publications.publish(snapshots[1])
        let targets = Array(repeating: "/changes?since=k3-1", count: 3)
        let waiters = try targets.map { try #require(api.respond(to: Request(target: $0)).waiter) }
        api.publications.notify()
        let entry = #"{"revision":"k3-2","since":"k3-1","reset":false,"changes":[{"revision":"k3-2",…}]}"#
        for waiter in waiters { #expect(try told(waiter.response) == entry) }
    }

    @Test("is left out only if its entry does not come for as long as anyone waits")
    func late() throws {
        let waiter = try #require(ask("/changes?since=k3-1").waiter)
        #expect(waiter.expire())
        #expect(try told(waiter.response) == #"{"revision":"k3-1","since":"k3-1","reset":false,"changes":[]}"#)
    }

    @Test("does not make a client wait for its entry whose revision is unknown, once it is there")
    func unknown() throws {
        let waiter = try #require(ask("/changes?since=k3-9").waiter)
        api.publications.notify()
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 410)
        #expect(answer == Answer(try #require(ask("/changes?since=k3-9").response)))
    }

    @Test("is waited from until the change after it")
    func poll() throws {
        let waiter = try #require(ask("/changes?since=k3-2&wait=30").waiter)
        api.publications.notify()
        #expect(!waiter.hasEnded)
        api.publish(snapshots[2])
        #expect(
            try told(waiter.response)
                == #"{"revision":"k3-3","since":"k3-2","reset":false,"changes":[{"revision":"k3-3",…}]}"#)
    }

    @Test("is the revision that a stream continues from")
    func stream() throws {
        let fields = [("Accept", "text/event-stream")]
        let stream = try #require(ask("/changes?since=k3-2", fields).response?.payload.stream)
        api.publications.notify()
        #expect(read(stream) == "retry: 2000\n\n")
        #expect(read(stream) == "")
        api.publish(snapshots[2])
        #expect(read(stream).hasPrefix("event: change\nid: k3-3\n"))
    }

    @Test("is followed by each of several publications that are notified of at once, each as an entry of its own")
    func several() throws {
        api.publications.publish(snapshots[2])
        let waiter = try #require(ask("/changes?since=k3-1").waiter)
        api.publications.notify()
        let entries = #"{"revision":"k3-2",…},{"revision":"k3-3",…}"#
        let answer = #"{"revision":"k3-3","since":"k3-1","reset":false,"changes":[\#(entries)]}"#
        #expect(try told(waiter.response) == answer)
        #expect(try told(ask("/changes?since=k3-1").response) == answer)
    }

    @Test("wakes no client that was answered from a newer one")
    func newer() throws {
        func wait() throws -> Waiter {
            let tag = Answer(try #require(ask("/levels/").response)).entityTag
            return try #require(ask("/levels/", [("If-None-Match", tag), ("Prefer", "wait=30")]).waiter)
        }
        api.publications.notify()
        let older = try wait()
        api.publications.publish(snapshots[2])
        // A state that none of them has, and then that of the newer ones again.
        api.publications.publish(snapshots[0])
        api.publications.publish(snapshots[2])
        let newer = try wait()
        api.publications.notify()
        #expect(!newer.hasEnded)
        #expect(try #require(older.response).status == 200)
    }

    @Test("gives waiting clients the newest state, and no state that was replaced before")
    func newest() throws {
        api.publications.notify()
        let tag = Answer(try #require(ask("/levels/").response)).entityTag
        let waiter = try #require(ask("/levels/", [("If-None-Match", tag), ("Prefer", "wait=30")]).waiter)
        api.publications.publish(snapshots[2])
        api.publications.publish(snapshots[0])
        let newest = Answer(try #require(ask("/levels/").response)).entityTag
        api.publications.notify()
        #expect(Answer(try #require(waiter.response)).entityTag == newest)
    }

    private func read(_ stream: StreamReader) -> String {
        var piece = [UInt8](repeating: 0, count: 1_000)
        let count = unsafe piece.withUnsafeMutableBytes { unsafe stream.read(into: $0) }
        return String(decoding: piece[..<max(count, 0)], as: UTF8.self)
    }

    @Test("comes with a memory of the replaced tree")
    func replaced() throws {
        let path = try ItemPath("/".utf8.span)
        let current = try snapshots[1].source(at: path, arrangements: api.selection.arrangements).item(at: path)
        let levels = History(publications: api.publications, arrangements: ArrangementCache(bytes: 0)).items(
            at: path, in: nil, before: current
        )
        .map(\.item.level)
        #expect(levels.count == 1 && levels[0] === snapshots[0].document.child(0))
    }
}

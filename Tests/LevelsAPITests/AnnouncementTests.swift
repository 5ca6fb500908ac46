import Levels
import Testing

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// What is told of a snapshot that is served while it is not known yet what it changed.
@Suite("A revision that is announced") struct AnnouncementTests {
    private let snapshots: [Snapshot]
    private let history: History
    private let followers: ChangeFollowers

    init() throws {
        snapshots = try (1...3).map { number in
            Desk.snapshot(try Document.tree("[\"\(number)\"]"), revision: "k3-\(number)")
        }
        history = History(snapshots[0], budget: 1 << 20)
        let selection = Selection(history: history, configuration: .init())
        followers = ChangeFollowers(history, selection, room: WaitingRoom(capacity: 10))
        history.announce(snapshots[1], replacing: snapshots[0])
    }

    private func note(_ number: Int) {
        history.append(snapshots[number], replacing: snapshots[number - 1])
        followers.wake()
    }

    private func ask(_ target: String) throws -> HTTPServer.Answer {
        let request = Request(target: target)
        guard let match = Endpoint.match(request.target) else { fatalError("no route: \(target)") }
        return try followers.answer(
            request, try Query(request.target.extracting(match.query), .changes), Negotiation(request, .none))
    }

    private func told(_ response: Response?) throws -> String {
        let text = Answer(try #require(response)).line
        return text.replacing(/"at".*?\]}/, with: "…}")
    }

    @Test("has nothing after it")
    func nothing() throws {
        #expect(
            try told(ask("/changes?since=k3-2").response)
                == #"{"revision":"k3-2","since":"k3-2","reset":false,"changes":[]}"#)
    }

    @Test("is waited from until the change after it")
    func poll() throws {
        let waiter = try #require(try ask("/changes?since=k3-2&wait=30").waiter)
        note(1)
        #expect(waiter.end == nil)
        history.announce(snapshots[2], replacing: snapshots[1])
        note(2)
        #expect(
            try told(waiter.response)
                == #"{"revision":"k3-3","since":"k3-2","reset":false,"changes":[{"revision":"k3-3",…}]}"#)
    }

    @Test("is what a stream goes on from")
    func stream() throws {
        let stream = ChangeStream(history, since: "k3-2")
        note(1)
        #expect(read(stream) == "retry: 2000\n\n")
        #expect(read(stream) == "")
        history.announce(snapshots[2], replacing: snapshots[1])
        note(2)
        #expect(read(stream).hasPrefix("event: change\nid: k3-3\n"))
    }

    private func read(_ stream: ChangeStream) -> String {
        var piece = [UInt8](repeating: 0, count: 1_000)
        let read = unsafe piece.withUnsafeMutableBytes { unsafe stream.read(into: $0) }
        guard case .bytes(let count) = read else { return "" }
        return String(decoding: piece[..<count], as: UTF8.self)
    }

    @Test("comes with a memory of what it replaces")
    func replaced() throws {
        let path = try ItemPath("/".utf8.span)
        let current = try Item(at: path, in: snapshots[1])
        let levels = history.items(at: path, before: current).map(\.level)
        #expect(levels.count == 1 && levels[0] === snapshots[0].document.child(0))
    }
}

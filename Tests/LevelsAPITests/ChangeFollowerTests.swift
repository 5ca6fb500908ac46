import Levels
import Testing

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// Long polls and streams of `/changes` (manual, Refresh), without a socket.
@Suite("Followers of the changes") struct ChangeFollowerTests {
    private func snapshot(_ number: Int) throws -> Snapshot {
        Desk.snapshot(try Document.tree("[\"\(number)\", \"b\"]"), revision: "k3-\(number)")
    }

    private func entry(_ number: Int) -> String {
        """
        {"revision":"k3-\(number)","at":"2023-11-14T22:13:20Z","by":"reload",\
        "levels":["/levels/","/levels/\(number)","/levels/\(number - 1)"],\
        "details":["/detail/","/detail/\(number)","/detail/\(number - 1)"]}
        """
    }

    @Test("by a long poll get the next change")
    func poll() throws {
        let desk = Desk(try snapshot(1))
        let request = Request(target: "/changes?since=k3-1", fields: [("Prefer", "wait=30")])
        let waiter = try #require(desk.api.respond(to: request).waiter)
        desk.api.publish(try snapshot(2))
        let answer = Answer(try #require(waiter.response))
        #expect(answer.line == #"{"revision":"k3-2","since":"k3-1","reset":false,"changes":[\#(entry(2))]}"#)
        #expect(answer.headers == Answer.unstoredHeaders + ["Vary: Accept", "Preference-Applied: wait=30"])
    }

    @Test("by a long poll hears that there was nothing when the time is over")
    func time() throws {
        let desk = Desk(try snapshot(1))
        let waiter = try #require(desk.api.respond(to: Request(target: "/changes?wait=30", fields: [])).waiter)
        waiter.expire()
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 200)
        #expect(answer.line == #"{"revision":"k3-1","since":"k3-1","reset":false,"changes":[]}"#)
    }

    @Test("by a long poll are answered at once if there are changes")
    func atOnce() throws {
        let desk = Desk(try snapshot(1))
        desk.api.publish(try snapshot(2))
        #expect(
            desk.get("/changes?since=k3-1&wait=30").line
                == #"{"revision":"k3-2","since":"k3-1","reset":false,"changes":[\#(entry(2))]}"#)
    }

    @Test("by equal long polls share their answer")
    func shared() throws {
        let desk = Desk(try snapshot(1))
        let waiters = try ["wait=30", "wait=30", "wait=20"].map { wait in
            let request = Request(target: "/changes?since=k3-1", fields: [("Prefer", wait)])
            return try #require(desk.api.respond(to: request).waiter)
        }
        desk.api.publish(try snapshot(2))
        let responses = try waiters.map { try #require($0.response) }
        #expect(responses[0] === responses[1])
        #expect(responses[2].header("Preference-Applied") == "wait=20")
    }

    @Test("by a long poll whose revision is forgotten meanwhile get 410")
    func forgotten() throws {
        let desk = Desk(try snapshot(1), historyBytes: 0)
        let target = "/changes?wait=30&since=k3%2D1"
        let waiter = try #require(desk.api.respond(to: Request(target: target)).waiter)
        desk.api.publish(try snapshot(2))
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 410)
        #expect(answer == desk.get(target))
    }

    // MARK: Streams

    /// A stream that is read as far as it goes.
    private final class Reader {
        let response: Response

        init(_ desk: Desk, _ target: String = "/changes", last: String? = nil) {
            let fields = [("Accept", "text/event-stream")] + (last.map { [("Last-Event-ID", $0)] } ?? [])
            response = desk.api.response(to: Request(target: target, fields: fields))
        }

        func read() -> String {
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 100)
            while let count = unsafe piece.withUnsafeMutableBytes({ unsafe response.payload.stream?.read(into: $0) }),
                count > 0
            {
                text += piece[..<count]
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private func event(_ number: Int) -> String { "event: change\nid: k3-\(number)\ndata: \(entry(number))\n\n" }

    @Test("by a stream learns where it begins, and then every change once")
    func stream() throws {
        let desk = Desk(try snapshot(1))
        let reader = Reader(desk)
        #expect(
            reader.response.headers.map { "\($0.name): \($0.value)" } == [
                "Content-Type: text/event-stream", "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
                "Vary: Accept", "X-Accel-Buffering: no",
            ])
        #expect(reader.read() == "retry: 2000\nid: k3-1\n\n")
        #expect(reader.read() == "")
        desk.api.publish(try snapshot(2))
        #expect(reader.read() == event(2))
        desk.api.publish(try snapshot(3))
        desk.api.publish(try snapshot(4))
        #expect(reader.read() == event(3) + event(4))
    }

    @Test("by a stream go on after the last event that they name, whatever the link says")
    func lastEvent() throws {
        let desk = Desk(try snapshot(1))
        for number in 2...4 { desk.api.publish(try snapshot(number)) }
        for (since, last, events) in [
            ("?since=k3-1", "k3-3", event(4)), ("?since=k3-3", "k3-1", event(2) + event(3) + event(4)),
            ("?since=k3-2", nil, event(3) + event(4)), ("?since=b7-1", "k3-3", event(4)), ("", "k3-4", ""),
        ] as [(String, String?, String)] {
            let reader = Reader(desk, "/changes" + since, last: last)
            #expect(reader.read().trimmingPrefix("retry: 2000\n\n") == events, "\(since) \(last ?? "")")
        }
    }

    @Test("by a stream from an unknown event get a reset")
    func unknown() throws {
        let desk = Desk(try snapshot(1))
        desk.api.publish(try snapshot(2))
        let reader = Reader(desk, last: "b7-9")
        #expect(
            reader.read() == "retry: 2000\n\nevent: reset\nid: k3-2\ndata: {\"revision\":\"k3-2\",\"reset\":true}\n\n")
        desk.api.publish(try snapshot(3))
        #expect(reader.read() == event(3))
    }

    @Test("by a stream that is too slow for the history get a reset")
    func slow() throws {
        let desk = Desk(try snapshot(1), historyBytes: 2_000)
        let reader = Reader(desk)
        for number in 2...20 { desk.api.publish(try snapshot(number)) }
        #expect(
            reader.read()
                == "retry: 2000\nid: k3-1\n\nevent: reset\nid: k3-20\ndata: {\"revision\":\"k3-20\",\"reset\":true}\n\n"
        )
    }

    @Test(
        "by a stream is asked for by its type alone",
        arguments: ["*/*", "text/*", "text/event-stream;q=0", "application/json"])
    func types(_ accept: String) throws {
        #expect(
            Desk(try snapshot(1)).get("/changes", [("Accept", accept)]).header("Content-Type") == "application/json")
    }
}

import HTTPServer
import Locking
import Testing
import Threads

/// Events that a test sends; hands out what there is, and then says that there is nothing now.
final class Events: EventSource {
    private let pending = Guarded(Pending())
    let ends = Ends<String>()
    private let opened = Gate()
    private let stream = Guarded<EventStream?>(nil)

    private struct Pending {
        var bytes: [UInt8] = []
        var last: EventPiece?
    }

    /// The response with this stream as its body.
    func response(in room: WaitingRoom, heartbeat: Duration = .seconds(15)) -> Response {
        guard let admitted = room.admit(self, heartbeat: heartbeat, onEnd: { [ends] _ in ends.append("ended") }) else {
            return Echo.text("full", status: 503)
        }
        stream.withLock { $0 = admitted }
        opened.open()
        return Response(status: 200, headers: [("Content-Type", "text/event-stream")], events: admitted)
    }

    /// Waits until it has been asked for.
    func open() throws { try opened.pass() }

    func send(_ text: String) {
        pending.withLock { $0.bytes += Array(text.utf8) }
        stream.withLock { $0 }?.wake()
    }

    /// Ends with this when all has been sent.
    func finish(_ last: EventPiece) {
        pending.withLock { $0.last = last }
        stream.withLock { $0 }?.wake()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> EventPiece {
        let piece = pending.withLock { pending in
            defer { pending.bytes.removeFirst(min(buffer.count, pending.bytes.count)) }
            return (Array(pending.bytes.prefix(buffer.count)), pending.last)
        }
        guard !piece.0.isEmpty else { return piece.1 ?? .nothing }
        unsafe buffer.copyBytes(from: piece.0)
        return .bytes(piece.0.count)
    }
}

@Suite("A stream of events")
struct EventStreamTests {
    private static let ask = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func withEvents(
        _ heartbeat: Duration = .seconds(15), _ configuration: Server.Configuration = .varied(),
        _ body: (RawClient, Events) throws -> Void
    ) throws {
        let events = Events()
        let room = WaitingRoom(capacity: 1)
        let responder = Echo(answer: {
            $0.targetText == "/" ? events.response(in: room, heartbeat: heartbeat) : Echo.text("now")
        })
        try withClient(responder, configuration) { try body($0, events) }
        #expect(room.count == 0)
    }

    @Test("sends its header at once, and each event when it comes")
    func events() throws {
        try withEvents { client, events throws in
            client.send(EventStreamTests.ask)
            #expect(try client.readHead().header("Content-Type") == "text/event-stream")
            for number in 0..<50 {
                events.send("data: \(number)\n\n")
                #expect(try client.readChunk() == "data: \(number)\n\n")
            }
            #expect(events.ends.all == [])
        }
    }

    @Test("begins with the first bytes, and is complete when its source ends")
    func end() throws {
        try withEvents { client, events throws in
            events.send("data: early\n\n")
            client.send(EventStreamTests.ask)
            try events.open()
            events.finish(.end)
            #expect(try client.readAnswer().body == "data: early\n\n")
            #expect(events.ends.all == ["ended"])
            client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "now")
        }
    }

    @Test("cuts the connection when its source fails")
    func failure() throws {
        try withEvents { client, events throws in
            client.send(EventStreamTests.ask)
            #expect(try client.readHead().status == 200)
            events.finish(.failure)
            #expect(try client.readToEnd() == "")
            #expect(events.ends.all == ["ended"])
        }
    }

    @Test("is not chunked in HTTP/1.0")
    func oldVersion() throws {
        try withEvents { client, events throws in
            client.send("GET / HTTP/1.0\r\n\r\n")
            try events.open()
            events.send("data: 1\n\n")
            events.finish(.end)
            #expect(try client.readAnswer().body == "data: 1\n\n")
        }
    }

    @Test("has no body for HEAD, and ends")
    func head() throws {
        try withEvents { client, events throws in
            client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer(toHead: true).status == 200)
            #expect(try client.readToEnd() == "")
            #expect(events.ends.all == ["ended"])
        }
    }

    @Test("sends heartbeats while there is nothing else")
    func heartbeat() throws {
        try withEvents(.milliseconds(20)) { client, events throws in
            client.send(EventStreamTests.ask)
            #expect(try client.readHead().status == 200)
            for _ in 0..<5 { #expect(try client.readChunk() == ": \n\n") }
        }
    }

    @Test("sends bodies longer than a buffer in pieces, whole and in order")
    func long() throws {
        let text = String((0..<300_000).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
        try withEvents { client, events throws in
            client.send(EventStreamTests.ask)
            try events.open()
            events.send(text)
            events.finish(.end)
            #expect(try client.readAnswer().body == text)
        }
    }

    @Test("ends when the client closes")
    func gone() throws {
        let events = Events()
        let room = WaitingRoom()
        try withServer(Echo(answer: { _ in events.response(in: room) })) { port throws in
            for _ in 0..<20 {
                var client: RawClient? = try RawClient(port: port)
                client?.send(EventStreamTests.ask)
                #expect(try client?.readHead().status == 200)
                client = nil
                try events.ends.next()
            }
            #expect(events.ends.all == Array(repeating: "ended", count: 20) && room.count == 0)
        }
    }

    /// The library's epoll loop forgets a connection that is closed after it slept, while there are older ones.
    @Test(
        "whose connection ends with it leaves nothing behind", arguments: ["HTTP/1.0", "HTTP/1.1"],
        [.end, .failure] as [EventPiece])
    func ended(version: String, last: EventPiece) throws {
        let configuration = Server.Configuration.varied {
            $0.threads = 1
            $0.connectionLimitPerAddress = 3
        }
        let room = WaitingRoom()
        let next = Guarded<[Events]>([])
        let responder = Echo(answer: { _ in next.withLock { $0.removeLast() }.response(in: room) })
        try withServer(responder, configuration) { port throws in
            let older = try RawClient(port: port)
            for _ in 0..<10 {
                let events = Events()
                next.withLock { $0 = [events] }
                let client = try EventStreamTests.admitted(
                    to: port, asking: "GET / \(version)\r\nHost: a\r\nConnection: close\r\n\r\n")
                events.send("data: 1\n\n")
                try client.readSome()
                events.finish(last)
                _ = try client.readToEnd()
                try events.ends.next()
            }
            older.finishSending()
            #expect(try older.readToEnd() == "")
        }
    }

    /// A client whose connection is not refused, as it is for a moment after one before it has seen its end.
    private static func admitted(to port: UInt16, asking message: String) throws -> RawClient {
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            let client = try RawClient(port: port)
            if client.send(message), (try? client.readHead()) != nil { return client }
        }
        throw RawClient.Failure(call: "always refused")
    }

    @Test("outlives the deadlines of requests while there is nothing to be read")
    func idle() throws {
        let configuration = Server.Configuration.varied {
            $0.requestDeadline = .seconds(1)
            $0.idleTimeout = .seconds(1)
            $0.unreadTimeout = .seconds(1)
        }
        let events = Events()
        let room = WaitingRoom()
        let responder = Echo(answer: { $0.targetText == "/" ? events.response(in: room) : Echo.text("now") })
        try withServer(responder, configuration) { port throws in
            let client = try RawClient(port: port)
            client.send(EventStreamTests.ask)
            #expect(try client.readHead().status == 200)
            for number in 0..<3 {
                for _ in 0..<2 { #expect(try RawClient(port: port).readToEnd() == "") }
                events.send("data: \(number)\n\n")
                #expect(try client.readChunk() == "data: \(number)\n\n")
            }
        }
    }

    @Test("is cut when the client leaves it unread, and delays no other")
    func unread() throws {
        let configuration = Server.Configuration.varied { $0.unreadTimeout = .seconds(1) }
        let slow = Events()
        let other = Events()
        let room = WaitingRoom()
        let responder = Echo(answer: { ($0.targetText == "/" ? slow : other).response(in: room) })
        try withServer(responder, configuration) { port throws in
            let sleepy = try RawClient(port: port)
            sleepy.send(EventStreamTests.ask)
            #expect(try sleepy.readHead().status == 200)
            let awake = try RawClient(port: port)
            awake.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try awake.readHead().status == 200)
            slow.send(String(repeating: "x", count: 20_000_000))
            other.send("data: 1\n\n")
            #expect(try awake.readChunk() == "data: 1\n\n")
            try slow.ends.next()
            #expect(slow.ends.all == ["ended"])
            #expect(other.ends.all == [])
        }
    }

    @Test("ends as if complete when the server stops")
    func stop() throws {
        let room = WaitingRoom()
        let all = (0..<20).map { _ in Events() }
        let next = Guarded(all)
        let responder = Echo(answer: { _ in next.withLock { $0.removeLast() }.response(in: room) })
        let server = try Server(configuration: .varied(), responder: responder)
        let clients = try all.map { _ in try RawClient(port: server.port) }
        for client in clients {
            client.send(EventStreamTests.ask)
            #expect(try client.readHead().status == 200)
        }
        let duration = ContinuousClock().measure { server.stop(grace: .seconds(60)) }
        #expect(duration < .seconds(20))
        for client in clients { #expect(try client.readToEnd() == "0\r\n\r\n") }
        for events in all { #expect(events.ends.all == ["ended"]) }
    }

    @Test("loses no wake: whatever is sent from many threads arrives")
    func wakes() throws {
        try withEvents { client, events throws in
            client.send(EventStreamTests.ask)
            #expect(try client.readHead().status == 200)
            let senders = try (0..<4).map { number in
                try Thread(name: "sender \(number)") { for _ in 0..<2000 { events.send("x") } }
            }
            var received = 0
            while received < senders.count * 2000 { received += try client.readChunk().utf8.count }
            #expect(received == senders.count * 2000)
        }
    }
}

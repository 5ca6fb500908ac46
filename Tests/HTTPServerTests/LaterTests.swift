import HTTPServer
import Locking
import Testing
import Threads

/// Answers under `/later` wait, and are handed to the test; the others are echoed.
final class Later: Sendable {
    let room: WaitingRoom
    let time: Duration
    private let isBrief: Bool
    let ends = Ends<Int?>()
    private let waiting = Guarded<[Waiter]>([])
    private let arrived = Gate()

    init(for time: Duration = .seconds(300), capacity: Int = 10_000, isBrief: Bool = false) {
        self.time = time
        self.isBrief = isBrief
        room = WaitingRoom(capacity: capacity)
    }

    static let unchanged = Response(status: 304, headers: [("ETag", "\"x\"")])

    var responder: Echo { Echo(give: { [self] in answer($0) }) }

    private func answer(_ request: Request) -> Answer {
        guard request.targetText.hasPrefix("/later") else { return .now(Echo.description(of: request)) }
        guard let waiter = room.admit(for: time, otherwise: Later.unchanged, isBrief: isBrief) else {
            return .now(Echo.text("full", status: 503))
        }
        waiter.onEnd { [ends] in ends.append($0.response?.status) }
        waiting.withLock { $0.append(waiter) }
        arrived.open()
        return .later(waiter)
    }

    /// Waits for the next to arrive, and gives the oldest that was not taken.
    func next() throws -> Waiter {
        try arrived.pass()
        return waiting.withLock { $0.removeFirst() }
    }

    /// How many were not taken.
    var count: Int { waiting.withLock(\.count) }

    /// The oldest that was not taken, if there is one.
    func poll() -> Waiter? {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

@Suite("An answer that comes later")
struct LaterTests {
    private static let ask = "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("goes out when it is given, and the connection stays, again and again")
    func given() throws {
        let later = Later()
        try withClient(later.responder) { client throws in
            for number in 0..<50 {
                client.send(LaterTests.ask)
                #expect(try later.next().finish(Echo.text("number \(number)")))
                #expect(try client.readAnswer().body == "number \(number)")
                client.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readAnswer().body == "get /now ")
            }
            #expect(later.ends.all == Array(repeating: 200, count: 50) && later.room.count == 0)
        }
    }

    @Test("goes out at once where it was given before the connection waits")
    func before() throws {
        let room = WaitingRoom()
        let responder = Echo(give: { _ in
            guard let waiter = room.admit(for: .seconds(300), otherwise: Later.unchanged) else {
                return .now(Later.unchanged)
            }
            waiter.finish(Echo.text("early"))
            return .later(waiter)
        })
        try withClient(responder) { client throws in
            for _ in 0..<3 {
                client.send(LaterTests.ask)
                #expect(try client.readAnswer().body == "early")
            }
        }
    }

    @Test("holds no thread: others are served while more wait than there are threads")
    func threads() throws {
        let later = Later()
        try withServer(later.responder) { port throws in
            let waiting = try (0..<50).map { _ in try RawClient(port: port) }
            for client in waiting { client.send(LaterTests.ask) }
            let waiters = try waiting.map { _ in try later.next() }
            let other = try RawClient(port: port)
            other.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try other.readAnswer().body == "get /now ")
            for waiter in waiters { waiter.finish(Echo.text("x")) }
            for client in waiting { #expect(try client.readAnswer().body == "x") }
        }
    }

    @Test("keeps pipelined requests waiting, and then they are answered in order")
    func pipelining() throws {
        let later = Later()
        try withClient(later.responder) { client throws in
            client.send(LaterTests.ask + "GET /a HTTP/1.1\r\nHost: a\r\n\r\n" + LaterTests.ask)
            try later.next().finish(Echo.text("first"))
            #expect(try client.readAnswer().body == "first")
            #expect(try client.readAnswer().body == "get /a ")
            try later.next().finish(Echo.text("second"))
            #expect(try client.readAnswer().body == "second")
        }
    }

    @Test("comes on a connection with any history: bodies, blank lines, long headers, and other waits")
    func history() throws {
        let later = Later()
        let long = "X: \(String(repeating: "x", count: 6000))\r\n"
        // libmicrohttpd 1.0 passes over one blank line only.
        let blank = String(repeating: "\r\n", count: RequestCheckTests.leavesChecks ? 3000 : 1)
        try withClient(later.responder) { client throws in
            for before in [
                "", "\r\n", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
                "GET /a HTTP/1.1\r\nHost: a\r\n\(long)\r\n", blank,
            ] {
                client.send(before + "GET /later HTTP/1.1\r\nHost: a\r\n\(long)\r\n" + LaterTests.ask)
                if before.contains("/a") { #expect(try client.readAnswer().body.contains(" /a")) }
                for number in 0..<2 {
                    try later.next().finish(Echo.text("number \(number)"))
                    #expect(try client.readAnswer().body == "number \(number)")
                }
            }
        }
    }

    @Test("is the other response when the time is over, and not before")
    func timeOut() throws {
        let later = Later(for: .milliseconds(60))
        try withClient(later.responder) { client throws in
            for _ in 0..<3 {
                let start = ContinuousClock.now
                client.send(LaterTests.ask)
                let answer = try client.readAnswer()
                #expect(answer.status == 304 && answer.header("ETag") == "\"x\"")
                #expect(ContinuousClock.now - start >= .milliseconds(60))
            }
            #expect(later.ends.all == [304, 304, 304] && later.room.count == 0)
        }
    }

    @Test("outlives the deadlines of requests and of idle connections")
    func deadline() throws {
        let later = Later(for: .seconds(3))
        let configuration = Server.Configuration.varied {
            $0.requestDeadline = .seconds(1)
            $0.idleTimeout = .seconds(1)
        }
        try withServer(later.responder, configuration) { port throws in
            let client = try RawClient(port: port)
            client.send(LaterTests.ask)
            _ = try later.next()
            // The deadlines of two connections pass meanwhile.
            for _ in 0..<2 { #expect(try RawClient(port: port).readToEnd() == "") }
            #expect(try client.readAnswer().status == 304)
        }
    }

    @Test("is given up when the client closes: its place is free, and its connection ends")
    func gone() throws {
        let later = Later()
        try withServer(later.responder) { port throws in
            for _ in 0..<20 {
                var client: RawClient? = try RawClient(port: port)
                client?.send(LaterTests.ask)
                let waiter = try later.next()
                client = nil
                try later.ends.next()
                #expect(!waiter.finish(Echo.text("late")))
                #expect(waiter.hasEnded && waiter.response == nil)
            }
            #expect(later.room.count == 0)
        }
    }

    @Test("is given up when the client says that it will send nothing more")
    func halfClosed() throws {
        let later = Later()
        try withClient(later.responder) { client throws in
            client.send(LaterTests.ask)
            _ = try later.next()
            client.finishSending()
            try later.ends.next()
            #expect(try client.readToEnd() == "")
            #expect(later.ends.all == [nil])
        }
    }

    @Test("is refused by the responder where too many wait")
    func full() throws {
        let later = Later(capacity: 3)
        try withServer(later.responder) { port throws in
            let waiting = try (0..<3).map { _ in try RawClient(port: port) }
            for client in waiting { client.send(LaterTests.ask) }
            let waiters = try waiting.map { _ in try later.next() }
            let other = try RawClient(port: port)
            other.send(LaterTests.ask)
            #expect(try other.readAnswer().status == 503)
            waiters[0].finish(Echo.text("x"))
            other.send(LaterTests.ask)
            try later.next().finish(Echo.text("y"))
            #expect(try other.readAnswer().body == "y")
        }
    }

    @Test("is the other response when the server stops, which ends the connections")
    func stop() throws {
        let later = Later()
        let server = try Server(configuration: .varied(), responder: later.responder)
        let clients = try (0..<50).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send(LaterTests.ask) }
        for _ in clients { _ = try later.next() }
        let duration = ContinuousClock().measure { server.stop(grace: .seconds(60)) }
        #expect(duration < .seconds(20))
        for client in clients {
            let answer = try client.readAnswer()
            #expect(answer.status == 304 && answer.header("Connection") == "close")
            #expect(try client.readToEnd() == "")
        }
        #expect(later.ends.all == Array(repeating: 304, count: 50))
    }

    @Test("is given by many threads while its time passes, its client goes, and the server stops")
    func races() throws {
        for round in 0..<12 {
            let later = Later(for: .milliseconds(round))
            let server = try Server(configuration: .varied(), responder: later.responder)
            var clients = try (0..<60).map { _ in try RawClient(port: server.port) }
            for client in clients { client.send(LaterTests.ask) }
            let isOver = Guarded(false)
            let threads = try (0..<3).map { number in
                try Thread(name: "finishing \(number)") {
                    while !isOver.withLock({ $0 }) { later.poll()?.finish(Echo.text("x")) }
                }
            }
            clients.removeFirst(20)
            if round.isMultiple(of: 2) {
                for client in clients { #expect([200, 304].contains(try client.readAnswer().status)) }
            }
            server.stop(grace: .seconds(5))
            isOver.withLock { $0 = true }
            for thread in threads { thread.join() }
            #expect(later.room.count == 0)
        }
    }
}

import Testing

@testable import HTTPServer

@Suite("The memory of the bodies on their way")
struct ResponseBudgetTests {
    private static func response(_ bytes: Int) -> Response {
        Response(status: 200, headers: [], body: Array(repeating: 65, count: bytes))
    }

    @Test("is taken by long answers up to the limit, and given back by the last reference")
    func limit() {
        let budget = ResponseBudget(bytes: 200_000)
        var first = Self.response(120_000).charged(to: budget)
        #expect(first != nil)
        #expect(budget.used == 120_000)
        #expect(Self.response(80_001).charged(to: budget) == nil)
        #expect((budget.used, budget.refusals) == (120_000, 1))
        #expect([80_000, 80_001].map(budget.refuses) == [false, true] && budget.refusals == 2)
        let second = Self.response(80_000).charged(to: budget)
        #expect(budget.used == 200_000)
        first = nil
        #expect(budget.used == 80_000)
        withExtendedLifetime(second) {}
    }

    @Test("short answers always have room; the least important ones do not count")
    func short() {
        let budget = ResponseBudget(bytes: 100_000)
        let long = Self.response(100_000).charged(to: budget)
        let short = Self.response(65_535).charged(to: budget)
        let counted = Self.response(16_384).charged(to: budget)
        let shortest = Self.response(16_383).charged(to: budget)
        #expect(short != nil && counted != nil && shortest != nil)
        #expect((budget.used, budget.refusals) == (100_000 + 65_535 + 16_384, 0))
        #expect(Self.response(65_536).charged(to: budget) == nil)
        withExtendedLifetime((long, short, counted, shortest)) {}
    }

    @Test("is taken once by responses with the same body")
    func shared() throws {
        let budget = ResponseBudget(bytes: 100_000)
        let plain = Self.response(90_000)
        var one = plain.charged(to: budget)
        #expect(one?.charged(to: budget) === one)
        let body = try #require(plain.sharedBody)
        var two = Response(status: 201, headers: [("A", "b")], body: body).charged(to: budget)
        #expect(budget.used == 90_000)
        one = nil
        #expect(budget.used == 90_000)
        #expect(two?.uncharged.payload === two?.payload)
        two = nil
        #expect(budget.used == 0)
        // The body itself is still there, and can be charged again.
        #expect(plain.charged(to: budget) != nil)
        #expect(budget.used == 0)
    }

    private final class Stream: BodyStream {
        let sharedBody: Response.Body?
        init(_ body: Response.Body?) { sharedBody = body }
        var memory: Int { 50_000 }
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    }

    @Test("is taken by the buffers of each stream, and once by their source")
    func streams() throws {
        let block = 32 << 10
        let budget = ResponseBudget(bytes: 100_000 + 2 * (50_000 + block))
        let body = try #require(Self.response(100_000).sharedBody)
        let streams = (0..<3).map { _ in
            Response(status: 200, headers: [], stream: Stream(body)).charged(to: budget)
        }
        #expect(streams.map { $0 == nil } == [false, false, true])
        #expect(budget.used == 100_000 + 2 * (50_000 + block))
        #expect(Response(status: 200, headers: [], stream: Stream(nil)).charged(to: budget) == nil)
        withExtendedLifetime(streams) {}
    }

    @Test("is held as long as a client has not taken its answer", arguments: [true, false])
    func held(isRead: Bool) throws {
        let budget = ResponseBudget(bytes: 50_000_000)
        let big = Self.response(40_000_000)
        let responder = Echo(answer: { request in
            request.targetText == "/used"
                ? Echo.text("\(budget.used)") : big.charged(to: budget) ?? Echo.text("full", status: 503)
        })
        try withServer(responder) { port throws in
            var clients: [RawClient] = []
            for _ in 0..<3 {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try client.readHead()
                clients.append(client)
            }
            let other = try RawClient(port: port)
            func used() throws -> String {
                other.send("GET /used HTTP/1.1\r\nHost: a\r\n\r\n")
                return try other.readAnswer().body
            }
            #expect(try used() == "40000000")
            for client in clients {
                client.finishSending()
                if isRead { #expect(try client.readToEnd().utf8.count == 40_000_000) }
            }
            clients = []
            // The server notices the end of a connection in its own time.
            while try used() != "0" {}
        }
    }
}

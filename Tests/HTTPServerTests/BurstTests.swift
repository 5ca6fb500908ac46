import Testing

@testable import HTTPServer

@Suite("A burst of requests")
struct BurstTests {
    @Test("is answered, also if it is as large as the library's list of events")
    func exact() throws {
        let (asked, released) = (Gate(), Gate())
        try withServer(Echo.busy(asked: asked, released: released), .varied { $0.threads = 1 }) { port throws in
            let busy = try RawClient(port: port)
            let clients = try (0..<Daemon.eventsAtOnce).map { _ in try RawClient(port: port) }
            for client in clients {
                client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readAnswer().body == "get /first ")
            }
            busy.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n")
            try asked.pass()
            // The only thread finds all these requests when it looks for work next.
            for client in clients { client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n") }
            released.open()
            #expect(try busy.readAnswer().body == "get /busy ")
            for client in clients { #expect(try client.readAnswer().body == "get /next ") }
        }
    }
}

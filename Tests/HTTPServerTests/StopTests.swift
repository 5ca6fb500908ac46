import HTTPServer
import Testing
import Threads

@Suite("Stopping a server")
struct StopTests {
    @Test("lets a request in progress be answered whole, and says that the connection ends")
    func inProgress() throws {
        let asked = Gate()
        let released = Gate()
        let body = [UInt8](repeating: 65, count: 5_000_000)
        let responder = Echo(answer: { _ in
            asked.open()
            try? released.pass()
            return Response(status: 200, headers: [], body: body)
        })
        let server = try Server(configuration: Server.Configuration(), responder: responder)
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try asked.pass()
        let stopping = try Thread(name: "stopping") {
            // The stop ends with the last connection, long before the grace.
            let duration = ContinuousClock().measure { server.stop(grace: .seconds(60)) }
            #expect(duration < .seconds(30))
        }
        // Until new connections are refused.
        while (try? RawClient(port: server.port)) != nil {}
        released.open()
        let answer = try client.readAnswer()
        #expect(answer.body.utf8.count == body.count)
        #expect(answer.header("Connection") == "close")
        stopping.join()
    }

    @Test("does not wait for clients that ask nothing")
    func idle() throws {
        let server = try Server(configuration: Server.Configuration(), responder: Echo())
        let silent = try (0..<20).map { _ in try RawClient(port: server.port) }
        let half = try RawClient(port: server.port)
        half.send("GET /a HTTP/1.1\r\nHost:")
        let served = try RawClient(port: server.port)
        served.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try served.readAnswer().status == 200)
        let duration = ContinuousClock().measure { server.stop(grace: .seconds(60)) }
        #expect(duration < .seconds(30))
        for client in silent + [half, served] { #expect(try client.readToEnd() == "") }
        server.stop(grace: .seconds(60))
    }

    @Test("ends by force when the grace is over")
    func grace() throws {
        let big = Response(status: 200, headers: [], body: Array(repeating: 65, count: 50_000_000))
        let server = try Server(configuration: Server.Configuration(), responder: Echo(answer: { _ in big }))
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try client.readSome()
        // The answer cannot go out whole, since nobody reads on.
        let duration = ContinuousClock().measure { server.stop(grace: .milliseconds(50)) }
        #expect(duration >= .milliseconds(40) && duration < .seconds(20))
    }

    @Test("frees the port at once")
    func port() throws {
        for _ in 0..<5 {
            let first = try Server(configuration: .init(), responder: Echo())
            let client = try RawClient(port: first.port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 200)
            first.stop(grace: .seconds(5))
            let second = try Server(configuration: .init(), responder: Echo(), port: first.port)
            #expect(second.port == first.port)
        }
    }
}

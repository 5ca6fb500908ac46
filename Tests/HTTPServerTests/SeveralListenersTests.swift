import Glibc
import Locking
import Testing

@testable import HTTPServer

@Suite("Listening at several places")
struct SeveralListenersTests {
    private func listeners(_ count: Int) throws -> [Listener] {
        try (0..<count).map { _ in try Listener(host: "127.0.0.1", port: 0) }
    }

    private func ports(_ server: Server) -> [UInt16] { server.addresses.compactMap(\.port) }

    @Test("serves at each of them, with one set of counters")
    func serves() throws {
        let path = "/tmp/drilldown-several-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let configuration = Server.Configuration.varied()
        let server = try Server(
            configuration: configuration, responder: Echo(), listeners: listeners(2) + [Listener(unixSocket: path)])
        #expect(server.addresses.last == .unix(path: path))
        var clients = try ports(server).map { try RawClient(port: $0) }
        clients.append(try RawClient(unixSocket: path))
        for client in clients {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "get /a ")
        }
        #expect(configuration.counters.totals.connections == 3)
        #expect(configuration.counters.totals.connectionLimit > 0)
        server.stop(grace: .seconds(5))
        for client in clients { #expect(try client.readToEnd() == "") }
        for port in ports(server) { #expect(throws: RawClient.Failure.self) { try RawClient(port: port) } }
        #expect(unsafe access(path, F_OK) != 0)
    }

    @Test("knows the client of each of them, and counts it for the limit by address")
    func perAddress() throws {
        let peers = Guarded<Set<String>>([])
        let configuration = Server.Configuration.varied { $0.connectionLimitPerAddress = 2 }
        let responder = Echo(answer: { request in
            _ = peers.withLock { $0.insert(request.client) }
            return Echo.description(of: request)
        })
        let server = try Server(configuration: configuration, responder: responder, listeners: listeners(2))
        defer { server.stop(grace: .seconds(5)) }
        let kept = try ports(server).map { try RawClient(port: $0) }
        for client in kept {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 200)
        }
        for port in ports(server) {
            let client = try RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect((try? client.readToEnd()) ?? "" == "")
        }
        #expect(peers.withLock { $0 } == ["127.0.0.1"])
    }

    @Test("has one limit of connections: the next client waits until another one leaves")
    func limit() throws {
        let configuration = Server.Configuration.varied { $0.connectionLimit = 4 }
        let server = try Server(configuration: configuration, responder: Echo(), listeners: listeners(2))
        defer { server.stop(grace: .seconds(5)) }
        let port = try #require(ports(server).last)
        var kept: [RawClient] = []
        for _ in 0..<4 {
            let client = try RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 200)
            kept.append(client)
        }
        let next = try RawClient(port: port)
        next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        kept.removeAll()
        #expect(try next.readAnswer().status == 200)
    }

    @Test("checks the host at the places that are named for it")
    func hosts() throws {
        let listeners = try listeners(2)
        let configuration = Server.Configuration.varied {
            $0.hosts = AllowedHosts(["good"])
            $0.hostAddresses = [listeners[1].address]
        }
        let server = try Server(configuration: configuration, responder: Echo(), listeners: listeners)
        defer { server.stop(grace: .seconds(5)) }
        let statuses = try ports(server).map { port in
            let client = try RawClient(port: port)
            client.send("GET / HTTP/1.1\r\nHost: other\r\n\r\n")
            return try client.readAnswer().status
        }
        #expect(statuses == [200, 421])
    }
}

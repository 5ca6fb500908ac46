import HTTPServer
import Locking
import Testing

@Suite("Listening")
struct ListenTests {
    private func listening(
        _ host: String, _ port: UInt16 = 0, responder: Echo = Echo()
    ) throws(ServerError) -> Server {
        try Server(configuration: .init(), responder: responder, host: host, port: port)
    }

    private func failure(_ host: String, _ port: UInt16) -> String? {
        do {
            _ = try listening(host, port)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("on a port in use says so")
    func inUse() throws {
        let server = try listening("127.0.0.1")
        #expect(
            failure("127.0.0.1", server.port)
                == "port \(server.port) on 127.0.0.1 is in use by another program")
    }

    @Test("on an address of another machine says so")
    func foreign() {
        #expect(failure("192.0.2.1", 0) == "192.0.2.1 is not an address of this machine")
    }

    @Test("on a host without an address says so")
    func unknown() throws {
        let sentence = try #require(failure("no such host", 0))
        #expect(sentence.hasPrefix("the host no such host cannot be resolved: "))
    }

    @Test("takes an IPv6 address, in brackets too", arguments: ["::1", "[::1]"])
    func version6(host: String) throws {
        do {
            let server = try listening(host)
            #expect(server.port > 0)
        } catch {
            // A machine without IPv6 says that it lacks the address: the brackets were understood.
            #expect(error.description == "::1 is not an address of this machine")
        }
    }

    @Test(
        "tells whether only this machine can connect",
        arguments: [
            ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("0.0.0.0", false), ("::", false),
            ("192.0.2.1", false), ("128.0.0.127", false), ("::ffff:127.0.0.1", true), ("::ffff:192.0.2.1", false),
        ])
    func loopback(host: String, isLoopback: Bool) {
        #expect(BoundAddress.internet(host: host, port: 80).isLoopback == isLoopback)
        #expect(!BoundAddress.unix(path: "/run/socket").isLoopback)
    }

    @Test("on a name gives the bound address")
    func bound() throws {
        let server = try listening("127.0.0.1")
        #expect(server.addresses.first == .internet(host: "127.0.0.1", port: server.port))
        let wildcard = try listening("0.0.0.0")
        #expect(wildcard.addresses.first == .internet(host: "0.0.0.0", port: wildcard.port))
    }

    @Test("on :: takes connections of both families, and knows a client of IPv4 by its own address")
    func bothFamilies() throws {
        let peers = Guarded<[String]>([])
        let responder = Echo(answer: { request in
            peers.withLock { $0.append(request.client) }
            return Echo.text("")
        })
        let server = try listening("::", responder: responder)
        let client = try RawClient(port: server.port)
        client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.readAnswer().status == 200)
        #expect(peers.withLock { $0 } == ["127.0.0.1"])
    }

    @Test("with one thread works as well")
    func oneThread() throws {
        try withClient(Echo(), .varied { $0.threads = 1 }) { client throws in
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "get /a ")
        }
    }

    @Test("refuses more connections from one address than allowed")
    func perAddress() throws {
        try withServer(Echo(), .varied { $0.connectionLimitPerAddress = 2 }) { port throws in
            let first = try RawClient(port: port)
            let second = try RawClient(port: port)
            for client in [first, second] {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readAnswer().status == 200)
            }
            let third = try RawClient(port: port)
            third.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try third.readToEnd() == "")
        }
    }
}

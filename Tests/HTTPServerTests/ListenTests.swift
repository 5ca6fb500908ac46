import HTTPServer
import Testing

@Suite("Listening")
struct ListenTests {
    private func configuration(_ host: String, _ port: UInt16 = 0) -> Server.Configuration {
        var configuration = Server.Configuration()
        configuration.host = host
        configuration.port = port
        return configuration
    }

    private func failure(_ host: String, _ port: UInt16) -> String? {
        do {
            _ = try Server(configuration: configuration(host, port), responder: Echo())
            return nil
        } catch {
            return error.description
        }
    }

    @Test("on a port in use says so")
    func inUse() throws {
        let server = try Server(configuration: configuration("127.0.0.1"), responder: Echo())
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
            let server = try Server(configuration: configuration(host), responder: Echo())
            #expect(server.port > 0)
        } catch {
            // A machine without IPv6 says that it lacks the address: the brackets were understood.
            #expect(error.description == "::1 is not an address of this machine")
        }
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

import Testing

@testable import HTTPServer

@Suite("The hosts that a server answers to")
struct AllowedHostTests {
    private static let hosts = AllowedHosts(AllowedHosts.loopbackNames + ["App.example", "[FE80::1]"])

    @Test(
        "are served with any port, in any case, and with the dot that ends a name",
        arguments: [
            "localhost", "LocalHost:8080", "localhost.", "localhost.:1", "127.0.0.1", "127.0.0.1:", "[::1]", "[::1]:80",
            "app.EXAMPLE", "[fe80::1]:9", "10.0.2.2:8080",
        ])
    func served(host: String) throws {
        #expect(try status(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 200)
        #expect(try status(of: "GET http://\(host)/ HTTP/1.1\r\nHost: localhost\r\n\r\n") == 200)
    }

    @Test(
        "are no others, however similar",
        arguments: [
            "evil.example", "localhost.evil.example", "evil-localhost", "127.0.0.1.evil.example", "127.0.0.2", "[::2]",
            "::1", "localhost:80:80", "localhost:8x", "[::1]x", "localhost..", "localhos", "0.0.0.0", ".", "[::1",
            "app.example%2e",
        ])
    func refused(host: String) throws {
        #expect(try status(of: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 421)
        #expect(try status(of: "GET http://\(host)/ HTTP/1.1\r\nHost: localhost\r\n\r\n") == 421)
    }

    @Test("A host in the target must be served, and the one in Host as well")
    func both() throws {
        #expect(try status(of: "GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n\r\n") == 421)
        #expect(try status(of: "GET http://evil.example/ HTTP/1.0\r\n\r\n") == 421)
    }

    @Test("HTTP/1.0 may leave the host out; an empty one is another host")
    func none() throws {
        #expect(try status(of: "GET / HTTP/1.0\r\n\r\n") == 200)
        #expect(try status(of: "GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n") == 421)
        #expect(try status(of: "GET / HTTP/1.1\r\nHost:\r\n\r\n") == 421)
    }

    @Test("A body of a refused request is not read, and a valid header before does not help")
    func keepAlive() throws {
        try withClient(Echo(), .varied { $0.hosts = Self.hosts }) { client in
            client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.readAnswer().status == 200)
            client.send("POST / HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 3\r\n\r\n")
            let answer = try client.readAnswer()
            #expect(answer.status == 421)
            #expect(
                answer.body
                    == "This server does not answer to the host 'evil.example'; its operator can allow it with --hosts evil.example."
            )
        }
    }

    @Test(
        "A refused host is named as the option takes it",
        arguments: [
            ("mymac.local:8080", "--hosts mymac.local"), ("MyMac.local.", "--hosts MyMac.local"),
            ("[fe80::2]:80", "--hosts [fe80::2]"), ("a=b", "--hosts"), ("a:8x", "--hosts"), ("", "--hosts"),
        ])
    func option(host: String, option: String) throws {
        let reason = try withClient(Echo(), .varied { $0.hosts = Self.hosts }) { client in
            client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return try client.readAnswer().body
        }
        #expect(
            reason == "This server does not answer to the host '\(host)'; its operator can allow it with \(option).")
    }

    @Test("A server that checks hosts at some addresses answers to all at others")
    func addresses() {
        let (one, other) = (BoundAddress.internet(host: "::1", port: 1), BoundAddress.internet(host: "::", port: 1))
        var configuration = Server.Configuration()
        #expect(configuration.hosts(at: one) == nil)
        configuration.hosts = Self.hosts
        #expect(configuration.hosts(at: one) === Self.hosts && configuration.hosts(at: other) === Self.hosts)
        configuration.hostAddresses = [one]
        #expect(configuration.hosts(at: one) === Self.hosts && configuration.hosts(at: other) == nil)
    }

    @Test("A long host is shortened in the sentence")
    func long() throws {
        let reason = try withClient(Echo(), .varied { $0.hosts = Self.hosts }) { client in
            client.send("GET / HTTP/1.1\r\nHost: b\(String(repeating: "a", count: 80))\r\n\r\n")
            return try client.readAnswer().body
        }
        let name = "b" + String(repeating: "a", count: 79)
        #expect(
            reason == "This server does not answer to the host '\(name)…'; its operator can allow it with --hosts.")
    }

    @Test("Without a list every host is served")
    func all() throws {
        let status = try withClient { client in
            client.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            return try client.readAnswer().status
        }
        #expect(status == 200)
    }

    @Test("Names are distinguished from texts that are not names")
    func names() {
        #expect(["a", "a-b.example", "127.0.0.1", "[::1]", "x_y"].allSatisfy(AllowedHosts.isName))
        let others = [
            "", "a:80", "::1", "[]", "[::1]:80", "a/b", "*", "ä", "a b", "[::1", "::1]", "[1", "1]", "[a-b]", "[a_b]",
        ]
        #expect(!others.contains(where: AllowedHosts.isName))
        let characters = (0..<0x80).map { String(Unicode.Scalar(UInt8($0))) }
        let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect(characters.filter(AllowedHosts.isName).joined() == "-.\(letters.prefix(36))_\(letters.suffix(26))")
        #expect(
            characters.filter { AllowedHosts.isName("[\($0)]") }.joined()
                == ".\(letters.prefix(10)):\(letters.dropFirst(10))")
    }

    private func status(of text: String) throws -> Int {
        try withClient(Echo(), .varied { $0.hosts = Self.hosts }) { client in
            client.send(text)
            return try client.readAnswer().status
        }
    }
}

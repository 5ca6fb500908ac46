import Locking
import Testing

@testable import HTTPServer

@Suite("The client behind a trusted proxy")
struct TrustedProxiesTests {
    private func client(
        _ fields: [(String, String)], of peer: String = "127.0.0.1",
        _ proxies: [String] = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"]
    ) throws -> String {
        let trusted = try #require(TrustedProxies(proxies))
        return Request(
            target: "/", fields: fields.map { (name: $0.0, value: $0.1) }, peer: peer, proxies: trusted
        ).client
    }

    @Test("is the last address that is not a proxy's")
    func last() throws {
        for (value, wanted) in [
            ("192.0.2.1", "192.0.2.1"), ("203.0.113.9, 192.0.2.1", "192.0.2.1"),
            ("203.0.113.9, 192.0.2.1 , 10.1.2.3,127.0.0.1", "192.0.2.1"), ("192.0.2.1:4711", "192.0.2.1"),
            ("[2001:DB8::1]:80, fd01::2", "2001:db8::1"), ("2001:db8::1", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"), ("10.1.1.1, 10.2.2.2", "10.1.1.1"), ("", "127.0.0.1"),
            ("192.0.2.1:80:80", "127.0.0.1"), ("\t192.0.2.1\t", "192.0.2.1"),
            ("192.0.2.1, x\u{1b}[31m", "127.0.0.1"), ("x, 10.2.2.2", "10.2.2.2"),
        ] {
            #expect(try client([("X-Forwarded-For", value)]) == wanted, "\(value)")
        }
        #expect(try client([("X-Forwarded-For", "203.0.113.9"), ("x-forwarded-for", "192.0.2.1")]) == "192.0.2.1")
    }

    @Test("is in Forwarded, too")
    func standard() throws {
        for (value, wanted) in [
            ("for=192.0.2.1", "192.0.2.1"), ("for=203.0.113.9, For = \"192.0.2.1:80\";proto=https", "192.0.2.1"),
            (#"proto=http;for="[2001:db8::1]:4711";by=_x, for=10.1.1.1"#, "2001:db8::1"),
            ("for=192.0.2.1, for=unknown", "127.0.0.1"), ("for=192.0.2.1, proto=http", "127.0.0.1"),
            (#"for="192.0.2.1, for=203.0.113.9"#, "127.0.0.1"), (#"by="a,b;for=1.1.1.1";for=192.0.2.1"#, "192.0.2.1"),
            (#"for="[2001:db8::1]"x"#, "127.0.0.1"), (#"for=x"[2001:db8::1]""#, "127.0.0.1"), (#"for=""#, "127.0.0.1"),
            (#"for="""#, "127.0.0.1"), (#"by="\";for=1.1.1.1";for="192.0.2.1""#, "192.0.2.1"),
            ("for\t=\t192.0.2.1\t; by=a", "192.0.2.1"), ("for=203.0.113.9, for=[2001:db8::1", "127.0.0.1"),
        ] {
            #expect(try client([("Forwarded", value)]) == wanted, "\(value)")
        }
    }

    @Test("is the proxy if the two fields differ: one of them is not the proxy's")
    func both() throws {
        #expect(try client([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "203.0.113.9")]) == "127.0.0.1")
        #expect(try client([("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.1")]) == "192.0.2.1")
    }

    @Test("is not looked for if the connection is not a proxy's")
    func strangers() throws {
        let fields = [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1")]
        #expect(try client(fields, of: "11.0.0.1") == "11.0.0.1")
        #expect(try client(fields, of: "unix") == "unix")
        #expect(try client(fields, of: "unix", ["unix"]) == "192.0.2.1")
        #expect(Request(target: "/", fields: [(name: "X-Forwarded-For", value: "192.0.2.1")]).client == "127.0.0.1")
    }

    @Test("Proxies are addresses and networks")
    func networks() {
        for text in ["10.0.0.0/33", "::/129", "10.0.0/8", "a", "", "10.0.0.0/", "10.0.0.0/-1", "/8", "1.2.3.4/8/8"] {
            #expect(TrustedProxies([text]) == nil, "\(text)")
        }
        func trusts(_ network: String, _ address: String) -> Bool? { TrustedProxies([network])?.trust(peer: address) }
        #expect(trusts("10.16.0.0/12", "10.31.255.255") == true)
        #expect(trusts("10.16.0.0/12", "10.32.0.0") == false)
        #expect(trusts("10.64.0.0/10", "10.127.255.255") == true)
        #expect(trusts("10.64.0.0/10", "10.128.0.0") == false)
        #expect(trusts("10.64.0.0/14", "10.68.0.0") == false)
        #expect(trusts("0.0.0.0/0", "9.9.9.9") == true)
        #expect(trusts("0.0.0.0/0", "2001:db8::1") == false)
        #expect(trusts("::/0", "2001:db8::1") == true)
        #expect(trusts("fe80::/10", "fe80::1%eth0") == true)
        #expect(trusts("192.0.2.1", "192.0.2.2") == false)
    }

    @Test("is in the access log, also after a wait and for the next request")
    func logged() throws {
        let entries = Guarded<[String]>([])
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let configuration = Server.Configuration.varied {
            $0.accessLog = { entry in
                entries.withLock { $0.append("\(entry.peer) \(entry.target) \(entry.id == trace)") }
            }
            $0.proxies = TrustedProxies(["127.0.0.0/8"])
        }
        try withClient(Later(for: .milliseconds(20)).responder, configuration) { client in
            let fields = "X-Forwarded-For: 192.0.2.1\r\ntraceparent: 00-\(trace)-00f067aa0ba902b7-01\r\n"
            client.send("GET /later?a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
            #expect(try client.readAnswer().status == 304)
            client.send("GET /b HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.2\r\n\r\n")
            _ = try client.readAnswer()
            client.send("GET /c HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            _ = try client.readToEnd()
        }
        #expect(entries.withLock { $0 } == ["192.0.2.1 /later?a true", "192.0.2.2 /b false", "127.0.0.1 /c false"])
    }
}

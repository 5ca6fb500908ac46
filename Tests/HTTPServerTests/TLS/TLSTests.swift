import Glibc
import HTTPServer
import Testing

@testable import TestSupport

@Suite("HTTPS")
struct TLSTests {
    private let one: TestCertificate
    private let two: TestCertificate

    init() throws {
        let now = CertificateDate.now
        one = try TestCertificate("one", from: now - 86_400, until: now + 86_400)
        two = try TestCertificate("two", from: now - 86_400, until: now + 86_400)
    }

    private static func pair(_ made: TestCertificate) throws -> CertificatePair {
        try CertificatePair(
            certificate: Array(made.certificate.utf8), key: Array(made.key.utf8), now: CertificateDate.now)
    }

    private func withClient<Result>(
        _ responder: Echo = Echo(), idle: Duration = .seconds(30), _ body: (RawClient) throws -> Result
    ) throws -> Result {
        let certificates = Certificates(try Self.pair(one))
        let configuration = Server.Configuration.varied {
            $0.certificates = certificates
            $0.idleTimeout = idle
        }
        return try withServer(responder, configuration) { port in
            try body(RawClient(port: port, trusting: one.certificate))
        }
    }

    @Test("answers requests one after the other, and several in one record")
    func requests() throws {
        try withClient { client throws in
            for target in ["/a", "/b"] {
                client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readAnswer().body == "get \(target) ")
            }
            client.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<50 { #expect(try client.readAnswer().body == "get /\(number) ") }
        }
    }

    @Test("answers without a body are not kept back")
    func withoutBody() throws {
        let responder = Echo(answer: { request in
            Response(status: Int(request.targetText.dropFirst()) ?? 200, headers: [], body: [65])
        })
        try withClient(responder) { client throws in
            for (method, status) in [("HEAD", 200), ("GET", 304), ("GET", 204), ("GET", 200)] {
                client.send("\(method) /\(status) HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try client.readAnswer(toHead: method == "HEAD")
                #expect(answer.status == status)
                #expect(answer.body == (method == "GET" && status == 200 ? "A" : ""))
            }
        }
    }

    @Test("refuses a header of more fields than the library has memory to answer, in our own words")
    func manyFields() throws {
        try withClient { client throws in
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\((2...220).map { "a\($0 % 10): b\r\n" }.joined())\r\n")
            let answer = try client.readAnswer()
            #expect(
                answer.status == 431 && answer.body == "The header has 220 fields, and the server reads at most 100.")
        }
    }

    @Test("takes bodies in many records, with a length and in chunks")
    func bodies() throws {
        let text = String(repeating: "0123456789abcdef", count: 20_000)
        try withClient { client throws in
            client.send("PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: \(text.utf8.count)\r\n\r\n" + text)
            #expect(try client.readAnswer().body == "put /a \(text)")
            let chunk = String(text.utf8.count, radix: 16)
            client.send(
                "PUT /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\r\n\(text)\r\n0\r\n\r\n")
            #expect(try client.readAnswer().body == "put /b \(text)")
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("sends a large answer to a client that reads it late")
    func largeAnswer() throws {
        let body = [UInt8](repeating: 66, count: 5_000_000)
        try withClient(Echo(answer: { _ in Response(status: 200, headers: [], body: body) })) { client throws in
            for _ in 0..<3 { client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n") }
            for _ in 0..<3 { #expect(try client.readAnswer().body.utf8.count == body.count) }
        }
    }

    @Test("has as much room for a header as HTTP, late on a connection too", arguments: [20, 98])
    func headers(count: Int) throws {
        try withClient { client throws in
            let short = "GET /a HTTP/1.1\r\nHost: a\r\n" + (0..<count).map { "X\($0): a\r\n" }.joined()
            let fill = "Y: \(String(repeating: "y", count: 8192 - short.utf8.count - 7))\r\n"
            for round in 0..<300 {
                client.send(round % 100 < 99 ? "GET /a HTTP/1.1\r\nHost: a\r\n\r\n" : short + fill + "\r\n")
                #expect(try client.readAnswer().body == "get /a ")
            }
        }
    }

    @Test("ends a connection with a farewell, in whatever way it ends")
    func farewell() throws {
        try withClient { client throws in
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            #expect(try client.readAnswer().body == "get /a ")
            #expect(try client.readToEnd() == "")
        }
        try withClient(idle: .milliseconds(500)) { client throws in
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().body == "get /a ")
            #expect(try client.readToEnd() == "")
        }
        try withClient { client throws in
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\nabc")
            #expect(try client.readAnswer().status == 413)
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("uses a new certificate for new connections, and keeps open its old ones")
    func replaced() throws {
        let certificates = Certificates(try Self.pair(one))
        try withServer(Echo(), .varied { $0.certificates = certificates }) { port in
            let old = try RawClient(port: port, trusting: one.certificate)
            certificates.current = try Self.pair(two)
            let new = try RawClient(port: port, trusting: two.certificate)
            for client in [old, new] {
                client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try client.readAnswer().body == "get /a ")
            }
            #expect(throws: TLSSession.Failure.self) { try RawClient(port: port, trusting: one.certificate) }
        }
    }

    @Test("says nothing to a client that does not speak it")
    func plain() throws {
        let certificates = Certificates(try Self.pair(one))
        try withServer(Echo(), .varied { $0.certificates = certificates }) { port in
            let client = try RawClient(port: port)
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readToEnd() == "")
        }
    }
}

import Locking
import Testing

@testable import HTTPServer

@Suite("An answer that cannot be sent")
struct UnsentAnswerTests {
    @Test("is described in one line of printable characters, whatever the target holds")
    func description() {
        let answer = RequestFault(
            id: "c0ffee", method: .put, target: "/\u{1B}[2J\n\u{E9}" + String(repeating: "x", count: 80),
            kind: .unsent(status: 400, headerSize: 120))
        #expect(
            "\(answer)" == """
                the answer to PUT /?[2J??\(String(repeating: "x", count: 73))…, status 400, cannot be sent: its header \
                lines, 120 bytes, exceed the memory of the connection (id c0ffee)
                """)
        let target = String(repeating: "~", count: 80)
        let refused = RequestFault(id: "1", method: .get, target: target, kind: .unsent(status: 200, headerSize: nil))
        #expect(
            "\(refused)" == "the answer to GET \(target), status 200, cannot be sent: libmicrohttpd refused it (id 1)")
        let failed = RequestFault(id: "1", method: .other, target: target, kind: .failed)
        #expect("\(failed)" == "the request other \(target) failed with an internal fault (id 1)")
    }

    @Test("for want of memory for its body becomes a 503 with Retry-After, and the connection goes on")
    func withoutMemory() throws {
        let told = Guarded(0)
        let responder = Echo(answer: { request in
            let headers = [("Content-Type", "text/plain")]
            return request.targetText == "/short"
                ? Response(status: 200, payload: Response.Payload(headers: headers)) : Echo.text("fine")
        })
        try withServer(responder, .varied { $0.faultLog = { _ in told.withLock { $0 += 1 } } }) { port throws in
            let client = try RawClient(port: port)
            client.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            let refused = try client.readAnswer()
            #expect(refused.status == 503 && refused.header("Retry-After") == "5")
            #expect(try client.readAnswer().body == "fine")
        }
        // Nothing is wrong with the answer.
        #expect(told.withLock { $0 } == 0)
    }
}

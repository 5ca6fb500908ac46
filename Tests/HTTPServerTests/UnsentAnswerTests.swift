import Locking
import Testing

@testable import HTTPServer

@Suite("An answer that cannot be sent")
struct UnsentAnswerTests {
    @Test("is described in one line of printable characters, whatever the target holds")
    func description() {
        let answer = UnsentAnswer(
            id: "c0ffee", method: .put, target: "/\u{1B}[2J\n\u{E9}" + String(repeating: "x", count: 80), status: 400,
            headerSize: 120, isTooLong: true)
        #expect(
            "\(answer)" == """
                the answer to PUT /?[2J??\(String(repeating: "x", count: 73))…, status 400, cannot be sent: its header \
                lines, 120 bytes, exceed the memory of the connection (id c0ffee)
                """)
    }

    @Test("for want of memory for its body becomes a 500, and the connection goes on")
    func withoutMemory() throws {
        let told = Guarded<[String]>([])
        let responder = Echo(answer: { request in
            let headers = [("Content-Type", "text/plain")]
            return request.targetText == "/short"
                ? Response(status: 200, payload: Response.Payload(withoutMemoryFor: headers)) : Echo.text("fine")
        })
        try withServer(responder, .varied { $0.faultLog = { answer in told.withLock { $0.append("\(answer)") } } }) {
            port throws in
            let client = try RawClient(port: port)
            client.send("GET /short HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.readAnswer().status == 500)
            #expect(try client.readAnswer().body == "fine")
        }
        let sentence = try #require(told.withLock { $0.first })
        #expect(
            sentence.hasPrefix("the answer to GET /short, status 200, cannot be sent: libmicrohttpd refused it (id "))
        #expect(told.withLock { $0.count } == 1)
    }
}

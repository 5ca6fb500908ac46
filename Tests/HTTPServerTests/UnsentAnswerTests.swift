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
}

import HTTPServer
import Testing

@testable import LevelsAPI

/// How the bodies of edits are read: where, and how far.
@Suite("The body of an edit") struct EditBodyTests {
    private static let document = #"[{"Title":"One"},{"Title":"Two"}]"#

    private static func edits(_ count: Int, _ end: String = "]}") -> String {
        #"{"edits":["# + Array(repeating: #"{"delete":"/detail/One"}"#, count: count).joined(separator: ",") + end
    }

    @Test("is read as far as the 1,001st step, whatever follows")
    func beyondLimit() throws {
        let desk = try EditDesk(Self.document)
        let problem = desk.send(.post, "/edits", Self.edits(1_001))
        #expect(problem.status == 422)
        #expect(problem.line.contains("'edits' must be an array of 1 to 1000 steps."))
        for rest in ["", "]", "]}x", ",}{", ",\"\\ud800\"]}"] {
            let answer = desk.send(.post, "/edits", Self.edits(1_001, rest))
            #expect(answer.status == 422 && answer.body == problem.body, "\(rest)")
            #expect(desk.send(.post, "/edits", Self.edits(1_000, rest)).status == 400, "\(rest)")
        }
        let xml = "<plist><dict><key>edits</key><array>" + String(repeating: "<dict/>", count: 1_001) + "<nothing"
        #expect(desk.send(.post, "/edits", xml, type: "application/x-plist").body == problem.body)
    }

    @Test("is read by the thread that serves if it has 64 KiB, and elsewhere if it has more", arguments: [0, 1])
    func long(extra: Int) throws {
        let threads = WorkQueueTests.Threads()
        let desk = EditDesk(try Desk.snapshot(Self.document), startWork: { threads.start($0) })
        let (head, tail) = (#"{"Text":""#, #""}"#)
        let text = String(repeating: "x", count: 65_536 - head.utf8.count - tail.utf8.count + extra)
        let fields = [
            ("Authorization", "Bearer \(EditDesk.plain)"), ("Content-Type", "application/json"),
            ("Content-Length", "\(65_536 + extra)"),
        ]
        let request = Request(
            method: .patch, target: "/detail/One", fields: fields, body: Array((head + text + tail).utf8),
            peer: "127.0.0.1")
        _ = desk.desk.api.respond(to: request)
        let isEdited = { desk.get("/detail/One").text.contains(text) }
        #expect(threads.count == extra && isEdited() == (extra == 0))
        threads.run()
        #expect(isEdited())
    }
}

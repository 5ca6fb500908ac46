import HTTPServer
import Testing

@testable import LevelsAPI

@Suite("The body of an edit") struct EditBodyTests {
    private static let document = #"[{"Title":"One"},{"Title":"Two"}]"#

    @Test("has at most 1,000 steps, in JSON and in a property list")
    func tooManySteps() throws {
        let desk = try EditDesk(Self.document)
        let most = Array(repeating: #"{"patch":{},"of":"/detail/One"}"#, count: 1_000).joined(separator: ",")
        #expect(desk.send(.post, "/edits", #"{"edits":[\#(most)]}"#).status == 200)
        let steps = Array(repeating: #"{"delete":"/detail/One"}"#, count: 1_001).joined(separator: ",")
        let problem = desk.send(.post, "/edits", #"{"edits":[\#(steps)]}"#)
        #expect(problem.status == 422)
        #expect(problem.line.contains("'edits' must be an array of 1 to 1000 steps."))
        #expect(desk.send(.post, "/edits", #"{"edits":[\#(steps)]}x"#).status == 400)
        let dictionaries = String(repeating: "<dict/>", count: 1_001)
        let xml = "<plist><dict><key>edits</key><array>\(dictionaries)</array></dict></plist>"
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

    @Test func `of any size is admitted alone, and others up to the permitted number and size of all`() {
        func admitted(_ sizes: [Int]) -> [Bool] {
            let edits = EditsInProgress(capacity: 3, byteLimit: 10)
            return sizes.map { (try? edits.begin(bytes: $0, otherwise: Response(status: 500, headers: []))) != nil }
        }
        #expect(admitted([11, 0, 0]) == [true, false, false])
        #expect(admitted([4, 6, 1, 0, 0]) == [true, true, false, true, false])
    }
}

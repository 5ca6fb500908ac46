import PropertyLists
import Testing

@testable import HTTPServer
@testable import Levels
@testable import TreeSources
@testable import TreeStore
@testable import drilldown

@Suite("The log")
struct LogTests {
    private let moment = 0.0
    private let start = #"{"time":"2001-01-01T00:00:00Z","level":"#

    private func lines(_ entry: Log.Entry) -> [String] {
        [Log(format: .text), Log(format: .json)].map { $0.line(of: entry, at: moment) }
    }

    private func snapshot(items: Int) throws -> Snapshot {
        var builder = AnyTreeBuilder()
        try builder.beginArray(at: .byte(offset: 0))
        for _ in 0..<items { try builder.scalar(.boolean(true)) }
        try builder.endArray()
        return Snapshot(document: try builder.finish().document, revision: "a-1", loadedAt: 0)
    }

    @Test("has a line for each request, with its bytes and its time")
    func access() {
        let entry = AccessEntry(
            id: "4bf92f3577b34da6a3ce929d0e0e4736", peer: "127.0.0.1", method: .get, target: "/levels/?limit=1",
            status: 200, size: 1015,
            duration: .microseconds(85), completed: true)
        #expect(
            lines(Log.Entry(entry)) == [
                "drilldown: 127.0.0.1 GET /levels/?limit=1 200 1015 bytes 85 µs 4bf92f3577b34da6a3ce929d0e0e4736",
                start
                    + #""info","event":"request","message":"127.0.0.1 GET /levels/?limit=1 200 1015 bytes 85 µs 4bf92f3577b34da6a3ce929d0e0e4736","address":"127.0.0.1","method":"GET","target":"/levels/?limit=1","status":200,"bytes":1015,"microseconds":85,"completed":true,"id":"4bf92f3577b34da6a3ce929d0e0e4736"}"#,
            ])
    }

    @Test("has the time in a line of text where nothing else adds it")
    func timed() {
        let line = Log(format: .text, isTimed: true).line(
            of: Log.Entry(severity: .warning, event: "a", text: "b"), at: 0)
        #expect(line == "2001-01-01T00:00:00Z drilldown: warning: b")
    }

    @Test("says of an answer that was not taken that it was cut off")
    func cutOff() {
        let entry = AccessEntry(
            id: "c0ffee", peer: "::1", method: .head, target: "/", status: 200, size: 1, duration: .seconds(2),
            completed: false)
        #expect(lines(Log.Entry(entry))[0] == "drilldown: ::1 HEAD / 200 1 byte 2000000 µs, cut off c0ffee")
    }

    @Test("shows numbers as numbers, and one item as one")
    func numbers() throws {
        let event = StoreEvent.loaded(try snapshot(items: 1), took: .microseconds(2_390))
        #expect(
            Log.Entry.entries(for: event, of: "a").flatMap(lines) == [
                "drilldown: loaded 1 item in 2.3 ms, revision a-1",
                start
                    + #""info","event":"loaded","message":"loaded 1 item in 2.3 ms, revision a-1","items":1,"milliseconds":2.3,"revision":"a-1"}"#,
            ])
    }

    @Test("gives the place of a warning and of a refusal as members")
    func places() throws {
        let warning = SourceWarning(
            "a.plist", warning: DocumentWarning(position: .text(line: 3, column: 5), path: "/A", message: "odd"))
        let refused = SourceError("a.plist", reason: "wrong", at: .byte(offset: 9))
        let events = [StoreEvent.warnings([warning], omitted: 0), .refused(refused, took: .zero)]
        #expect(
            events.flatMap { Log.Entry.entries(for: $0, of: "a.plist") }.map { lines($0)[1] } == [
                start
                    + #""warning","event":"warning","message":"a.plist:3:5: in /A: odd.","file":"a.plist","line":3,"column":5,"path":"/A"}"#,
                start
                    + #""error","event":"refused","message":"a.plist: byte 9: wrong. The last good version is still served.","file":"a.plist","offset":9}"#,
            ])
    }

    @Test(
        "shows ten warnings, and the command for the others",
        arguments: [(10, 1, 1, "1 more warning"), (12, 3, 5, "5 more warnings")])
    func moreWarnings(_ count: Int, _ omitted: Int, _ more: Int, _ told: String) {
        let warning = SourceWarning(
            "my a.plist", warning: DocumentWarning(position: .byte(offset: 1), path: "/", message: "odd"))
        let entries = Log.Entry.entries(
            for: .warnings(Array(repeating: warning, count: count), omitted: omitted), of: "my a.plist")
        #expect(entries.count == 11)
        #expect(
            entries.last
                == Log.Entry(
                    severity: .warning, event: "warnings",
                    text: "and \(told); list them with: drilldown check 'my a.plist'",
                    members: [.init("warnings", .number(more))]))
    }

    @Test func `each event of the store is a sentence`() throws {
        let snapshot = try snapshot(items: 2)
        let edited = StoreEvent.edited(snapshot, author: "ann", edits: 1, took: .milliseconds(3))
        let events: [(StoreEvent, String)] = [
            (.advanced(snapshot), "followed the source to revision a-1 by reload: 2 items"),
            (.unchanged(snapshot, took: .zero), "reloaded the document in 0.0 ms: it is unchanged, revision a-1"),
            (.recovered(snapshot), "the source matches the served document again, revision a-1"),
            (edited, "saved 1 edit by ann in 3.0 ms, revision a-1"),
            (.edited(snapshot, author: nil, edits: 0, took: .zero), "saved the whole document in 0.0 ms, revision a-1"),
            (.notSaved(id: "c", reason: "x", isUnknown: true), "error: edits may have been saved, or not (c): x"),
            (.notSaved(id: "c", reason: "x"), "error: edits were not saved (c): x; nothing has changed"),
            (.readOnly(SaveRefusal("it is old")), "warning: there is an edit token, but it is old"),
            (.reading("read as it is", isChange: true), "warning: now read as it is"),
            (.reading("read as it is", isChange: false), "read as it is"),
        ]
        for (event, text) in events {
            #expect(Log.Entry.entries(for: event, of: "a").map { lines($0)[0] } == ["drilldown: \(text)"])
        }
        #expect(Log.Entry.entries(for: .saved(requests: 1, took: .zero), of: "a") == [])
        let members = Log.Entry.entries(for: edited, of: "a").first?.members ?? []
        #expect(members.prefix(2) == [.init("author", .text("ann")), .init("edits", .number(1))])
    }

    @Test func `an answer that cannot be sent has the members of its request and its status`() {
        let kind = RequestFault.Kind.unsent(status: 200, headerSize: nil)
        let entry = Log.Entry(RequestFault(id: "c", method: .get, target: "/a", kind: kind))
        #expect(entry.event == "unsent" && entry.members.map(\.name) == ["id", "method", "target", "status"])
    }

    @Test("lets no control character through to a terminal")
    func controls() {
        let title = "a\u{1B}[31m\u{7}\r\n\u{7F}\u{9B}\u{202E}b\u{2028}é👩‍👩‍👧\u{1FFFF}"
        let json = #"a\u001b[31m\u0007\r\n\u007f\u009b\u202eb\u2028é👩‍👩‍👧\ud83f\udfff"#
        #expect(
            lines(Log.Entry(severity: .error, event: "start", text: title, members: [.init("path", .text(title))])) == [
                #"drilldown: error: a\u{1B}[31m\u{7}\u{D}\u{A}\u{7F}\u{9B}\u{202E}b\u{2028}é👩‍👩‍👧\u{1FFFF}"#,
                start + #""error","event":"start","message":""# + json + #"","path":""# + json + #""}"#,
            ])
    }
}

import Levels
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// `/changes` of a document whose source keeps a log (manual, Refresh).
@Suite("The changes of a source with a log") struct SourceHistoryTests {
    private static func entry(_ number: Int, _ cause: Snapshot.Cause, epoch: String = "db") -> RevisionEntry {
        RevisionEntry(name: "\(epoch)-\(number)", date: 1_600_000_000 + Double(number), cause: cause)
    }

    /// Revision 7 with the entries of 5 to 7.
    private static func desk(historyBytes: Int = 64 << 20) throws -> Desk {
        let history = [entry(5, .importer), entry(6, .database(author: "alice")), entry(7, .edit(author: "bob"))]
        return Desk(try RevisionTests.snapshot(#"["a"]"#, "db-7", history: history), historyBytes: historyBytes)
    }

    private static let imported =
        #"{"revision":"db-5","at":"2020-09-13T12:26:45Z","by":"import","levels":["/levels/"],"details":[],"truncated":true}"#
    private static let later =
        #"{"revision":"db-6","at":"2020-09-13T12:26:46Z","by":"database alice","levels":["/levels/"],"details":[],"truncated":true},{"revision":"db-7","at":"2020-09-13T12:26:47Z","by":"edit bob","levels":["/levels/"],"details":[],"truncated":true}"#

    @Test("reach back to the first entry of the log")
    func earlier() throws {
        let desk = try Self.desk()
        #expect(desk.get("/changes").line == #"{"revision":"db-7","since":"db-7","reset":false,"changes":[]}"#)
        #expect(
            desk.get("/changes?since=db-5").line
                == #"{"revision":"db-7","since":"db-5","reset":false,"changes":[\#(Self.later)]}"#)
        #expect(
            desk.get("/changes?since=db-4").line
                == #"{"revision":"db-7","since":"db-4","reset":false,"changes":[\#(Self.imported),\#(Self.later)]}"#)
        for since in ["db-3", "db-0", "other-6", "db"] { #expect(desk.get("/changes?since=\(since)").status == 410) }
        desk.api.publish(try RevisionTests.snapshot(#"["b"]"#, "db-8", cause: .database(author: nil)))
        #expect(
            desk.get("/changes?since=db-5").line == """
                {"revision":"db-8","since":"db-5","reset":false,"changes":[\(Self.later),\
                {"revision":"db-8","at":"2023-11-14T22:13:20Z","by":"database","levels":["/levels/","/levels/b","/levels/a"],\
                "details":["/detail/","/detail/b","/detail/a"]}]}
                """)
    }

    @Test("wait for the first one as ever")
    func wait() throws {
        let desk = try Self.desk()
        let request = Request(target: "/changes?since=db-7&wait=30", fields: [])
        let waiter = try #require(desk.api.respond(to: request).waiter)
        desk.api.publish(try RevisionTests.snapshot(#"["b"]"#, "db-8"))
        #expect(Answer(try #require(waiter.response)).line == desk.get("/changes?since=db-7").line)
    }

    @Test("since a revision of another server wait until it is here, and are gone if it does not come")
    func ahead() throws {
        let desk = try Self.desk()
        let waiters = try ["", "&wait=30"].flatMap { wait in
            try ["db-8", "db-9"].map { since in
                let request = Request(target: "/changes?since=\(since)\(wait)", fields: [])
                return try #require(desk.api.respond(to: request).waiter)
            }
        }
        desk.api.publish(try RevisionTests.snapshot(#"["b"]"#, "db-8"))
        #expect(waiters.map(\.hasEnded) == [true, false, false, false])
        #expect(
            Answer(try #require(waiters[0].response)).line
                == #"{"revision":"db-8","since":"db-8","reset":false,"changes":[]}"#)
        for waiter in waiters { waiter.expire() }
        #expect(Answer(try #require(waiters[1].response)).status == 410)
        #expect(Answer(try #require(waiters[2].response)).line == Answer(try #require(waiters[0].response)).line)
        #expect(Answer(try #require(waiters[3].response)).status == 410)
        // For a file it is unknown at once.
        #expect(try Desk(#"["a"]"#).get("/changes?since=k3-2").status == 410)
    }

    @Test("have an entry for each revision that a load has passed over")
    func missed() throws {
        let desk = try Self.desk()
        let history = (6...10).map { Self.entry($0, .database(author: nil)) }
        desk.api.publish(
            try RevisionTests.snapshot(#"["b"]"#, "db-10", history: history, cause: .database(author: nil)))
        let missed = [8, 9].map { number in
            #"{"revision":"db-\#(number)","at":"2020-09-13T12:26:\#(40 + number)Z","by":"database","levels":["/levels/"],"details":[],"truncated":true}"#
        }
        let last =
            #"{"revision":"db-10","at":"2023-11-14T22:13:20Z","by":"database","levels":["/levels/","/levels/b","/levels/a"],"details":["/detail/","/detail/b","/detail/a"]}"#
        #expect(
            desk.get("/changes?since=db-7").line
                == #"{"revision":"db-10","since":"db-7","reset":false,"changes":[\#(missed[0]),\#(missed[1]),\#(last)]}"#
        )
        #expect(
            desk.get("/changes?since=db-9").line
                == #"{"revision":"db-10","since":"db-9","reset":false,"changes":[\#(last)]}"#)
        // Without the entries, one entry names everything that differs.
        desk.api.publish(try RevisionTests.snapshot(#"["a"]"#, "db-20"))
        #expect(
            desk.get("/changes?since=db-10").line == """
                {"revision":"db-20","since":"db-10","reset":false,"changes":[{"revision":"db-20","at":"2023-11-14T22:13:20Z",\
                "by":"reload","levels":["/levels/","/levels/a","/levels/b"],"details":["/detail/","/detail/a","/detail/b"]}]}
                """)
        #expect(desk.get("/changes?since=db-15").status == 410)
    }

    @Test("name the first level alone after an import")
    func importer() throws {
        let desk = try Self.desk()
        desk.api.publish(try RevisionTests.snapshot(#"["a","b"]"#, "db-8", cause: .importer))
        #expect(
            desk.get("/changes?since=db-7").line == """
                {"revision":"db-8","since":"db-7","reset":false,"changes":[{"revision":"db-8","at":"2023-11-14T22:13:20Z",\
                "by":"import","levels":["/levels/"],"details":[],"truncated":true}]}
                """)
    }

    @Test(
        "are gone after the source was replaced, and a stream and those who wait are told",
        arguments: ["new-3", "db-6", "db-7"])
    func replaced(_ revision: String) throws {
        let desk = try Self.desk()
        let stream = desk.get("/changes", [("Accept", "text/event-stream")])
        #expect(stream.status == 200)
        let waiter = try #require(
            desk.api.respond(to: Request(target: "/changes?since=db-7&wait=30", fields: [])).waiter)
        let number = Int(revision.suffix(1)) ?? 0
        let epoch = String(revision.dropLast(2))
        let history = [number - 1, number].map { Self.entry($0, .edit(author: nil), epoch: epoch) }
        desk.api.publish(try RevisionTests.snapshot(#"["old"]"#, revision, history: history, cause: .edit(author: nil)))
        if revision != "db-7" {
            #expect(Answer(try #require(waiter.response)).status == 410)
            let again = desk.api.respond(to: Request(target: "/changes?since=db-7", fields: []))
            #expect(again.response?.status == (epoch == "db" ? nil : 410))
            again.waiter?.clientHasGone()
        }
        #expect(desk.get("/changes?since=\(epoch)-\(number - 3)").status == 410)
        #expect(
            desk.get("/changes?since=\(epoch)-\(number - 1)").line == """
                {"revision":"\(revision)","since":"\(epoch)-\(number - 1)","reset":false,"changes":[{"revision":"\(revision)",\
                "at":"2020-09-13T12:26:4\(number)Z","by":"edit","levels":["/levels/"],"details":[],"truncated":true}]}
                """)
        waiter.clientHasGone()
    }

    @Test("of a stream begin anew after the source was replaced")
    func stream() throws {
        let publications = Publications(first: try RevisionTests.snapshot(#"["a"]"#, "db-7"))
        let log = ChangeLog(publications)
        let stream = ChangeStream(log: log, since: "db-7")
        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let piece = unsafe bytes.withUnsafeMutableBytes { unsafe stream.read(into: $0) }
            guard case .bytes(let count) = piece else { return "" }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
        #expect(read() == "retry: 2000\n\n")
        let old = publications.current.snapshot
        log.append(publications.publish(try RevisionTests.snapshot(#"["b"]"#, "new-1")), replacing: old)
        #expect(read() == "event: reset\nid: new-1\ndata: {\"revision\":\"new-1\",\"reset\":true}\n\n")
        #expect(read() == "")
    }

    @Test("are limited by the history's budget")
    func budget() throws {
        let desk = try Self.desk(historyBytes: 0)
        #expect(desk.get("/changes?since=db-6").status == 410)
        #expect(desk.get("/changes?since=db-7").status == 200)
    }
}

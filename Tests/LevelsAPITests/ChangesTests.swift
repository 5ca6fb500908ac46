import Levels
import Testing

@testable import LevelsAPI
@testable import TestDocuments
@testable import TreeStore

/// `GET /changes` (manual, Refresh).
@Suite("The changes") struct ChangesTests {
    private func desk(_ documents: String...) throws -> Desk {
        let desk = Desk(try snapshot(documents[0], 1))
        for number in documents.indices.dropFirst() { desk.api.publish(try snapshot(documents[number], number + 1)) }
        return desk
    }

    private func snapshot(_ document: String, _ number: Int) throws -> Snapshot {
        Desk.snapshot(try Document.tree(document), revision: "k3-\(number)")
    }

    @Test("begin with the revision of now")
    func beginning() throws {
        let answer = try desk(#"["a"]"#, #"["b"]"#).get("/changes")
        #expect(answer.line == #"{"revision":"k3-2","since":"k3-2","reset":false,"changes":[]}"#)
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test("since a revision are an entry for each one after it")
    func entries() throws {
        let desk = try desk(#"["a"]"#, #"["b"]"#, #"[{"Title": "b", "Texts": ["c"]}]"#)
        #expect(
            desk.get("/changes?since=k3-1").line == """
                {"revision":"k3-3","since":"k3-1","reset":false,"changes":[\
                {"revision":"k3-2","at":"2023-11-14T22:13:20Z","by":"reload","levels":["/levels/","/levels/b","/levels/a"],\
                "details":["/detail/","/detail/b","/detail/a"]},\
                {"revision":"k3-3","at":"2023-11-14T22:13:20Z","by":"reload","levels":[],"details":["/detail/b"]}]}
                """)
        #expect(
            desk.get("/changes?since=k3-2").line == """
                {"revision":"k3-3","since":"k3-2","reset":false,"changes":[\
                {"revision":"k3-3","at":"2023-11-14T22:13:20Z","by":"reload","levels":[],"details":["/detail/b"]}]}
                """)
    }

    @Test("do not name an item that gets a section without rows, which shows nothing")
    func emptySection() throws {
        let desk = try desk(#"[{"Title":"a"}]"#, #"[{"Title":"a","Sections":[{"Title":"S","Rows":[]}]}]"#)
        #expect(desk.get("/changes?since=k3-1").line.hasSuffix(#""levels":[],"details":[]}]}"#))
    }

    @Test("of more than a thousand links name the first level and say so")
    func truncated() throws {
        let rows = (0..<600).map { "\"row \($0)\"" }.joined(separator: ",")
        #expect(
            try desk(#"["a"]"#, "[\(rows)]").get("/changes?since=k3-1").line.hasSuffix(
                #""levels":["/levels/"],"details":[],"truncated":true}]}"#))
    }

    @Test("are at most 16,384 entries, of which the oldest is forgotten first")
    func limit() throws {
        let snapshots = [try snapshot(#"["a"]"#, 0), try snapshot(#"["b"]"#, 1)]
        let publications = Publications(first: snapshots[0])
        let log = ChangeLog(publications)
        func append(_ number: Int) {
            log.append(
                [Change(from: snapshots[(number - 1) % 2], to: snapshots[number % 2])],
                leadingTo: Publication(snapshot: snapshots[number % 2], number: number))
        }
        func isKept(after number: Int) -> Bool { if case .change = log.next(after: number) { true } else { false } }
        for number in 1...16_384 { append(number) }
        #expect(isKept(after: 0))
        append(16_385)
        #expect(!isKept(after: 0))
        #expect(isKept(after: 1) && isKept(after: 16_384))
    }

    @Test("since an unknown revision are gone, with the revision to go on from")
    func gone() throws {
        let answer = try desk(#"["a"]"#).get("/changes?since=b7-4")
        #expect(answer.status == 410)
        #expect(
            answer.line == """
                {"type":"/problems/revision-gone","title":"Revision gone","status":410,\
                "detail":"The revision 'b7-4' is unknown: the server was restarted, or its history does not reach back that \
                far. Reload what you show, and continue from 'k3-1'.","instance":"/changes?since=b7-4","reset":true,\
                "revision":"k3-1"}
                """)
    }

}

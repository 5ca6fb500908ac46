import HTTPServer
import Levels
import TestSources
import Testing
import TreeSources
import TreeStore

@Suite("The example of a source whose rows are not in memory") struct NumberSourceTests {
    private func snapshot(_ count: Int) throws -> Snapshot {
        let loaded = try NumberSource(count: count).load(replacing: nil)
        return Snapshot(
            document: loaded.tree.document, rows: loaded.rows, revision: "k3-1", loadedAt: 1_700_000_000)
    }

    private func desk(_ count: Int) throws -> Desk { Desk(try snapshot(count)) }

    @Test("has pages, each of which leads to the next")
    func pages() throws {
        let desk = try desk(5)
        var target: String? = "/levels/?limit=2&fields=Square"
        var rows: [String] = []
        while let next = target {
            let page = desk.get(next)
            #expect(page.text.contains(#""count":5,"#))
            rows += page.text.matches(of: /"title":"(\d+)",.*?"fields":\{"Square":(\d+)\}/).map { "\($0.1): \($0.2)" }
            target = page.text.firstMatch(of: /"next":"([^"]+)"/).map { String($0.1) }
        }
        #expect(rows == ["0: 0", "1: 1", "2: 4", "3: 9", "4: 16"])
        #expect(
            try self.desk(1_000_000_000_000).get("/levels/?start=999999999999").text.contains(#""key":"999999999999""#))
    }

    @Test("has details with neighbours and fields")
    func details() throws {
        let detail = try desk(5).get("/detail/3").text
        #expect(detail.contains(#""position":{"index":3,"of":5,"section":0,"first":false,"last":false},"#))
        #expect(
            detail.contains(#""previous":{"title":"2","href":"/detail/2"},"next":{"title":"4","href":"/detail/4"},"#))
        #expect(detail.contains(#""fields":{"Title":"3","Square":9}"#))
        let root = try desk(5).get("/detail/").text
        #expect(
            root.contains(
                #""firstChild":{"title":"0","href":"/detail/0"},"lastChild":{"title":"4","href":"/detail/4"}"#))
    }

    @Test(
        "refuses items that do not exist, conditions, and cursors of other lists",
        arguments: [
            ("/levels/5", 404, "There is no '5' in /."),
            ("/levels/007", 404, "There is no '007' in /."),
            ("/levels/3/1", 404, "There is no '1' in /3."),
            (
                "/levels/?sort=Square", 400,
                "The numbers are all shown, in one order; ask without conditions and order."
            ),
            ("/levels/?after=.AAAAAAAAAACAAIAAAAAAAA", 400, "The cursor is not one of this list."),
        ])
    func refusals(_ target: String, _ status: Int, _ sentence: String) throws {
        let answer = try desk(5).get(target)
        #expect(answer.status == status)
        #expect(answer.text.contains(#""detail":"\#(sentence)""#), "\(answer.text)")
    }

    @Test func `refuses every edit`() throws {
        let desk = EditDesk(try snapshot(5))
        for answer in [desk.send(.delete, "/detail/3"), desk.send(.put, "/document", "[]")] {
            #expect(answer.status == 409)
            let sentence = "The records of a database are read-only here; change them in the database."
            #expect(answer.text.contains(#""detail":"\#(sentence)""#))
        }
    }
}

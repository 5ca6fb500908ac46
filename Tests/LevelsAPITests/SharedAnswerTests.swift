import HTTPServer
import Levels
import Testing
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

@Suite("Answers on their way")
struct SharedAnswerTests {
    private static let document: String = {
        var seed: UInt64 = 23
        func text() -> String {
            (0..<8).map { _ in
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return String(seed, radix: 36)
            }.joined()
        }
        return #"{"Title":"T","Rows":["#
            + (0..<1_000).map { #"{"Title":"row \#($0)","Subtitle":"\#(text())"}"# }.joined(separator: ",") + "]}"
    }()

    private func desk(cacheBytes: Int = 0, bytes: Int = 10 << 20) throws -> (Desk, ResponseBudget) {
        let budget = ResponseBudget(bytes: bytes)
        let desk = try Desk(Self.document) {
            $0.cacheBytes = cacheBytes
            $0.responseBudget = budget
        }
        return (desk, budget)
    }

    private func response(_ desk: Desk, _ target: String, _ fields: [(name: String, value: String)] = []) -> Response {
        desk.api.response(to: Request(target: target, fields: fields))
    }

    @Test(
        "to the same request have one body, whatever the cache does", arguments: [0, 64 << 20],
        [
            ("/levels/?limit=4000", []), ("/levels/?limit=4000&format=plist", []),
            ("/levels/?limit=4000", [("Accept-Encoding", "gzip")]),
            ("/levels/?limit=4000", [("Prefer", "wait=5")]),
        ] as [(String, [(name: String, value: String)])])
    func shared(cacheBytes: Int, request: (target: String, fields: [(name: String, value: String)])) throws {
        let (desk, budget) = try desk(cacheBytes: cacheBytes)
        var responses = (0..<5).map { _ in response(desk, request.target, request.fields) }
        let first = try #require(responses[0].sharedBody)
        #expect(responses.allSatisfy { $0.status == 200 && $0.sharedBody === first })
        #expect(budget.used == first.count)
        let alone = try self.desk().0
        #expect(Answer(responses[4]) == Answer(response(alone, request.target, request.fields)))
        responses = []
        #expect(budget.used == 0)
    }

    @Test("share the source of an indented answer, and each takes its buffers")
    func indented() throws {
        let (desk, budget) = try desk()
        let plain = response(desk, "/levels/?limit=4000")
        let size = budget.used
        var responses = (0..<5).map { _ in response(desk, "/levels/?limit=4000&pretty=true") }
        #expect(responses.allSatisfy { $0.isStream && $0.sharedBody === responses[0].sharedBody })
        let compact = try #require(responses[0].sharedBody?.count)
        let buffers = budget.used - size - compact
        #expect(buffers > 0 && buffers % 5 == 0)
        let all = Set(responses.map { Answer($0).text })
        #expect(all.count == 1)
        responses = []
        #expect(budget.used == size)
        withExtendedLifetime(plain) {}
    }

    @Test("have another body after a change of the shown rows, and the same one after a change elsewhere")
    func changed() throws {
        let document = { (title: String, other: String) in
            Self.document.dropLast(2) + #",{"Title":"\#(title)"},{"Title":"Z","Children":["\#(other)"]}]}"#
        }
        let budget = ResponseBudget(bytes: 10 << 20)
        let desk = try Desk(String(document("a", "b"))) { $0.responseBudget = budget }
        let old = response(desk, "/levels/?limit=5000")
        desk.api.publish(try Desk.snapshot(String(document("a", "c"))))
        #expect(response(desk, "/levels/?limit=5000").sharedBody === old.sharedBody)
        desk.api.publish(try Desk.snapshot(String(document("d", "c"))))
        let new = response(desk, "/levels/?limit=5000")
        #expect(new.sharedBody !== old.sharedBody)
        #expect(Answer(new) == (try Desk(String(document("d", "c")))).get("/levels/?limit=5000"))
    }

    @Test("without room are refused with the seconds to wait; short ones are not")
    func refused() throws {
        let (desk, budget) = try desk(bytes: 100_000)
        for target in [
            "/levels/?limit=4000", "/levels/?limit=4000&format=plist", "/levels/?limit=4000&pretty=true", "/document",
        ] {
            let answer = desk.get(target)
            #expect(answer.status == 503)
            #expect(answer.headers.contains("Retry-After: 2"))
            #expect(answer.text.contains(#""/problems/too-many-answers""#))
        }
        #expect(budget.refusals == 4)
        #expect(budget.used == 0)
        #expect(desk.get("/levels/?limit=50").status == 200)
        // Refused again without being made.
        for _ in 0..<3 { #expect(desk.get("/levels/?limit=4000").status == 503) }
        let metrics = desk.get("/metrics").text
        #expect(metrics.contains("\ndrilldown_response_bytes 0\n"))
        #expect(metrics.contains("\ndrilldown_response_bytes_limit 100000\n"))
        #expect(metrics.contains("\ndrilldown_responses_refused_total 7\n"))
    }

    @Test("are the client's copies, so that it gets the changes since")
    func version() throws {
        let rows = (0..<1_000).map { "\"row \($0)\"" }.joined(separator: ",")
        func snapshot(_ rows: String, _ others: Int, _ revision: String) throws -> Snapshot {
            let others = (0..<others).map { "\"other \($0)\"" }.joined(separator: ",")
            return Desk.snapshot(
                try Document.tree(#"[{"Title":"a","Children":[\#(rows)]},{"Title":"b","Children":[\#(others)]}]"#),
                revision: revision)
        }
        let desk = Desk(try snapshot(rows, 20_000, "k3-0"), cacheBytes: 0, historyBytes: 200_000)
        let held = response(desk, "/levels/a")
        desk.api.publish(try snapshot(rows, 1, "k3-1"))
        let shared = response(desk, "/levels/a")
        #expect(shared.sharedBody === held.sharedBody)
        let since = Answer(shared).entityTag.dropFirst().dropLast()
        // So much shorter that the version is not searched for.
        desk.api.publish(try snapshot("\"row 0\"", 0, "k3-2"))
        #expect(desk.api.publications.replaced.map(\.revision) == ["k3-1"])
        #expect(desk.get("/levels/a?since=\(since)").text.contains(#""removed":["row 1","row 2","#))
    }

    @Test("of a whole level, because the version was unknown, are not reused for the next publication")
    func unknownVersion() throws {
        let other = Self.document.dropLast(2) + #",{"Title":"x"}]}"#
        let since = try Desk(String(other)).get("/levels/?limit=5000").entityTag.dropFirst().dropLast()
        let (desk, _) = try desk()
        let held = response(desk, "/levels/?limit=5000&since=\(since)")
        #expect(try #require(held.sharedBody).count > 64 << 10)
        desk.api.publish(try Desk.snapshot(String(other)))
        #expect(desk.get("/levels/?limit=5000").entityTag == "\"\(since)\"")
        desk.api.publish(try Desk.snapshot(Self.document))
        #expect(desk.get("/levels/?limit=5000&since=\(since)").text.contains(#""removed":["x"],"inserted":[]"#))
        withExtendedLifetime(held) {}
    }

    @Test("that had no room are made again for another publication, in which they may be short")
    func shorter() throws {
        let (desk, budget) = try desk(bytes: 100_000)
        #expect(desk.get("/levels/?limit=4000").status == 503)
        desk.api.publish(try Desk.snapshot(#"["a"]"#))
        #expect(desk.get("/levels/?limit=4000").status == 200)
        #expect(budget.refusals == 1)
    }
}

import HTTPServer
import Testing

@testable import LevelsAPI

/// `GET /openapi.json` as an answer.
@Suite("The answer with the description") struct DescriptionAnswerTests {
    private static let target = "/openapi.json"

    @Test("is JSON that a cache asks for again, and the same each time")
    func header() throws {
        let desk = try Desk(#"["a"]"#)
        let answer = desk.get(Self.target)
        #expect(answer.status == 200)
        #expect(answer.headers == answer.taggedHeaders())
        #expect(answer.text.hasPrefix(#"{"openapi":"3.1.0","info":{"title":"drilldown","version":"0","#))
        #expect(desk.get(Self.target) == answer)
        #expect(desk.ask(.head, Self.target) == answer)
        #expect(try Desk(#"{"Rows":["b"]}"#).get(Self.target) == answer)
    }

    @Test("comes in each coding", arguments: ["gzip", "br"])
    func coded(_ coding: String) throws {
        let desk = try Desk(#"["a"]"#)
        for target in [Self.target, Self.target + "?pretty=true"] {
            let answer = desk.get(target, [("Accept-Encoding", coding)])
            #expect(answer.header("Content-Encoding") == coding)
            #expect(answer.decoded == desk.get(target))
        }
        #expect(desk.get(Self.target, [("Accept-Encoding", "identity;q=0, x")]).status == 406)
    }

    @Test("is laid out for people if that is asked for")
    func pretty() throws {
        let desk = try Desk(#"["a"]"#)
        let (compact, pretty) = (desk.get(Self.target), desk.get(Self.target + "?pretty=true"))
        #expect(pretty.text.hasPrefix("{\n  \"openapi\": \"3.1.0\",\n"))
        #expect(pretty.entityTag == compact.entityTag.dropLast() + "-pretty\"")
        #expect(pretty.text.filter { !" \n".contains($0) } == compact.text.filter { !" \n".contains($0) })
    }

    @Test("is not sent to clients that have it")
    func conditions() throws {
        let desk = try Desk(#"["a"]"#)
        let answer = desk.get(Self.target)
        let unchanged = desk.get(Self.target, [("If-None-Match", answer.entityTag)])
        #expect(unchanged.status == 304)
        #expect(unchanged.headers == answer.keepingLines)
        #expect(desk.get(Self.target, [("If-Match", "\"x\"")]).status == 412)
    }

    @Test("has the version of the program")
    func version() throws {
        let desk = try Desk(#"["a"]"#) { $0.counters = ServiceCounters(version: "1.2.3") }
        #expect(
            desk.get(Self.target).text.hasPrefix(#"{"openapi":"3.1.0","info":{"title":"drilldown","version":"1.2.3","#))
    }
}

import HTTPServer
import Levels
import LevelsAPI
import Testing

@testable import TestDocuments

/// `GET /` (manual, Requests and answers).
@Suite("The index") struct IndexTests {
    private static let document = #"{"Title":"Shop \"A\"","Rows":["a",{"Title":"b","Rows":["c"]}]}"#

    @Test("gives the document and the first links, whatever is accepted")
    func whole() throws {
        let desk = try Desk(Self.document)
        for accept in ["*/*", "text/html", "application/json", "application/x-plist", "image/png"] {
            let answer = desk.get("/", [("Accept", accept)])
            #expect(answer.status == 200)
            #expect(answer.headers == answer.taggedHeaders() + ["Link: </openapi.json>; rel=\"service-desc\""])
            #expect(
                answer.line == #"""
                    {"title":"Shop \"A\"","items":3,"revision":"k3-1","editable":false,"links":{"levels":"/levels/",\#
                    "detail":"/detail/","document":"/document","changes":"/changes","openapi":"/openapi.json",\#
                    "health":"/healthz","readiness":"/readyz"}}
                    """#)
        }
    }

    @Test("is 304 for clients that have it, until another tree is published")
    func conditions() throws {
        let desk = try Desk(Self.document)
        let tag = desk.get("/").entityTag
        let fields = [("If-None-Match", "W/\(tag)")]
        #expect(desk.get("/", fields).status == 304)
        #expect(desk.get("/", fields).headers == desk.get("/").keepingLines)
        #expect(desk.ask(.head, "/") == desk.get("/"))
        desk.api.publish(Desk.snapshot(try Document.tree(#"["x"]"#), revision: "k3-2"))
        #expect(desk.get("/", fields).status == 200)
        #expect(desk.get("/").text.hasPrefix(#"{"title":"Root","items":1,"revision":"k3-2","editable":false,"#))
    }

    @Test("is coded where it is long")
    func coded() throws {
        let desk = try Desk(#"{"Title":"\#(CodingTests.text)","Rows":["a"]}"#)
        #expect(desk.get("/", [("Accept-Encoding", "br")]).decoded == desk.get("/"))
    }
}

import HTTPServer
import Levels
import PropertyLists
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// `--base-path` (manual, Running): a proxy serves the service under a path, and passes it on or removes it.
@Suite("Under a base path") struct BasePathTests {
    private static let document = #"[{"Title":"A b","Children":["x","y"]},{"Title":"C"}]"#

    private func desk() throws -> EditDesk { EditDesk(try Desk.snapshot(Self.document), basePath: "/api") }

    @Test("all links of an answer begin with the path, and requests may", arguments: ["", "/api"])
    func answers(prefix: String) throws {
        let desk = try desk()
        #expect(
            desk.get(prefix + "/levels/A%20b").shape == """
                {"title":"A b","href":"/api/levels/A%20b","detail":"/api/detail/A%20b","version":"V","depth":1,\
                "leaf":false,"ancestors":[{"title":"Root","href":"/api/levels/"}],"count":2,\
                "sections":[{"title":null,"index":null,"start":0,"count":2}],"rows":[\
                {"key":"x","version":"v","title":"x","leaf":true,"count":0,"href":"/api/detail/A%20b/x","fields":{}},\
                {"key":"y","version":"v","title":"y","leaf":true,"count":0,"href":"/api/detail/A%20b/y","fields":{}}],\
                "next":null,"after":null}
                """)
        #expect(
            desk.get(prefix + "/detail/C").shape == """
                {"title":"C","href":"/api/detail/C","level":"/api/levels/C","version":"V","fieldsVersion":"f","depth":1,\
                "leaf":true,"count":0,"ancestors":[{"title":"Root","href":"/api/levels/"}],\
                "position":{"index":1,"of":2,"section":0,"first":false,"last":true},\
                "previous":{"title":"A b","href":"/api/detail/A%20b"},"next":null,"firstChild":null,"lastChild":null,\
                "fields":{"Title":"C"}}
                """)
        #expect(
            desk.get(prefix + "/levels/A%20b/lost").line == """
                {"type":"/api/problems/no-such-item","title":"No such item","status":404,\
                "detail":"There is no 'lost' in /A b.","instance":"/api/levels/A%20b/lost","nearest":"/api/levels/A%20b"}
                """)
        let index = desk.get(prefix.isEmpty ? "/" : prefix)
        #expect(
            index.line.hasSuffix(
                """
                "links":{"levels":"/api/levels/","detail":"/api/detail/","document":"/api/document",\
                "changes":"/api/changes","openapi":"/api/openapi.json","health":"/api/healthz",\
                "readiness":"/api/readyz"}}
                """))
        #expect(index.header("Link") == "</api/openapi.json>; rel=\"service-desc\"")
        #expect(desk.get(prefix + "/problems/conflict").line.hasPrefix(#"{"type":"/api/problems/conflict","#))
    }

    @Test("so do the links of the other pages, in the body and in the header")
    func pages() throws {
        let desk = try desk()
        let first = desk.get("/api/levels/?limit=1&sort=-Title")
        let next = try #require(first.line.firstMatch(of: /"next":"([^"]*)"/)).output.1
        #expect(next.hasPrefix("/api/levels/?limit=1&sort=-Title&after="))
        #expect(first.header("Link") == "<\(next)>; rel=\"next\"")
        let second = desk.get(String(next)).line
        #expect(second.contains(#""previous":"/api/levels/?limit=1&sort=-Title&start=0","next":null"#))
    }

    @Test("so do the links of an edit's answer, and the links in its body may")
    func edits() throws {
        let desk = try desk()
        let tag = desk.get("/levels/").entityTag
        let made = desk.send(.post, "/api/levels/", #""N""#, [("If-Match", tag)])
        #expect((made.status, made.header("Location")) == (201, "/api/detail/N"))
        #expect(made.header("Content-Location") == "/api/detail/N")
        #expect(made.body == desk.get("/detail/N").body)
        let moved = desk.send(.post, "/api/moves", #"{"from":"/api/detail/N","to":"/levels/A%20b"}"#)
        #expect((moved.status, moved.header("Content-Location")) == (200, "/api/detail/A%20b/N"))
        let steps = [
            #"{"delete":"/api/detail/A%20b/x"}"#, #"{"patch":{"T":1},"of":"/detail/C"}"#,
            #"{"insert":"M","to":"/api/levels"}"#,
        ]
        let done = desk.send(.post, "/edits", #"{"edits":[\#(steps.joined(separator: ","))]}"#)
        #expect(done.line.hasSuffix(#""edits":[null,{"href":"/api/detail/C"},{"href":"/api/detail/M"}]}"#))
        let wrong = desk.send(.post, "/edits", #"{"edits":[{"delete":"/apix/detail/C"}]}"#)
        #expect(wrong.line.contains("'delete' must be a link that begins with /detail/, not '/apix/detail/C'."))
        let missing = desk.send(.post, "/edits", #"{"edits":[{"delete":"/api/detail/A%20b/q"}]}"#)
        #expect(missing.line.contains(#""nearest":"/api/levels/A%20b","edit":0"#))
    }

    @Test("so do the links of changes, one by one and all")
    func changes() throws {
        func snapshot(_ document: String, _ number: Int) throws -> Snapshot {
            Desk.snapshot(try Document.tree(document), revision: "k3-\(number)")
        }
        let desk = try Desk(snapshot(#"["a"]"#, 1)) { $0.basePath = "/api" }
        desk.api.publish(try snapshot(#"["b"]"#, 2))
        let many = (0..<1_200).map { "\"\($0)\"" }.joined(separator: ",")
        desk.api.publish(try snapshot("[\(many)]", 3))
        #expect(
            desk.get("/api/changes?since=k3-1").line == """
                {"revision":"k3-3","since":"k3-1","reset":false,"changes":[\
                {"revision":"k3-2","at":"2023-11-14T22:13:20Z","by":"reload",\
                "levels":["/api/levels/","/api/levels/b","/api/levels/a"],\
                "details":["/api/detail/","/api/detail/b","/api/detail/a"]},\
                {"revision":"k3-3","at":"2023-11-14T22:13:20Z","by":"reload",\
                "levels":["/api/levels/"],"details":[],"truncated":true}]}
                """)
    }

    @Test("the description has the path in its server, in the types of problems and in the patterns of links")
    func description() throws {
        let desk = try Desk(Self.document) { $0.basePath = "/a.b" }
        let answer = desk.get("/a.b/openapi.json")
        let description = try PropertyListValue(json: answer.body)
        #expect(description["servers"] == [["url": "/a.b/", "description": "The server that gives this description."]])
        #expect(description["externalDocs"]?["url"] == "/a.b/problems/")
        #expect(answer.line.contains(#""/a.b/problems/bad-path""#) && !answer.line.contains(#""/problems/bad-path"#))
        #expect(description["components"]?["schemas"]?["LevelLink"]?["pattern"] == #"^(/a\.b)?/levels(/[^?#]*)?$"#)
    }

    @Test(
        "no segment of the path is the name of an endpoint",
        arguments: [("", true), ("/music", true), ("/a/levelsx", true), ("/levels", false), ("/a/changes/b", false)])
    func names(path: String, isBasePath: Bool) {
        #expect(LevelsAPI.Configuration.isBasePath(path) == isBasePath)
    }
}

import HTTPServer
import Levels
import LevelsAPI
import Testing

@testable import TestDocuments

/// Every body of lines ends with a line feed, so that a prompt after it begins a line of its own.
@Suite("A body") struct LineFeedTests {
    private static let document = #"[{"Title":"a","Rows":["b"]},"c"]"#

    @Test(
        "of JSON, and of a property list as XML, ends with one line feed and has no other at its end",
        arguments: [
            "/", "/levels/", "/levels/?limit=1", "/levels/c", "/detail/", "/detail/a", "/document?format=json",
            "/document/c?format=json", "/changes", "/changes?since=k3-1", "/healthz", "/readyz", "/problems",
            "/problems/bad-path", "/levels/x", "/levels/?x", "/levels/%", "/x", "/changes?since=x",
            "/levels/?format=plist", "/detail/a?format=plist", "/document", "/document/c", "/?pretty=true",
            "/levels/?pretty=true", "/detail/a?pretty=true", "/document?format=json&pretty=true",
            "/changes?pretty=true",
        ])
    func end(_ target: String) throws {
        let desk = Desk(Desk.snapshot(try Document.tree(#"["old"]"#)))
        desk.api.publish(Desk.snapshot(try Document.tree(Self.document), revision: "k3-2"))
        for coding in ["identity", "identity;q=0, gzip"] {
            let answer = desk.get(target, [("Accept-Encoding", coding)])
            let text = (answer.decoded ?? answer).text
            #expect(text.hasSuffix("}\n") || text.hasSuffix("]\n") || text.hasSuffix("\"\n") || text.hasSuffix(">\n"))
        }
    }

    @Test("of a long document ends with one line feed")
    func longDocument() throws {
        let rows = (0..<20_000).map { "\"row \($0)\"" }.joined(separator: ",")
        let desk = try Desk("[\(rows)]")
        #expect(desk.get("/document?format=json").text.hasSuffix("\"row 19999\"]\n"))
    }
}

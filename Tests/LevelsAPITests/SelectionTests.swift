import Bytes
import ContentCodings
import HTTPServer
import Levels
import Testing
import TreeStore

@testable import LevelsAPI

/// From the request to the selected representation.
@Suite("The selection of a representation") struct SelectionTests {
    @Test("does not search the cache again for answers known to be missing")
    func searchedOnce() throws {
        let snapshot = try Desk.snapshot(#"["a"]"#)
        let publications = Publications(first: snapshot, historyBytes: 0)
        let publication = publications.current
        let cache = ResponseCache(bytes: 1 << 20)
        let selection = Selection(publications: publications, cache: cache, configuration: .init())
        let request = Request(target: "/levels/")
        let negotiation = Negotiation(request: request, origins: .none)
        let key = negotiation.key(of: request.target)
        let question = Question(
            subject: .level, at: .root, values: QueryValues(), from: Query(.level), of: request, key: key,
            negotiation, now: 0)
        let inquiry = try Inquiry(question: question, in: publication, arrangements: selection.arrangements)
        let kept = RenderedAnswer(
            Response(status: 200, headers: []), head: Representation.Head(entityTag: "\"kept\"", headers: []),
            isReplaced: false, to: inquiry, isKept: true)
        cache.keep(kept, hash: key, in: publication.number)
        let selected = try selection.select(inquiry)
        #expect(selected.entityTag == "\"kept\"")
        #expect(try selected.response() === kept.kept?.response)
        #expect(selected.notModified() === kept.kept?.notModified)
        let rendered = try selection.select(inquiry, found: .missing)
        #expect(rendered.entityTag == Desk(snapshot).get("/levels/").entityTag)
    }

    @Test("makes the body when it is wanted, and once")
    func madeOnce() throws {
        var made = 0
        var written = ByteBuffer()
        written.append("{}\n" as StaticString)
        let selected = Representation(
            head: Representation.Head(entityTag: "\"x\"", headers: [("A", "b")]),
            body: .bytes(
                try Response.Body(whole: written),
                instead: { () throws(Problem) in
                    made += 1
                    return nil
                }))
        #expect(selected.notModified().status == 304)
        #expect(made == 0)
        let response = try selected.response()
        #expect(try selected.response() === response)
        #expect(Answer(response) == Answer(Response(status: 200, headers: [("A", "b")], body: Array("{}\n".utf8))))
        let more = try selected.response(adding: [("C", "d")])
        #expect(
            Answer(more) == Answer(Response(status: 200, headers: [("A", "b"), ("C", "d")], body: Array("{}\n".utf8))))
        #expect(made == 1)
    }
}

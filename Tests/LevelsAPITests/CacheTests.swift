import HTTPServer
import Levels
import LevelsAPI
import Testing

@testable import TestDocuments

/// Answers that are kept are the answers that would be made (`ResponseCache`).
@Suite struct CacheTests {
    private static let targets = [
        "/levels/", "/levels/a", "/detail/a", "/levels/?limit=1", "/levels/?fields=*", "/levels/?format=plist",
        "/detail/?format=plist",
    ]

    @Test("An answer from the cache has the same bytes and header lines as one that is made anew")
    func sameBytes() throws {
        let document = #"[{"Title":"a","Rows":["b","c"]},"d"]"#
        let (caching, making) = (try Desk(document), try Desk(document, cacheBytes: 0))
        for target in Self.targets {
            for fields in [
                [], [("Accept", "application/x-plist")], [("Accept", "text/html")], [("Accept", "text/csv")],
                [("If-None-Match", "*")],
                [("Accept-Encoding", "br, identity;q=0")], [("Accept-Encoding", "gzip, identity;q=0")],
            ] {
                let expected = making.get(target, fields)
                for _ in 0..<4 {
                    #expect(caching.get(target, fields) == expected)
                    #expect(caching.ask(.head, target, fields).headers == expected.headers)
                }
            }
        }
    }

    @Test("The second time an answer is made it is kept, and given again as the very same response")
    func keeps() throws {
        let api = try Desk(#"["a"]"#).api
        func ask(_ target: String, _ accept: String = "*/*") -> Response {
            api.response(to: Request(target: target, fields: [("Accept", accept)]))
        }
        let first = ask("/levels/")
        let second = ask("/levels/")
        #expect(first !== second)
        #expect(ask("/levels/") === second)
        #expect(ask("/levels") !== second)
        let list = ask("/levels/", "application/x-plist")
        #expect(list.header("Content-Type") == "application/x-plist")
        #expect(ask("/levels/", "application/x-plist") === ask("/levels/", "application/x-plist"))
        #expect(ask("/levels/") === second)
    }

    @Test("The title of a section changes an answer though its rows stay")
    func sectionTitle() throws {
        func snapshot(_ title: String, _ revision: String) throws -> Snapshot {
            let document = #"{"Sections":[{"Title":"\#(title)","Rows":["a"]}]}"#
            return Desk.snapshot(try Document.tree(document), revision: revision)
        }
        let desk = Desk(try snapshot("Old", "k3-1"))
        for _ in 0..<3 { #expect(desk.get("/levels/").line.contains(#""sections":[{"title":"Old""#)) }
        desk.api.publish(try snapshot("New", "k3-2"))
        for _ in 0..<3 { #expect(desk.get("/levels/").line.contains(#""sections":[{"title":"New""#)) }
    }

    private static let shown = #"{"Title":"R","Sections":[["a"],[{"Title":"b","N":1,"Rows":["c","d","e"]},"f"]]}"#

    @Test(
        "A kept answer is not given again after a change of anything that it shows",
        arguments: [
            ("/detail/b", #""R""#, #""S""#), ("/detail/b", #""a""#, #""A""#), ("/detail/b", #""f""#, #""F""#),
            ("/detail/b", #""c""#, #""C""#), ("/detail/b", #""e""#, #""E""#), ("/detail/b", #""N":1"#, #""N":2"#),
            ("/detail/b", #""f"]"#, #""f","g"]"#), ("/detail/b", #""a"],["#, #""a","#),
            ("/levels/b", #""R""#, #""S""#), ("/levels/b", #""d""#, #""D""#), ("/levels/", #""c","d""#, #""c""#),
            ("/levels/", #""a"],["#, #""a","#),
        ])
    func shownChange(target: String, old: String, new: String) throws {
        let document = Self.shown.replacing(old, with: new)
        let desk = try Desk(Self.shown)
        for _ in 0..<3 { _ = desk.get(target) }
        let (before, after) = (desk.get(target).text, try Desk(document).get(target).text)
        #expect(before != after)
        desk.api.publish(Desk.snapshot(try Document.tree(document), revision: "k3-2"))
        for _ in 0..<3 { #expect(desk.get(target).text == after) }
    }

    @Test("Nothing is kept without room, nor any answer too large for its share")
    func noRoom() throws {
        let none = try Desk(#"["a"]"#, cacheBytes: 0).api
        let rows = (0..<500).map { #""a row of a level that is large \#($0)""# }.joined(separator: ",")
        let small = try Desk("[\(rows)]", cacheBytes: 1 << 20).api
        for api in [none, small] {
            _ = api.response(to: Request(target: "/levels/"))
            let second = api.response(to: Request(target: "/levels/"))
            #expect(api.response(to: Request(target: "/levels/")) !== second)
        }
    }

    @Test("A cache too small for all answers gives the right ones all the same")
    func eviction() throws {
        let titles = (0..<400).map { "row \($0)" }
        let document = "[" + titles.map { #"{"Title":"\#($0)","Rows":["x","y"]}"# }.joined(separator: ",") + "]"
        let desk = try Desk(document, cacheBytes: 200_000)
        let expected = titles.map { desk.get("/levels/" + $0.replacing(" ", with: "%20")) }
        for round in 0..<5 {
            for (number, title) in titles.enumerated() {
                // Some are asked for more often than others, so that some are used when the hand passes.
                for _ in 0...(number % (round + 2) == 0 ? 2 : 0) {
                    #expect(desk.get("/levels/" + title.replacing(" ", with: "%20")) == expected[number])
                }
            }
        }
    }

    @Test("Refused requests are not kept")
    func problems() throws {
        let desk = try Desk(#"["a"]"#)
        for target in ["/levels/x", "/levels/?x", "/levels/%", "/x"] {
            let first = desk.api.response(to: Request(target: target))
            let second = desk.api.response(to: Request(target: target))
            let third = desk.api.response(to: Request(target: target))
            #expect(first !== second && second !== third)
            #expect(Answer(first) == Answer(third))
        }
    }
}

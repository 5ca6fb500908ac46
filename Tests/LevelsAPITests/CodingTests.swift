import ContentCodings
import HTTPServer
import Levels
import LevelsAPI
import Testing

@testable import TestDocuments

/// Levels, details and pages in the coding that a client asks for (manual, Requests and answers).
@Suite struct CodingTests {
    /// A level of 40 rows, and below it one of one row.
    static let document =
        #"{"Rows":[{"Title":"first","Rows":["x"],"Text":"\#(text)"},"#
        + (1..<40).map { #"{"Title":"row \#($0)","Subtitle":"of many"}"# }.joined(separator: ",") + "]}"
    static let text = String(repeating: "One or two paragraphs. ", count: 80)
    static let long = ["/levels/", "/levels/?format=plist", "/levels/?limit=30", "/detail/first", "/problems"]
    static let short = ["/levels/first", "/levels/row%2039", "/detail/first/x", "/problems/bad-path"]

    private static func asking(_ field: String) -> [(name: String, value: String)] { [("Accept-Encoding", field)] }

    @Test("A coded answer is the plain one with a tag of its own", arguments: ["gzip", "br"])
    func coded(_ token: String) throws {
        let desk = try Desk(Self.document)
        for target in Self.long {
            let plain = desk.get(target)
            let answer = desk.get(target, Self.asking(token))
            #expect(answer.header("Content-Encoding") == token)
            #expect(answer.decoded == plain)
            #expect(answer.body.count < plain.body.count / 2)
            #expect(answer.header("ETag") == plain.header("ETag").map { "\($0.dropLast())-\(token)\"" })
            let head = desk.ask(.head, target, Self.asking(token))
            #expect(head == answer)
        }
    }

    @Test("The header lines of a coded level stand in order")
    func headers() throws {
        let answer = try Desk(Self.document).get("/levels/?limit=30", Self.asking("gzip, deflate, br"))
        let version = try #require(answer.decoded?.text.firstMatch(of: /"version":"([A-Za-z0-9_-]{22})"/)?.output.1)
        let next = try #require(answer.decoded?.text.firstMatch(of: /"next":"([^"]*)"/)?.output.1)
        #expect(
            answer.headers == [
                "Content-Type: application/json", "Content-Encoding: br", "ETag: \"\(version)-br\"",
                "Cache-Control: no-cache", "X-Content-Type-Options: nosniff", "Vary: Accept-Encoding, Accept",
                "Link: <\(next)>; rel=\"next\"",
            ])
    }

    @Test(
        "A client that asks for no coding, or badly, gets the body as it is",
        arguments: ["", "identity", "deflate, zstd", "gzip;q=0", "gzip;q=7", "br;x=1", "\"gzip\""])
    func plain(_ field: String) throws {
        let desk = try Desk(Self.document)
        for target in Self.long + Self.short { #expect(desk.get(target, Self.asking(field)) == desk.get(target)) }
    }

    @Test("A short body is coded only where it must be")
    func short() throws {
        let desk = try Desk(Self.document)
        for target in Self.short {
            let plain = desk.get(target)
            #expect(plain.body.count < CodingChoice.leastBytes)
            #expect(desk.get(target, Self.asking("gzip, br")) == plain)
            let forced = desk.get(target, Self.asking("identity;q=0, gzip"))
            #expect(forced.header("Content-Encoding") == "gzip")
            #expect(forced.decoded == plain)
        }
    }

    @Test("If no coding is accepted, the answer is 406 and names the available ones")
    func notAcceptable() throws {
        let desk = try Desk(Self.document)
        for target in Self.long + Self.short + ["/document"] {
            for _ in 0..<3 {
                let answer = desk.get(target, Self.asking("*;q=0"))
                #expect(answer.status == 406)
                #expect(answer.headers == Answer.problemHeaders)
                #expect(
                    answer.line == """
                        {"type":"/problems/not-acceptable","title":"Not acceptable","status":406,\
                        "detail":"Accept-Encoding accepts none of the available content codings: br, gzip and \
                        identity.","instance":"\(target)","allowed":["br","gzip","identity"]}
                        """)
            }
        }
        #expect(desk.get("/levels/x", Self.asking("*;q=0")).status == 404)
        #expect(desk.get("/levels/?x", Self.asking("*;q=0")).status == 400)
    }

    @Test("Problems and the state of the service are sent as they are, whatever the request accepts")
    func neverCoded() throws {
        let desk = try Desk(Self.document)
        for target in ["/levels/x", "/x", "/levels/?x", "/healthz", "/readyz"] {
            for field in ["gzip, br", "identity;q=0, br", "*;q=0"] {
                #expect(desk.get(target, Self.asking(field)) == desk.get(target))
            }
        }
    }

    @Test("If-None-Match is compared with the tag of the coding to be sent")
    func conditions() throws {
        for cacheBytes in [0, 1 << 20] {
            let desk = try Desk(Self.document, cacheBytes: cacheBytes)
            let fields = ["", "gzip", "br"]
            for target in Self.long where target != "/problems" {
                let answers = fields.map { desk.get(target, Self.asking($0)) }
                #expect(Set(answers.map(\.entityTag)).count == 3)
                // Four times, so that answers made, kept and given again are all seen.
                for _ in 0..<4 {
                    for (field, answer) in zip(fields, answers) {
                        for other in answers {
                            let asked = Self.asking(field) + [("If-None-Match", other.entityTag)]
                            let found = desk.get(target, asked)
                            let isHad = other.entityTag == answer.entityTag
                            #expect(found.headers == (isHad ? answer.keepingLines : answer.headers))
                            #expect(found.status == (other.entityTag == answer.entityTag ? 304 : 200))
                            #expect(found.body == (found.status == 304 ? [] : answer.body))
                        }
                        let any = desk.get(target, Self.asking(field) + [("If-None-Match", "*")])
                        #expect(any.status == 304)
                        #expect(any.headers == answer.keepingLines)
                    }
                }
            }
        }
    }

    @Test("Each coding is kept beside the plain answer, and given again as the very same response")
    func kept() throws {
        let api = try Desk(Self.document, cacheBytes: 16 << 20).api
        func ask(_ field: String?, _ accept: String = "*/*") -> Response {
            let coding = field.map { [("Accept-Encoding", $0)] } ?? []
            return api.response(to: Request(target: "/levels/", fields: [("Accept", accept)] + coding))
        }
        let cases: [(String?, String)] = [
            (nil, "*/*"), ("gzip", "*/*"), ("br", "*/*"), (nil, "application/x-plist"), ("gzip", "application/x-plist"),
            ("br", "application/x-plist"), ("identity;q=0, gzip", "*/*"), ("identity;q=0, br", "*/*"),
        ]
        for (field, accept) in cases { _ = ask(field, accept) }
        let kept = cases.map { ask($0, $1) }
        for (number, (field, accept)) in cases.enumerated() {
            #expect(ask(field, accept) === kept[number], "\(cases[number])")
        }
        #expect(Set(kept.map { ObjectIdentifier($0) }).count == cases.count)
        #expect(ask("gzip, deflate, br") === kept[2])
        #expect(ask("identity") === kept[0])
    }

    @Test("The configured Cache-Control goes out with every coding, and not with problems or the state")
    func cacheControl() throws {
        let value = "max-age=60, stale-while-revalidate=600"
        let desk = try Desk(Self.document) { $0.cacheControl = value }
        for target in ["/levels/", "/detail/first", "/document", "/levels/?format=plist"] {
            for field in ["", "gzip", "br"] {
                let answer = desk.get(target, Self.asking(field))
                #expect(answer.header("Cache-Control") == value)
                let unchanged = desk.get(target, Self.asking(field) + [("If-None-Match", answer.entityTag)])
                #expect(unchanged.status == 304)
                #expect(unchanged.header("Cache-Control") == value)
            }
        }
        for target in ["/levels/x", "/x", "/levels/?x", "/healthz", "/readyz", "/problems"] {
            #expect(desk.get(target).header("Cache-Control") == "no-store")
        }
        #expect(desk.ask(.post, "/levels/").header("Cache-Control") == "no-store")
    }
}

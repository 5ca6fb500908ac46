import HTTPServer
import LevelsAPI
import Testing

/// Requests up to the maximum length are answered like short ones, and longer ones are refused with the limit.
@Suite("A long request") struct LongRequestTests {
    private static let document = #"[{"Title":"a","Price":1},{"Title":"b","Rows":["c"]}]"#

    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
    }

    /// A field with a long list, and the short ones that mean the same.
    struct Field: Sendable, CustomTestStringConvertible {
        let name: String
        let value: String
        let short: [(name: String, value: String)]

        init(_ name: String, _ value: String, sameAs short: [(String, String)] = []) {
            self.name = name
            self.value = value
            self.short = short.map { (name: $0.0, value: $0.1) }
        }

        var testDescription: String { "\(name): \(value.prefix(20))" }
    }

    @Test(
        "with a long list in a field is answered as by what the list says",
        arguments: [
            Field("Accept", list(1_200) { "a/\($0);q=0.5" }),
            Field(
                "Accept", list(1_200) { "a/\($0);q=0.5" } + ",application/x-plist",
                sameAs: [("Accept", "application/x-plist")]),
            Field(
                "Accept", "application/x-plist" + String(repeating: ";", count: 15_000),
                sameAs: [("Accept", "application/x-plist")]),
            Field("Accept", String(repeating: ";,", count: 7_000)),
            Field("Accept-Encoding", list(3_000) { "a\($0)" }),
            Field("Prefer", list(2_000) { "a=\($0)" }),
            Field("Prefer", list(2_000) { "a=\($0)" } + ", wait=7", sameAs: [("Prefer", "wait=7")]),
            Field(
                "Prefer", #"a=""# + String(repeating: #"\","#, count: 5_000) + #"wait=3", wait=7"#,
                sameAs: [("Prefer", "wait=7")]),
            Field("If-None-Match", list(5_000) { _ in "\"\"" }),
            Field("If-None-Match", list(600) { "\"\($0)\"" } + ",TAG", sameAs: [("If-None-Match", "TAG")]),
            Field("If-Match", list(600) { "\"\($0)\"" } + ",TAG"),
            Field("Cookie", String(repeating: "a=b; ", count: 3_000)),
            Field("Origin", String(repeating: "a", count: 15_000)),
        ])
    func lists(_ field: Field) throws {
        let desk = try Desk(Self.document)
        for target in ["/levels/", "/detail/a"] {
            let tag = desk.get(target).entityTag
            let short = field.short.map { ($0.name, $0.value.replacing("TAG", with: tag)) }
            let answer = desk.get(target, [(field.name, field.value.replacing("TAG", with: tag))])
            #expect(answer == desk.get(target, short))
        }
    }

    @Test("has at most 64 parameters")
    func parameters() throws {
        let desk = try Desk(Self.document)
        for count in [65, 2_000] {
            let query = (1...count).map { "p\($0)=1" }.joined(separator: "&")
            for target in ["/levels/", "/changes", "/healthz", "/"] {
                let answer = desk.get("\(target)?\(query)")
                #expect(answer.status == 400)
                #expect(
                    answer.line == """
                        {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,\
                        "detail":"A query must have at most 64 parameters; 'p65' is one more.",\
                        "instance":"\(target)?\(query)","parameter":"p65"}
                        """)
            }
        }
        let query = (1...64).map { "p\($0)=1" }.joined(separator: "&")
        #expect(desk.get("/levels/?\(query)").text.contains("'p1' is not a parameter here; the parameters are limit,"))
        // The empty text between two ampersands is ignored.
        #expect(desk.get("/levels/?limit=1" + String(repeating: "&", count: 5_000)).status == 200)
    }

    @Test(
        "is quoted as far as it says something",
        arguments: [
            (
                "/levels/?LONG",
                "CUT is not a parameter here; the parameters are limit, after, start, sections, where, any, sort, in, q, group, depth, expand, fields, format, pretty, since, wait, turn, revision."
            ),
            ("/levels/?limit=LONG", "'limit' must be a whole number from 1 to 10000, not CUT."),
            ("/levels/?after=LONG", "CUT is not a cursor; follow the link 'next' of a page."),
            ("/levels/?wait=LONG", "'wait' must be a whole number of seconds from 1 to 300, not CUT."),
            ("/levels/?format=LONG", "'format' must be json, plist or csv, not CUT."),
            ("/levels/?pretty=LONG", "'pretty' must be true or false, not CUT."),
            ("/levels/?LONG&LONG", "The parameter CUT appears more than once; give it once."),
            ("/levels/?LONG%", "The query part CUT is not percent-encoded UTF-8."),
            ("/document?format=LONG", "'format' must be plist, json or binary, not CUT."),
            ("/levels/LONG", "There is no CUT in /."),
            ("/levels/LONG%", "The path segment CUT is not percent-encoded UTF-8."),
            ("/problems/LONG", "CUT is not a kind of problem."),
            ("LONG", "Nothing is served at CUT. Start with /levels/ and follow the links."),
        ])
    func quoted(_ target: String, _ detail: String) throws {
        let text = (target.hasPrefix("/") ? "" : "/") + String(repeating: "x", count: 7_000)
        let asked = target.replacing("LONG", with: text)
        let told = detail.replacing("CUT", with: "'\(text.prefix(80))…'")
        let answer = try Desk(Self.document).get(asked).text
        let isTold = answer.contains("\"detail\":\"\(told)\",\"instance\":\"\(asked)\"")
        #expect(isTold, "\(answer.prefix(300))")
    }

    @Test("with leading zeros means the number, and with too many digits is refused")
    func digits() throws {
        let desk = try Desk(Self.document)
        let zeros = String(repeating: "0", count: 15_000)
        #expect(desk.get("/levels/?limit=\(zeros)1").text.contains(#""key":"a""#))
        #expect(desk.get("/levels/?limit=\(zeros)1").text.contains(#""start":0"#))
        for value in ["99999999999999999999", "1\(zeros)", "+1", "1 ", "\u{661}"] {
            #expect(desk.get("/levels/?limit=\(value)").status == 400)
        }
    }

    @Test("for a path deeper than any item is 404, and its segments beyond that say nothing")
    func path() throws {
        let desk = try Desk(Self.document)
        let segments = String(repeating: "/c", count: 7_000)
        let answer = desk.get("/levels/b\(segments)/%")
        #expect(answer.status == 404)
        #expect(answer.text.contains(#""detail":"There is no 'c' in /b/c.""#))
        #expect(desk.get("/levels" + String(repeating: "/", count: 15_000)).status == 404)
    }

    @Test("for a missing key among long ones names the nearest of the first")
    func nearest() throws {
        let start = String(repeating: "long ", count: 11)
        let desk = try Desk("[" + Self.list(200) { "\"\(start)\($0)\"" } + "]")
        let path = start.replacing(" ", with: "%20")
        #expect(desk.get("/levels/\(path)x").text.contains("Did you mean '\(start)0'?"))
        #expect(desk.get("/levels/\(path)1x").text.contains("Did you mean '\(start)1'?"))
    }
}

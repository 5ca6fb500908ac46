import Foundation
import HTTPServer
import Testing

@testable import LevelsAPI

/// Problems: status and the whole text (manual, Errors).
@Suite struct ProblemTests {
    private static let document = #"{"Rows":[{"Title":"Item 4","Children":["Screen G","Screen H"]},"a/b","c~d"]}"#

    struct Case: Sendable, CustomTestStringConvertible {
        let target: String
        let detail: String
        let nearest: String
        init(_ target: String, _ detail: String, nearest: String) {
            self.target = target
            self.detail = detail
            self.nearest = nearest
        }
        var testDescription: String { target }
    }

    @Test(
        "A path that leads nowhere is 404 with the nearest item, and what was perhaps meant",
        arguments: [
            Case(
                "/levels/Item%204/Screen%20Z", "There is no 'Screen Z' in /Item 4. Did you mean 'Screen G'?",
                nearest: "/levels/Item%204"),
            Case(
                "/detail/Item%204/screen%20h", "There is no 'screen h' in /Item 4. Did you mean 'Screen H'?",
                nearest: "/levels/Item%204"),
            Case("/document/Itme%204", "There is no 'Itme 4' in /. Did you mean 'Item 4'?", nearest: "/levels/"),
            Case("/levels/Books/x/y", "There is no 'Books' in /.", nearest: "/levels/"),
            Case(
                "/levels/Item%204/Screen%20G/x", "There is no 'x' in /Item 4/Screen G.",
                nearest: "/levels/Item%204/Screen%20G"),
            Case("/detail/a/b", "There is no 'a' in /.", nearest: "/levels/"),
            Case("/levels//Item%204", "There is no '' in /.", nearest: "/levels/"),
            Case("/levels/a%2Fb/%22?fields=x", #"There is no '\"' in /a/b."#, nearest: "/levels/a%2Fb"),
            Case("/levels/%00", #"There is no '\\u{0}' in /."#, nearest: "/levels/"),
        ])
    func noSuchItem(_ example: Case) throws {
        let answer = try Desk(Self.document).get(example.target)
        #expect(answer.status == 404)
        #expect(answer.headers == Answer.problemHeaders)
        #expect(
            answer.line == """
                {"type":"/problems/no-such-item","title":"No such item","status":404,"detail":"\(example.detail)",\
                "instance":"\(example.target)","nearest":"\(example.nearest)"}
                """)
        #expect(try Desk(Self.document).get(example.nearest).status == 200)
    }

    @Test("A service that is too busy says when to try again, in whole seconds from 1 to 300")
    func tooBusy() {
        let times: [Duration] = [
            .zero, .nanoseconds(1), .seconds(1), .seconds(2), .milliseconds(2_001), .seconds(300), .seconds(301),
        ]
        let waits = times.map { Problem.tooBusy(for: $0).headers.map { "\($0.name): \($0.value)" } }
        #expect(waits == ["1", "1", "1", "2", "3", "300", "300"].map { ["Retry-After: \($0)"] })
    }

    @Test("A problem shows a text with control characters, or an endless one, safely")
    func quotedTexts() throws {
        let title = #"\u001b[31m"# + String(repeating: "x", count: 100_000)
        let desk = try Desk(#"{"Rows":[{"Title":"\#(title)","Key":"k","Children":["Screen G"]}]}"#)
        func detail(_ target: String) throws -> String? {
            let answer = desk.get(target)
            #expect((400..<500).contains(answer.status))
            let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            return object?["detail"] as? String
        }
        let shown = #"\u{1B}[31m"# + String(repeating: "x", count: 75) + "…"
        #expect(try detail("/levels/k/%1B%5BA") == #"There is no '\u{1B}[A' in /\#(shown)."#)
        let long = String(repeating: "y", count: 81)
        #expect(try detail("/levels/k/\(long)") == "There is no '\(long.dropLast())…' in /\(shown).")
        #expect(
            try detail("/levels/?wait=%E2%80%AE5")
                == #"'wait' must be a whole number of seconds from 1 to 300, not '\u{202E}5'."#)
        #expect(
            try detail("/document?\(long)=1")
                == "'\(long.dropLast())…' is not a parameter here; the parameters are format, inline, pretty, wait, revision."
        )
        #expect(
            try detail("/\(long)")
                == "Nothing is served at '/\(long.dropLast(2))…'. Start with /levels/ and follow the links.")
    }

    @Test("A level of hundreds of rows suggests one of its first rows, and a long key suggests none")
    func manyCandidates() throws {
        let desk = try Desk("[" + (0..<5_000).map { #""row \#($0)""# }.joined(separator: ",") + "]")
        #expect(desk.get("/levels/rwo%207").text.contains("Did you mean 'row 7'?"))
        #expect(!desk.get("/levels/\(String(repeating: "row", count: 30))").text.contains("Did you mean"))
    }

    private static let names =
        #"["/","/levels","/detail","/document","/moves","/edits","/reload","/assets","/problems","/values","/changes","/healthz","/readyz","/metrics","/openapi.json"]"#

    @Test(
        "A target without a route is 404 and names those that there are",
        arguments: [
            ("/x", "Nothing is served at '/x'. Start with /levels/ and follow the links."),
            ("//", "Nothing is served at '//'. Start with /levels/ and follow the links."),
            ("/level/Item%204", "Nothing is served at '/level/Item%204'. Did you mean '/levels'?"),
            ("/Levels?x=1", "Nothing is served at '/Levels'. Did you mean '/levels'?"),
            ("/levelsx", "Nothing is served at '/levelsx'. Did you mean '/levels'?"),
            ("/details/a", "Nothing is served at '/details/a'. Did you mean '/detail'?"),
            ("/favicon.ico", "Nothing is served at '/favicon.ico'. Start with /levels/ and follow the links."),
            ("/healthz/x", "Nothing is served at '/healthz/x'. Did you mean '/healthz'?"),
            ("*", "Nothing is served at '*'. Start with /levels/ and follow the links."),
        ])
    func noSuchRoute(_ target: String, _ detail: String) throws {
        let answer = try Desk(Self.document).get(target)
        #expect(answer.status == 404)
        #expect(answer.headers == Answer.problemHeaders)
        #expect(
            answer.line == """
                {"type":"/problems/no-such-route","title":"No such route","status":404,"detail":"\(detail)",\
                "instance":"\(target)","allowed":\(Self.names)}
                """)
    }

    @Test(
        "A segment that is not percent-encoded UTF-8 is 400",
        arguments: [
            ("/levels/%", "%"), ("/levels/a/%zz/b", "%zz"), ("/detail/%FF", "%FF"), ("/document/x/%C3", "%C3"),
            ("/levels/%E0%80%AF", "%E0%80%AF"),
        ])
    func badPath(_ target: String, _ segment: String) throws {
        let answer = try Desk(Self.document).get(target)
        #expect(answer.status == 400)
        #expect(
            answer.line == """
                {"type":"/problems/bad-path","title":"Bad path","status":400,\
                "detail":"The path segment '\(segment)' is not percent-encoded UTF-8.","instance":"\(target)"}
                """)
    }

    struct Parameter: Sendable, CustomTestStringConvertible {
        let target: String
        let detail: String
        let parameter: String
        let allowed: String?
        init(_ target: String, _ detail: String, _ parameter: String, allowed: String? = nil) {
            self.target = target
            self.detail = detail
            self.parameter = parameter
            self.allowed = allowed
        }
        var testDescription: String { target }
    }

    private static let levelNames =
        #"["limit","after","start","sections","where","any","sort","in","q","group","depth","expand","fields","format","pretty","since","wait","turn","revision"]"#

    @Test(
        "A parameter that is unknown, doubled or malformed is 400 and named",
        arguments: [
            Parameter(
                "/levels/?page=2",
                "'page' is not a parameter here; the parameters are limit, after, start, sections, where, any, sort, in, q, group, depth, expand, fields, format, pretty, since, wait, turn, revision. Did you mean 'start'?",
                "page",
                allowed: levelNames),
            Parameter(
                "/levels/?limt=2",
                "'limt' is not a parameter here; the parameters are limit, after, start, sections, where, any, sort, in, q, group, depth, expand, fields, format, pretty, since, wait, turn, revision. Did you mean 'limit'?",
                "limt",
                allowed: levelNames),
            Parameter(
                "/levels/?Limit=2",
                "'Limit' is not a parameter here; the parameters are limit, after, start, sections, where, any, sort, in, q, group, depth, expand, fields, format, pretty, since, wait, turn, revision. Did you mean 'limit'?",
                "Limit",
                allowed: levelNames),
            Parameter(
                "/levels/?=2",
                "'' is not a parameter here; the parameters are limit, after, start, sections, where, any, sort, in, q, group, depth, expand, fields, format, pretty, since, wait, turn, revision.",
                "",
                allowed: levelNames),
            Parameter(
                "/detail/?limit=2",
                "'limit' is not a parameter here; the parameters are format, pretty, since, wait, turn, revision.",
                "limit",
                allowed: #"["format","pretty","since","wait","turn","revision"]"#
            ),
            Parameter(
                "/document?fields=x",
                "'fields' is not a parameter here; the parameters are format, inline, pretty, wait, revision.",
                "fields",
                allowed: #"["format","inline","pretty","wait","revision"]"#),
            Parameter(
                "/levels/?wait=0", "'wait' must be a whole number of seconds from 1 to 300, not '0'.", "wait"),
            Parameter(
                "/detail/?wait=301", "'wait' must be a whole number of seconds from 1 to 300, not '301'.", "wait"),
            Parameter(
                "/changes?wait=x", "'wait' must be a whole number of seconds from 1 to 300, not 'x'.", "wait"),
            Parameter(
                "/document?wait=%2B1", "'wait' must be a whole number of seconds from 1 to 300, not '+1'.", "wait"),
            Parameter(
                "/healthz?x", "'x' is not a parameter here; the only one is pretty.", "x", allowed: #"["pretty"]"#),
            Parameter(
                "/readyz?x=1", "'x' is not a parameter here; the only one is pretty.", "x", allowed: #"["pretty"]"#),
            Parameter("/problems/bad-path?x=1", "'x' is not a parameter here; this resource has none.", "x"),
            Parameter(
                "/levels/?limit=2&limit=2", "The parameter 'limit' appears more than once; give it once.", "limit"),
            Parameter(
                "/levels/?limit=2&%6Cimit=3", "The parameter 'limit' appears more than once; give it once.", "limit"),
            Parameter("/levels/?fields=%", "The query part 'fields=%' is not percent-encoded UTF-8.", "fields=%"),
            Parameter("/levels/?limit=1&%FF=2", "The query part '%FF=2' is not percent-encoded UTF-8.", "%FF=2"),
        ])
    func badParameter(_ example: Parameter) throws {
        let answer = try Desk(Self.document).get(example.target)
        #expect(answer.status == 400)
        #expect(answer.headers == Answer.problemHeaders)
        let allowed = example.allowed.map { ",\"allowed\":\($0)" } ?? ""
        #expect(
            answer.line == """
                {"type":"/problems/bad-parameter","title":"Bad parameter","status":400,"detail":"\(example.detail)",\
                "instance":"\(example.target)","parameter":"\(example.parameter)"\(allowed)}
                """)
    }

    @Test("A problem that the server finds by itself has the form of all others")
    func serverProblems() throws {
        let desk = try Desk(Self.document)
        for (status, name, title) in [
            (400, "bad-request", "Bad request"), (408, "request-timeout", "Request timeout"),
            (413, "content-too-large", "Content too large"), (421, "misdirected-request", "Misdirected request"),
            (414, "uri-too-long", "URI too long"), (431, "header-too-large", "Header too large"),
            (501, "not-implemented", "Not implemented"), (505, "version-not-supported", "HTTP version not supported"),
        ] {
            let answer = Answer(
                desk.api.responder.response(to: .badRequest("It is bad.", status: status), target: "/levels/?\"a"))
            #expect(answer.status == status)
            #expect(
                answer.line == """
                    {"type":"/problems/\(name)","title":"\(title)","status":\(status),"detail":"It is bad.",\
                    "instance":"/levels/?\\"a"}
                    """)
        }
    }

    @Test("An answer that cannot be sent is a problem with the id that the log has")
    func unsentAnswer() throws {
        let answer = Answer(
            try Desk(Self.document).api.responder.response(to: .unsent(id: "c0ffee"), target: "/levels/"))
        #expect(answer.status == 500)
        #expect(
            answer.line == """
                {"type":"/problems/internal-fault","title":"Internal fault","status":500,\
                "detail":"The answer cannot be sent; the server's log has the reason under 'c0ffee'.",\
                "instance":"/levels/","id":"c0ffee"}
                """)
    }

    @Test("Every kind of problem has a page, and the list has them all")
    func pages() throws {
        let desk = try Desk(Self.document)
        let list = desk.get("/problems")
        #expect(list.status == 200)
        #expect(list.headers == Answer.unstoredHeaders + ["Vary: Accept-Encoding"])
        #expect(list == desk.get("/problems/"))
        let object = try JSONSerialization.jsonObject(with: Data(list.body)) as? [String: Any]
        let problems = try #require(object?["problems"] as? [[String: Any]])
        #expect(
            problems.compactMap { $0["type"] as? String } == [
                "/problems/bad-request", "/problems/bad-path", "/problems/bad-parameter", "/problems/no-such-item",
                "/problems/no-such-route", "/problems/no-such-file", "/problems/method-not-allowed",
                "/problems/not-representable",
                "/problems/revision-gone", "/problems/revision-not-here", "/problems/not-acceptable",
                "/problems/request-timeout",
                "/problems/precondition-failed", "/problems/precondition-required", "/problems/content-too-large",
                "/problems/uri-too-long", "/problems/range-not-satisfiable", "/problems/misdirected-request",
                "/problems/header-too-large",
                "/problems/not-implemented", "/problems/version-not-supported", "/problems/internal-fault",
                "/problems/not-ready", "/problems/too-many-waiters", "/problems/too-busy", "/problems/out-of-memory",
                "/problems/too-many-files", "/problems/too-many-answers",
                "/problems/malformed-content", "/problems/unauthorized", "/problems/wrong-token",
                "/problems/editing-off", "/problems/foreign-origin", "/problems/conflict",
                "/problems/length-required", "/problems/unsupported-media-type", "/problems/invalid-content",
                "/problems/document-refused", "/problems/too-many-attempts", "/problems/save-failed",
                "/problems/database-away",
                "/problems/too-many-edits", "/problems/too-many-bodies", "/problems/unfinished-edit",
                "/problems/stopping", "/problems/draining", "/problems/insufficient-storage",
                "/problems/needs-index", "/problems/query-timeout", "/problems/database-unreadable",
            ])
        for problem in problems {
            let type = try #require(problem["type"] as? String)
            let page = try JSONSerialization.jsonObject(with: Data(desk.get(type).body)) as? NSDictionary
            #expect(page == problem as NSDictionary)
            #expect((problem["explanation"] as? String)?.isEmpty == false)
            #expect(problem["status"] as? Int ?? 0 >= 400)
        }
        #expect(
            desk.get("/problems/bad-path/").line == """
                {"type":"/problems/bad-path","title":"Bad path","status":400,"explanation":"A segment of the path is not \
                percent-encoded UTF-8. Follow the links in the answers: they are always valid."}
                """)
    }

    @Test("A page for a problem that there is not is 404")
    func noSuchPage() throws {
        let answer = try Desk(Self.document).get("/problems/bad-luck")
        #expect(answer.status == 404)
        #expect(
            answer.text.hasPrefix(
                """
                {"type":"/problems/no-such-route","title":"No such route","status":404,\
                "detail":"'bad-luck' is not a kind of problem.","instance":"/problems/bad-luck","allowed":["bad-request",
                """))
    }
}

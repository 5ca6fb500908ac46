import HTTPServer
import Levels
import PropertyLists
import Testing
import TreeStore

@testable import LevelsAPI

/// Edits that are refused: the status and the whole problem (manual, Editing and Errors).
@Suite struct EditProblemTests {
    private static let document = #"{"Rows":["One",{"Title":"Branch","Rows":["Only"]},"Two"]}"#

    struct Case: Sendable, CustomTestStringConvertible {
        let method: HTTPServer.Method
        let target: String
        let body: String?
        var type = "application/json"
        let status: Int
        /// The problem after its type, with the members that `detail` begins.
        let rest: String
        var testDescription: String { "\(method) \(target) \(body ?? "")" }

        init(
            _ method: HTTPServer.Method, _ target: String, _ body: String?, type: String = "application/json",
            _ status: Int, _ rest: String
        ) {
            (self.method, self.target, self.body, self.type) = (method, target, body, type)
            (self.status, self.rest) = (status, rest)
        }
    }

    private func check(_ example: Case) throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(example.method, example.target, example.body, type: example.type)
        #expect(answer.status == example.status)
        #expect(answer.headers.starts(with: Answer.problemHeaders))
        let type = try #require(answer.text.firstRange(of: #""status":\#(example.status),"#))
        #expect(String(answer.line[type.upperBound...].dropLast()) == example.rest)
        #expect(desk.get("/changes?since=k3-1").text.contains(#""changes":[]"#))
    }

    @Test(
        "A body that cannot be read is 400 with the place",
        arguments: [
            Case(
                .post, "/levels/", "{\"Title\": \"x\",\n\n}", 400,
                #""detail":"The body cannot be read: a comma precedes the end of an array or object; JSON does not allow trailing commas.","instance":"/levels/","line":3,"column":1"#
            ),
            Case(
                .post, "/levels/", "", 400,
                #""detail":"The body cannot be read: the body is empty; it needs one value, an array or an object.","instance":"/levels/","line":1,"column":1"#
            ),
            Case(
                .patch, "/detail/One", "x", type: "application/x-plist", 400,
                #""detail":"The body cannot be read: this is not an XML property list; it begins with <?xml …?>, <!DOCTYPE plist …> or <plist>.","instance":"/detail/One","line":1,"column":1"#
            ),
        ])
    func malformed(_ example: Case) throws { try check(example) }

    @Test(
        "A query that is wrong is 400 and names the parameter",
        arguments: [
            Case(
                .post, "/levels/?at=middle", #""x""#, 400,
                #""detail":"'at' must be first, last, a number of rows from 0, before:KEY or after:KEY, not 'middle'.","instance":"/levels/?at=middle","parameter":"at""#
            ),
            Case(
                .post, "/levels/?at=-1", #""x""#, 400,
                #""detail":"'at' must be first, last, a number of rows from 0, before:KEY or after:KEY, not '-1'.","instance":"/levels/?at=-1","parameter":"at""#
            ),
            Case(
                .post, "/levels/?section=x", #""x""#, 400,
                #""detail":"'section' must be the number of a section, from 0, not 'x'.","instance":"/levels/?section=x","parameter":"section""#
            ),
            Case(
                .post, "/levels/?at=first&at=last", #""x""#, 400,
                #""detail":"The parameter 'at' appears more than once; give it once.","instance":"/levels/?at=first&at=last","parameter":"at""#
            ),
            Case(
                .post, "/levels/?sort=Title", #""x""#, 400,
                #""detail":"'sort' is not a parameter here; the parameters are at, section, revision.","instance":"/levels/?sort=Title","parameter":"sort","allowed":["at","section","revision"]"#
            ),
            Case(
                .delete, "/detail/One?at=1", nil, 400,
                #""detail":"'at' is not a parameter here; the only one is revision.","instance":"/detail/One?at=1","parameter":"at","allowed":["revision"]"#
            ),
            Case(
                .delete, "/detail/%FF", nil, 400,
                #""detail":"The path segment '%FF' is not percent-encoded UTF-8.","instance":"/detail/%FF""#),
        ])
    func badQuery(_ example: Case) throws { try check(example) }

    @Test(
        "A document of steps that breaks a rule is 422 with the place and the number of the step",
        arguments: [
            ("5", #""detail":"The body must be an object with the member \"edits\".""#, #""pointer":"""#),
            ("{}", #""detail":"'edits' must be an array of 1 to 1000 steps.""#, #""pointer":"/edits""#),
            (#"{"edits":[]}"#, #""detail":"'edits' must be an array of 1 to 1000 steps.""#, #""pointer":"/edits""#),
            (
                #"{"edits":[],"a/b":1}"#,
                #""detail":"'a/b' is not a member here; the members are edits.""#, #""pointer":"/a~1b""#
            ),
            (
                #"{"edits":[{"delete":"/detail/One"},5]}"#, #""detail":"A step must be an object.""#,
                #""pointer":"/edits/1","edit":1"#
            ),
            (
                #"{"edits":[{}]}"#,
                #""detail":"A step must have exactly one of the members insert, put, patch, move, delete.""#,
                #""pointer":"/edits/0","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x","delete":"/detail/One","to":"/levels/"}]}"#,
                #""detail":"A step must have exactly one of the members insert, put, patch, move, delete.""#,
                #""pointer":"/edits/0","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x","of":"/levels/"}]}"#,
                #""detail":"'of' is not a member here; the members are insert, to, at, section, ifMatch.""#,
                #""pointer":"/edits/0/of","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x"}]}"#,
                #""detail":"'to' is missing; it is a link that begins with /levels/.""#,
                #""pointer":"/edits/0","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x","to":"/detail/One"}]}"#,
                #""detail":"'to' must be a link that begins with /levels/, not '/detail/One'.""#,
                #""pointer":"/edits/0/to","edit":0"#
            ),
            (
                #"{"edits":[{"patch":{},"of":"http://elsewhere/detail/One"}]}"#,
                #""detail":"'of' must be a link that begins with /detail/, not 'http://elsewhere/detail/One'.""#,
                #""pointer":"/edits/0/of","edit":0"#
            ),
            (
                #"{"edits":[{"delete":"/detail/%zz"}]}"#,
                #""detail":"'delete' must be a link that begins with /detail/, not '/detail/%zz'.""#,
                #""pointer":"/edits/0/delete","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x","to":"/levels/","at":true}]}"#,
                #""detail":"'at' must be first, last, a number of rows from 0, before:KEY or after:KEY.""#,
                #""pointer":"/edits/0/at","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x","to":"/levels/","at":"middle"}]}"#,
                #""detail":"'at' must be first, last, before:<key>, after:<key> or a number from 0 to 3, not 'middle'.""#,
                #""pointer":"/edits/0/at","edit":0"#
            ),
            (
                #"{"edits":[{"insert":"x","to":"/levels/","section":1.5}]}"#,
                #""detail":"'section' must be the number of a section, from 0.""#,
                #""pointer":"/edits/0/section","edit":0"#
            ),
            (
                #"{"edits":[{"delete":"/detail/One?x"}]}"#,
                #""detail":"'delete' must be a link that begins with /detail/, not '/detail/One?x'.""#,
                #""pointer":"/edits/0/delete","edit":0"#
            ),
            (
                #"{"edits":[{"delete":"/detail/One#x"}]}"#,
                #""detail":"'delete' must be a link that begins with /detail/, not '/detail/One#x'.""#,
                #""pointer":"/edits/0/delete","edit":0"#
            ),
            (
                #"{"edits":[{"patch":{},"of":"/detail/One","ifMatch":5}]}"#,
                #""detail":"'ifMatch' must be a text.""#, #""pointer":"/edits/0/ifMatch","edit":0"#
            ),
        ])
    func steps(_ body: String, _ detail: String, _ members: String) throws {
        try check(Case(.post, "/edits", body, 422, #"\#(detail),"instance":"/edits",\#(members)"#))
    }

    @Test("A body in UTF-16 is not JSON, and one that nests more than 512 deep is refused with its place")
    func encodingAndNesting() throws {
        let desk = try EditDesk(Self.document)
        let wide = desk.send(.post, "/levels/", "\"\u{0}x\u{0}\"\u{0}")
        #expect(wide.status == 400)
        #expect(
            wide.line.hasSuffix(
                #""detail":"The body cannot be read: the body is not text in UTF-8.","instance":"/levels/","line":1,"column":1}"#
            ))
        func status(_ depth: Int) -> Int {
            let (opening, closing) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
            return desk.send(.patch, "/detail/One", #"{"D":\#(opening)\#(closing)}"#).status
        }
        #expect(status(511) == 200)
        #expect(status(512) == 400)
    }

    @Test("A place in the document that a step cannot have is reported with the step")
    func placesOfSteps() throws {
        for (body, status, rest) in [
            (
                #"{"edits":[{"patch":{"a":1},"of":"/detail/One"},{"insert":{"Title":"x","Rows":["a",{"b/c":1}]},"to":"/levels/"}]}"#,
                422, #""pointer":"/edits/1/insert/Rows/1","edit":1"#
            ),
            (
                #"{"edits":[{"patch":{"a":1},"of":"/detail/One"},{"delete":"/detail/Nowhere"}]}"#, 404,
                #""nearest":"/levels/","edit":1"#
            ),
            (
                #"{"edits":[{"insert":"x","to":"/levels/","at":99}]}"#, 422, #""pointer":"/edits/0/at","edit":0"#
            ),
            (#"{"edits":[{"delete":"/detail/"}]}"#, 409, #""edit":0"#),
        ] {
            let desk = try EditDesk(Self.document)
            let answer = desk.send(.post, "/edits", body)
            #expect(answer.status == status)
            #expect(answer.line.hasSuffix(#""instance":"/edits",\#(rest)}"#))
            #expect(desk.get("/").text.contains(#""revision":"k3-1""#))
        }
    }

    @Test("A refusal names a step only if it is about one, and not if it is about the whole batch")
    func wholeBatch() throws {
        let body = #"{"edits":[{"patch":{"a":1},"of":"/detail/One"},{"delete":"/detail/Branch"}]}"#
        for (step, kind, rest) in [
            (nil, .conflict, ""), (0, .conflict, #","edit":0"#), (1, .conflict, #","edit":1"#),
            (nil, .invalid(pointer: "/Rows/2"), #","pointer":"/Rows/2""#),
            (0, .invalid(pointer: "/a"), #","pointer":"/edits/0/patch/a","edit":0"#),
        ] as [(Int?, EditRefusal.Kind, String)] {
            let refusal = EditRefusal(kind, detail: "It cannot be.", step: step)
            let answer = try EditDesk(Self.document, outcome: .refused(refusal)).send(.post, "/edits", body)
            #expect(answer.line.hasSuffix(#""detail":"It cannot be.","instance":"/edits"\#(rest)}"#))
        }
    }

    @Test("A place that an item cannot have is 400 in a query and 422 in a body")
    func badPlace() throws {
        let desk = try EditDesk(Self.document)
        let query = desk.send(.post, "/levels/?at=99", #""x""#)
        #expect(query.status == 400)
        #expect(query.line.hasSuffix(#","instance":"/levels/?at=99","parameter":"at"}"#))
        let move = desk.send(.post, "/moves", #"{"from":"/detail/One","to":"/levels/","section":3}"#)
        #expect(move.status == 422)
        #expect(move.line.hasSuffix(#","instance":"/moves","pointer":"/section"}"#))
        #expect(desk.send(.post, "/levels/?at=before:x", #""x""#).status == 409)
    }

    @Test(
        "What the store says is told with a status of its own",
        arguments: [
            (
                .noSpace, 507, "insufficient-storage", "Insufficient storage",
                "The disk of the document is full or cannot be written to, so the edit was not saved; nothing has changed.",
                ""
            ),
            (
                .failed(id: "c0ffee"), 500, "save-failed", "Save failed",
                "The edit could not be saved, and nothing has changed; the server's log has the reason under 'c0ffee'.",
                #","failure":"c0ffee""#
            ),
            (
                .failed(id: "c0ffee", isUnknown: true), 500, "save-failed", "Save failed",
                "The disk failed while the edit was saved, and it is not known whether the document has the edit; look at it before you repeat the edit; the server's log has the reason under 'c0ffee'.",
                #","failure":"c0ffee""#
            ),
            (
                .busy, 503, "too-many-edits", "Too many edits",
                "Too many edits are waiting, or another program holds the lock of the document; nothing has changed. Try again later.",
                ""
            ),
            (
                .away, 503, "database-away", "Database away",
                "The database cannot be reached, and nothing has changed. Try again later.", ""
            ),
            (
                .refused(EditRefusal(.constraint(name: "price_is_positive"), detail: "The price must be positive.")),
                422,
                "invalid-content", "Invalid content", "The price must be positive.",
                #","constraint":"price_is_positive""#
            ),
            (
                .refused(EditRefusal(.constraint(name: nil), detail: "No more rows today.")), 422, "invalid-content",
                "Invalid content", "No more rows today.", ""
            ),
            (
                .stopped, 503, "stopping", "Stopping",
                "The server is stopping, and nothing has changed. Try again later.", ""
            ),
            (
                .refused(EditRefusal(.conflict, detail: "The key 'a' is taken.")), 409, "conflict", "Conflict",
                "The key 'a' is taken.", ""
            ),
            (
                .refused(
                    EditRefusal(
                        .notAllowed([.integer(.init(Int64(1))), .string("b")], pointer: "/Value"), detail: "No.")),
                422, "invalid-content", "Invalid content", "No.", #","pointer":"/Value","allowed":[1,"b"]"#
            ),
        ] as [(EditOutcome, Int, String, String, String, String)])
    func outcomes(
        _ outcome: EditOutcome, _ status: Int, _ name: String, _ title: String, _ detail: String, _ members: String
    ) throws {
        let answer = try EditDesk(Self.document, outcome: outcome).send(.patch, "/detail/One", "{}")
        #expect(answer.status == status)
        #expect(
            answer.line == """
                {"type":"/problems/\(name)","title":"\(title)","status":\(status),"detail":"\(detail)",\
                "instance":"/detail/One"\(members)}
                """)
    }

    @Test("Too many or too large edits at once are 503, and others pass")
    func limits() throws {
        let desk = try EditDesk(Self.document) { $0.capacity = 0 }
        let answer = desk.send(.delete, "/detail/One")
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "1")
        #expect(desk.get("/detail/One").status == 200)
        // One edit is admitted, however large, and the next after its end.
        let one = try EditDesk(Self.document) { ($0.capacity, $0.bodyBytes) = (1, 1) }
        for body in [#""x""#, #""y""#] { #expect(one.send(.post, "/levels/", body).status == 201) }
    }

    @Test("A server that stops refuses further edits")
    func stopping() throws {
        let desk = try EditDesk(Self.document)
        desk.desk.api.finishEdits(until: .now)
        #expect(desk.send(.delete, "/detail/One").status == 503)
        #expect(desk.get("/detail/One").status == 200)
    }
}

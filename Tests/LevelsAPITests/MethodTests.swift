import HTTPServer
import LevelsAPI
import Testing

/// The methods, and the answers to other methods (manual, Requests and answers).
@Suite struct MethodTests {
    private static let targets = [
        "/", "/levels", "/levels/a", "/detail/a?format=plist", "/document", "/problems", "/problems/bad-path",
        "/healthz",
        "/readyz",
    ]

    @Test("HEAD has the status and the header lines of GET")
    func head() throws {
        let desk = try Desk(#"["a"]"#)
        for target in Self.targets + ["/levels/x", "/x", "/levels/?x", "/levels/%"] {
            let (get, head) = (desk.get(target), desk.ask(.head, target))
            #expect(head.status == get.status)
            #expect(head.headers == get.headers)
        }
        let tag = desk.get("/levels/").entityTag
        #expect(desk.ask(.head, "/levels/", [("If-None-Match", tag)]).status == 304)
    }

    @Test("OPTIONS lists the methods of any resource and of the server")
    func options() throws {
        for (target, methods) in [
            ("/", "GET, HEAD"), ("/levels/no/such/item", "GET, HEAD, POST"), ("/levels", "GET, HEAD, POST"),
            ("/detail/a?format=plist", "GET, HEAD, PUT, PATCH, DELETE"), ("/document", "GET, HEAD, PUT"),
            ("/document/", "GET, HEAD, PUT"), ("/document/a", "GET, HEAD"), ("/moves", "POST"), ("/edits", "POST"),
            ("/reload", "POST"), ("/problems", "GET, HEAD"), ("/changes", "GET, HEAD"), ("/healthz", "GET, HEAD"),
            ("*", "GET, HEAD, POST, PUT, PATCH, DELETE"),
        ] {
            let answer = try Desk(#"["a"]"#).ask(.options, target)
            #expect(answer.status == 204)
            #expect(answer.headers == ["Allow: \(methods), OPTIONS"])
            #expect(answer.body.isEmpty)
        }
    }

    @Test("Other methods are 405 with Allow", arguments: [HTTPServer.Method.post, .put, .patch, .delete, .other])
    func notAllowed(_ method: HTTPServer.Method) throws {
        let desk = try Desk(#"["a"]"#)
        for target in ["/", "/problems", "/problems/bad-path", "/healthz", "/readyz", "/changes"] {
            let answer = desk.ask(method, target)
            #expect(answer.status == 405)
            #expect(answer.headers == Answer.problemHeaders + ["Allow: GET, HEAD, OPTIONS"])
            #expect(
                answer.line == """
                    {"type":"/problems/method-not-allowed","title":"Method not allowed","status":405,\
                    "detail":"This resource allows only GET, HEAD, OPTIONS.","instance":"\(target)",\
                    "allowed":["GET","HEAD","OPTIONS"]}
                    """)
        }
    }

    @Test("A method that only other resources allow is 405, while editing is off too")
    func otherResource() throws {
        let desk = try Desk(#"["a"]"#)
        for (method, target, allow) in [
            (.post, "/detail/a", "GET, HEAD, PUT, PATCH, DELETE"), (.patch, "/levels/", "GET, HEAD, POST"),
            (.delete, "/levels/a", "GET, HEAD, POST"), (.get, "/moves", "POST"), (.head, "/edits", "POST"),
            (.delete, "/document", "GET, HEAD, PUT"), (.put, "/reload", "POST"),
        ] as [(HTTPServer.Method, String, String)] {
            let answer = desk.ask(method, target)
            #expect(answer.status == 405)
            #expect(answer.header("Allow") == allow + ", OPTIONS")
        }
    }

    @Test(
        "A method that another address of the same item allows is 405 with this address",
        arguments: [
            (.patch, "/levels/a?format=json", "/detail/a"), (.put, "/levels/a/b%20c", "/detail/a/b%20c"),
            (.delete, "/levels/", "/detail/"), (.put, "/levels", "/detail/"), (.post, "/detail/a", "/levels/a"),
            (.delete, "/document/a", "/detail/a"), (.put, "/document/a", "/detail/a"),
            (.post, "/document", "/levels/"),
        ] as [(HTTPServer.Method, String, String)])
    func otherAddress(_ method: HTTPServer.Method, _ target: String, _ other: String) throws {
        for base in ["", "/api"] {
            let desk = try Desk(#"["a"]"#) { $0.basePath = base }
            let answer = desk.ask(method, target)
            #expect(answer.status == 405)
            let allow = try #require(answer.header("Allow"))
            #expect(
                answer.line.contains(
                    #""detail":"This resource allows only \#(allow). Send \#(method.name) to '\#(base)\#(other)'.""#),
                "\(answer.line)")
        }
        #expect(
            try !Desk(#"["a"]"#).ask(.other, target).line.contains("Send"), "no address of an item allows this method")
    }

    @Test("A method on a target without a route is 404", arguments: [HTTPServer.Method.post, .options, .delete])
    func noRoute(_ method: HTTPServer.Method) throws {
        let answer = try Desk(#"["a"]"#).ask(method, "/level")
        #expect(answer.status == 404)
        #expect(
            answer.line == """
                {"type":"/problems/no-such-route","title":"No such route","status":404,\
                "detail":"Nothing is served at '/level'. Did you mean '/levels'?","instance":"/level",\
                "allowed":["/","/levels","/detail","/document","/moves","/edits","/reload","/assets","/problems","/values","/changes","/healthz","/readyz","/metrics","/openapi.json"]}
                """)
    }

    @Test("A body is refused before it is read where no method takes one, and left alone on GET and HEAD")
    func refusal() throws {
        let api = try Desk(#"["a"]"#).api
        #expect(api.responder.refusal(of: Request(method: .post, target: "/healthz"))?.status == 405)
        #expect(api.responder.refusal(of: Request(method: .post, target: "/levels/"))?.status == 403)
        #expect(api.responder.refusal(of: Request(method: .put, target: "/x"))?.status == 404)
        #expect(api.responder.refusal(of: Request(method: .get, target: "/levels/")) == nil)
        #expect(api.responder.refusal(of: Request(method: .head, target: "/x")) == nil)
    }
}

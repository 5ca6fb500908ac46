import HTTPServer
import Testing

@testable import LevelsAPI

/// Requests that come before the first document is loaded (manual, Running it).
@Suite struct FirstLoadTests {
    private func ask(_ responder: FirstLoadResponder, _ method: Method, _ target: String) throws -> Answer {
        guard case .now(let response) = responder.respond(to: Request(method: method, target: target)) else {
            throw Waits()
        }
        return Answer(response)
    }

    private struct Waits: Error {}

    private static let headers = [
        "Content-Type: application/problem+json", "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
        "Retry-After: 1",
    ]

    private func refused(_ target: String) -> String {
        #"{"type":"/problems/not-ready","title":"Not ready","status":503,"#
            + #""detail":"The document is not loaded yet. Try again after the second in Retry-After.","instance":"\#(target)"}"#
    }

    @Test("The service is alive")
    func health() throws {
        let responder = FirstLoadResponder(.init())
        for target in ["/healthz", "/healthz/"] {
            for method in [Method.get, .head] {
                let answer = try ask(responder, method, target)
                #expect(answer.status == 200)
                #expect(answer.headers == Answer.unstoredHeaders)
                #expect(answer.line == #"{"status":"alive"}"#)
            }
        }
        #expect(try ask(responder, .get, "/healthz?x").status == 400)
    }

    @Test("Everything else is not ready")
    func others() throws {
        let responder = FirstLoadResponder(.init())
        for target in ["/", "/readyz", "/levels/", "/detail/a", "/document", "/changes?wait=1", "/problems/", "/x"] {
            let answer = try ask(responder, .get, target)
            #expect(answer.status == 503)
            #expect(answer.headers == Self.headers)
            #expect(answer.line == refused(target))
        }
        for method in [Method.post, .put, .patch, .delete, .options] {
            #expect(try ask(responder, method, "/levels/").line == refused("/levels/"))
            let refusal = responder.refusal(of: Request(method: method, target: "/levels/"))
            #expect(refusal.map { Answer($0).line } == refused("/levels/"))
        }
        #expect(responder.bodyLimit(of: Request(method: .put, target: "/document")) == nil)
    }

    @Test("Pages of other origins may read that it is not ready")
    func crossOrigin() throws {
        var configuration = LevelsAPI.Configuration()
        configuration.allowedOrigins = .any
        let answer = try ask(FirstLoadResponder(configuration), .get, "/levels/")
        #expect(answer.header("Access-Control-Allow-Origin") == "*")
    }

    @Test("Requests that violate HTTP get a problem, like later errors")
    func badRequests() throws {
        let (early, later) = (FirstLoadResponder(.init()), try Desk("[]").api.responder)
        #expect(
            Answer(early.response(to: .badRequest("It is odd.", status: 400), target: "/a"))
                == Answer(later.response(to: .badRequest("It is odd.", status: 400), target: "/a")))
        #expect(
            Answer(early.response(to: .unsent(id: "1f"), target: "/a"))
                == Answer(later.response(to: .unsent(id: "1f"), target: "/a")))
    }

    @Test("Requests are counted by their routes and named in problems, as later")
    func countedAndNamed() throws {
        let (responder, later) = (FirstLoadResponder(.init()), try Desk("[]").api.responder)
        for target in ["/", "/healthz", "/levels/a", "/changes?wait=1", "/x"] {
            let request = Request(target: target)
            #expect(responder.route(of: request) == later.route(of: request))
        }
        #expect(responder.route(of: Request(target: "/levels/a")) != responder.route(of: Request(target: "/x")))
        let fault = later.response(to: .unsent(id: "1f"), target: "/a")
        #expect(
            Answer(responder.response(fault, naming: "c0ffee")) == Answer(later.response(fault, naming: "c0ffee")))
        #expect(Answer(responder.response(fault, naming: "c0ffee")) != Answer(fault))
    }

    @Test("The first API serves all that comes later")
    func served() throws {
        let responder = FirstLoadResponder(.init())
        #expect(try ask(responder, .get, "/levels/a").status == 503)
        let (first, second) = (try Desk(#"["a"]"#).api, try Desk(#"["b"]"#).api)
        responder.serve(first)
        responder.serve(second)
        #expect(try ask(responder, .get, "/levels/a") == Answer(first.response(to: Request(target: "/levels/a"))))
        #expect(try ask(responder, .get, "/levels/b").status == 404)
        #expect(try ask(responder, .get, "/readyz").status == 200)
        #expect(responder.refusal(of: Request(method: .post, target: "/healthz"))?.status == 405)
    }
}

import HTTPServer
import Testing

@testable import LevelsAPI

/// Draining, and an address of its own for metrics and probes (manual, Running it).
@Suite struct MonitoringTests {
    private func answer(_ responder: some Responder, _ target: String, _ method: Method = .get) throws -> Answer {
        Answer(try #require(responder.respond(to: Request(method: method, target: target)).response))
    }

    @Test("While the service drains, only /readyz says so, and everything is answered")
    func draining() throws {
        let desk = try Desk(#"["a"]"#)
        #expect(desk.get("/readyz").status == 200)
        desk.api.beginDraining()
        let ready = desk.get("/readyz")
        #expect(ready.status == 503)
        #expect(
            ready.line
                == #"{"type":"/problems/draining","title":"Draining","status":503,"#
                + #""detail":"The service stops soon; send new requests to another server.","instance":"/readyz"}"#)
        #expect(["/levels/", "/detail/a", "/healthz", "/metrics"].map { desk.get($0).status } == [200, 200, 200, 200])
    }

    @Test("Monitoring has metrics and probes at its own address, and nothing else")
    func monitoring() throws {
        let service = FirstLoadResponder(.init())
        let monitor = MonitoringResponder(service)
        #expect(try answer(monitor, "/healthz").status == 200)
        #expect(try answer(monitor, "/readyz").status == 503)
        let desk = try Desk(#"["a"]"#) {
            $0.hidesMetrics = true
            $0.certificateExpiry = { 2_000_000_000 }
        }
        service.serve(desk.api)
        let paths = ["/healthz", "/readyz", "/metrics", "/levels/", "/", "/x"]
        #expect(try paths.map { try answer(monitor, $0).status } == [200, 200, 200, 404, 404, 404])
        #expect(try paths.map { try answer(service, $0).status } == [200, 200, 404, 200, 200, 404])
        let elsewhere = "Nothing is served at '/levels/'. Another address of this service may serve it."
        #expect(try answer(monitor, "/levels/").text.contains(elsewhere))
        #expect(try answer(monitor, "/metrics", .post).status == 405)
        #expect(try answer(monitor, "/metrics?x").status == 400)
        let lines = try answer(monitor, "/metrics").text.split(separator: "\n")
        for line in [
            "drilldown_certificate_expiry_timestamp_seconds 2000000000", "drilldown_http_connections_limit 0",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test("Without a certificate there is no metric of its end")
    func noCertificate() throws {
        #expect(try !Desk("[]").get("/metrics").text.contains("drilldown_certificate"))
    }
}

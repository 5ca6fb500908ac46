import Bytes
import Levels
import Testing
import TreeSources
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI

/// `GET /metrics` (manual, Monitoring and protection).
@Suite struct MetricsTests {
    @Test("Metrics are text for Prometheus, and nobody stores them")
    func header() throws {
        let answer = try Desk("[]").get("/metrics")
        #expect(answer.status == 200)
        #expect(
            answer.headers == [
                "Content-Type: text/plain; version=0.0.4; charset=utf-8", "Cache-Control: no-store",
                "X-Content-Type-Options: nosniff",
            ])
    }

    @Test("The served document and the work of the cache are shown")
    func gauges() throws {
        let desk = try Desk(#"["a",{"Title":"b","Rows":["c"]}]"#)
        for _ in 0..<3 { _ = desk.get("/levels/") }
        let lines = desk.get("/metrics").text.split(separator: "\n")
        for line in [
            "drilldown_items 3", "drilldown_revision_number 1", "drilldown_stale 0", "drilldown_cache_hits_total 1",
            "drilldown_cache_misses_total 2", "drilldown_event_streams 0", "drilldown_waiting_requests 0",
            "# TYPE drilldown_http_request_duration_seconds histogram",
            "drilldown_build_info{version=\"0\",libmicrohttpd=\"\(Server.libraryVersion)\"} 1",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test("A database's connections and work are shown, and nothing of them without one")
    func database() throws {
        var database = DatabaseConnection(isConnected: false, since: 0)
        (database.work.openConnections, database.work.madeConnections) = (1, 3)
        database.work.looks = WorkTotal(count: 2, seconds: 0.5)
        database.work.reservations = WorkTotal(count: 1, seconds: 0.25)
        database.work.commits = WorkTotal(count: 4, seconds: 1.5)
        database.work.lag = WorkTotal(count: 5, seconds: 0.125)
        (database.work.doubts.written, database.work.doubts.refused, database.work.doubts.unknown) = (1, 2, 3)
        let api = LevelsAPI(publications: Publications(first: try Desk.snapshot("[]"))) { [database] in
            Readiness(source: "db", database: database)
        }
        func lines(_ desk: Desk) -> [Substring] {
            desk.get("/metrics").text.split(separator: "\n").filter { $0.hasPrefix("drilldown_database") }
        }
        #expect(
            lines(Desk(api: api)) == [
                "drilldown_database_connected 0", "drilldown_database_connections 1",
                "drilldown_database_connections_made_total 3",
                #"drilldown_database_duration_seconds_sum{work="look"} 0.5"#,
                #"drilldown_database_duration_seconds_count{work="look"} 2"#,
                #"drilldown_database_duration_seconds_sum{work="reserve"} 0.25"#,
                #"drilldown_database_duration_seconds_count{work="reserve"} 1"#,
                #"drilldown_database_duration_seconds_sum{work="commit"} 1.5"#,
                #"drilldown_database_duration_seconds_count{work="commit"} 4"#,
                "drilldown_database_lag_seconds_sum 0.125", "drilldown_database_lag_seconds_count 5",
                #"drilldown_database_commits_in_doubt_total{outcome="written"} 1"#,
                #"drilldown_database_commits_in_doubt_total{outcome="refused"} 2"#,
                #"drilldown_database_commits_in_doubt_total{outcome="unknown"} 3"#,
            ])
        #expect(lines(try Desk("[]")).isEmpty)
    }

    @Test("A label's value is one of the service's own, whatever a client asks for")
    func routes() throws {
        let desk = try Desk("[]")
        let names = ["/", "/levels/a?b=c", "/detail/x", "/nowhere", "*", "/levelsx", ""].map { target in
            MetricsAnswer.name(ofRoute: desk.api.responder.route(of: Request(target: target)))
        }
        #expect(names == ["/", "/levels", "/detail", "other", "other", "other", "other"])
        #expect(
            HTTPServer.Method.all.map(\.name) == [
                "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "other",
            ])
    }

    @Test("The number of a revision follows its last hyphen")
    func revision() {
        #expect(["k3f9ab-12", "a-b-3", "none", "x-"].map(MetricsAnswer.number(ofRevision:)) == [12, 3, 0, 0])
    }

    @Test("Events of the store are added up")
    func store() throws {
        let counters = ServiceCounters()
        let snapshot = try Desk.snapshot("[]")
        counters.note(.loaded(snapshot, took: .milliseconds(250)), at: 10)
        #expect(counters.storeTotals == StoreTotals(published: WorkTotal(count: 1, seconds: 0.25), latestLoad: 10))
        counters.note(.unchanged(snapshot, took: .milliseconds(500)), at: 20)
        counters.note(.recovered(snapshot), at: 21)
        counters.note(.refused(SourceError("a", reason: "it is broken"), took: .seconds(2)), at: 30)
        counters.note(.saved(requests: 2, took: .milliseconds(125)), at: 31)
        counters.note(.edited(snapshot, author: nil, edits: 3, took: .zero), at: 32)
        counters.note(.edited(snapshot, author: nil, edits: 0, took: .zero), at: 33)
        counters.note(.notSaved(id: "1", reason: "r"), at: 34)
        var wanted = StoreTotals()
        wanted.published = WorkTotal(count: 1, seconds: 0.25)
        wanted.unchanged = WorkTotal(count: 1, seconds: 0.5)
        wanted.refused = WorkTotal(count: 1, seconds: 2)
        wanted.latestLoad = 20
        wanted.latestRefusal = 30
        wanted.saves = WorkTotal(count: 1, seconds: 0.125)
        wanted.failedSaves = 1
        wanted.edits = 2
        wanted.editSteps = 4
        #expect(counters.storeTotals == wanted)
    }

    @Test("Samples have a name, labels whose values are escaped, and a number")
    func text() {
        var text = PrometheusText()
        text.begin("a_total", .counter, "Helps.")
        text.sample("a_total", [("x", "1\"2\\3\n4"), ("y", "")], value: "7")
        text.sample("a_total", suffix: "_sum", value: "0.5")
        let body = text.body()
        #expect(
            String(utf8: body.span) == """
                # HELP a_total Helps.
                # TYPE a_total counter
                a_total{x="1\\"2\\\\3\\n4",y=""} 7
                a_total_sum 0.5

                """)
    }

    @Test("Operations that may change the document are counted as edits")
    func edits() {
        let names = Endpoint.all.flatMap { endpoint in
            endpoint.operations.filter(\.changesDocument).map { "\($0.method.name) \(endpoint.name)" }
        }
        #expect(
            names == [
                "POST /levels", "PUT /detail", "PATCH /detail", "DELETE /detail", "PUT /document", "POST /moves",
                "POST /edits",
            ])
    }

    @Test func `requests are shown by route, method and status, their times in buckets that include the ones below`()
        throws
    {
        let desk = try Desk("[]")
        let route = desk.api.responder.route(of: Request(target: "/levels/"))
        for (method, status, nanoseconds, hasWaited) in [
            (.get, 418, 2_000_000_000, true), (.post, 428, 50_000, false), (.post, 500, 60_000, false),
            (.get, 200, 20_000_000_000, false),
        ] as [(HTTPServer.Method, Int, Int, Bool)] {
            desk.api.configuration.counters.server.shard.note(
                EndedRequest(
                    route: route, method: method, status: status, size: 10, nanoseconds: nanoseconds,
                    hasWaited: hasWaited, isComplete: status != 500))
        }
        let lines = desk.get("/metrics").text.split(separator: "\n")
        let (requests, times) = ("drilldown_http_requests_total", "drilldown_http_request_duration_seconds")
        for line in [
            #"\#(requests){route="/levels",method="GET",status="200"} 1"#,
            #"\#(requests){route="/levels",method="GET",status="other"} 1"#,
            #"\#(times)_bucket{route="/levels",le="5e-05"} 1"#, #"\#(times)_bucket{route="/levels",le="0.0001"} 2"#,
            #"\#(times)_bucket{route="/levels",le="10.0"} 2"#, #"\#(times)_bucket{route="/levels",le="+Inf"} 3"#,
            #"\#(times)_sum{route="/levels"} 20.00011"#, #"\#(times)_count{route="/levels"} 3"#,
            #"drilldown_http_wait_duration_seconds_bucket{route="/levels",le="1.0"} 0"#,
            #"drilldown_http_wait_duration_seconds_sum{route="/levels"} 2.0"#,
            #"drilldown_http_response_body_bytes_total{route="/levels"} 40"#,
            #"drilldown_edits_total{outcome="refused"} 1"#, #"drilldown_edits_total{outcome="failed"} 1"#,
            "drilldown_http_responses_incomplete_total 1",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
    }

    @Test func `the status of every problem is counted by itself`() {
        #expect(Set(ProblemKind.all.map(\.status)).subtracting(ServerTotals.statuses) == [])
    }
}

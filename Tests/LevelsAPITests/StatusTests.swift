import Levels
import LevelsAPI
import Testing
import TreeStore

@testable import TestDocuments

/// `GET /healthz` and `GET /readyz` (manual, Requests and answers).
@Suite struct StatusTests {
    @Test("The service is alive")
    func health() throws {
        for target in ["/healthz", "/healthz/"] {
            let answer = try Desk("[]").get(target)
            #expect(answer.status == 200)
            #expect(answer.headers == Answer.unstoredHeaders)
            #expect(answer.line == #"{"status":"alive"}"#)
        }
    }

    @Test("A service that is ready shows its source and whether it is up to date")
    func ready() throws {
        let answer = try Desk(#"["a",{"Title":"b","Rows":["c"]}]"#).get("/readyz")
        #expect(answer.status == 200)
        #expect(answer.headers == Answer.unstoredHeaders)
        #expect(
            answer.line == """
                {"status":"ok","revision":"k3-1","source":"Data.plist","loadedAt":"2023-11-14T22:13:20Z","items":3}
                """)
    }

    @Test("While the latest load was refused the older tree goes on serving, and is said to be stale")
    func stale() throws {
        let desk = Desk(try Desk.snapshot(#"["a"]"#), lastError: "Data.plist:3:5: it is \"broken\"")
        #expect(
            desk.get("/readyz").line == """
                {"status":"stale","revision":"k3-1","source":"Data.plist","loadedAt":"2023-11-14T22:13:20Z","items":1,\
                "lastError":"Data.plist:3:5: it is \\"broken\\""}
                """)
        #expect(desk.get("/levels/").status == 200)
    }

    @Test("A document that is read as it is says how")
    func reading() throws {
        let tree = try Document.naturalTree(#"{"l":[{"name":"a"}]}"#)
        let snapshot = Snapshot(
            document: tree.document, reading: tree.reading, revision: "k3-1", loadedAt: 1_700_000_000)
        #expect(
            Desk(snapshot).get("/readyz").line == """
                {"status":"ok","revision":"k3-1","source":"Data.plist","reading":"read as it is: 'l' by 'name'",\
                "loadedAt":"2023-11-14T22:13:20Z","items":2}
                """)
    }

    @Test("Another publication is shown at once")
    func published() throws {
        let desk = try Desk(#"["a"]"#)
        #expect(desk.get("/levels/b").status == 404)
        let document = try Desk.snapshot(#"["a","b"]"#).document
        desk.api.publish(Snapshot(document: document, revision: "k3-2", loadedAt: 1_700_000_000.25))
        #expect(desk.get("/levels/b").status == 200)
        #expect(
            desk.get("/readyz").line == """
                {"status":"ok","revision":"k3-2","source":"Data.plist","loadedAt":"2023-11-14T22:13:20.25Z","items":2}
                """)
    }

    @Test("A database is said to be connected or not, since when, beside the status")
    func database() throws {
        for (isConnected, error, told) in [(true, nil, "connected"), (false, "it is away", "reconnecting")] {
            let api = LevelsAPI(publications: Publications(first: try Desk.snapshot(#"["a"]"#))) {
                Readiness(
                    source: "db", lastError: error,
                    database: DatabaseConnection(isConnected: isConnected, since: 1_600_000_000))
            }
            let status = error == nil ? "ok" : "stale"
            let reason = error.map { #""lastError":"\#($0)","# } ?? ""
            #expect(
                Desk(api: api).get("/readyz").line == """
                    {"status":"\(status)","revision":"k3-1","source":"db","loadedAt":"2023-11-14T22:13:20Z","items":1,\
                    \(reason)"database":"\(told)","since":"2020-09-13T12:26:40Z"}
                    """)
        }
    }
}

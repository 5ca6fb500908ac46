import Foundation
import Testing

@testable import DrilldownClient
@testable import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Requests that an app sends itself, with header fields and tokens of its own.
@Suite(.timeLimit(.minutes(1)))
struct OwnTransportTests {
    private static let refusal = StubOrigin.Answer.status(
        "401 Unauthorized", ["Content-Type": "application/problem+json"],
        Array(#"{"type":"/problems/unauthorized","title":"No","status":401,"detail":"No."}"#.utf8))

    @Test func `a function of the app sends every request`() async throws {
        let sent = Guarded<[String]>([])
        var configuration = try Server.Configuration("http://service/below")
        configuration.headerFields = ["X-Key": "k"]
        configuration.readToken = "reader"
        configuration.send = { request in
            sent.withLock { sent in
                let fields = ["X-Key", "Authorization"].map { request.value(forHTTPHeaderField: $0) ?? "-" }
                sent.append(
                    "\(request.url?.absoluteString ?? "") \(fields.joined(separator: " ")) \(request.timeoutInterval)")
            }
            let url = try #require(request.url)
            let head = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"])
            return (Data(StubOrigin.Answer.level.utf8), try #require(head))
        }
        #expect(try await Server(configuration).level().rows.map(\.title) == ["A"])
        // A file of another server is asked for without the token and the fields of this one.
        _ = try await Server(configuration).imageData(named: "HTTPS://other/a.png")
        (configuration.readToken, configuration.editToken) = (nil, "editor")
        _ = try await Server(configuration).transport.send(Request("/levels/?wait=20"))
        #expect(
            sent.withLock { $0 } == [
                "http://service/below/levels/ k Bearer reader 30.0", "HTTPS://other/a.png - - 30.0",
                "http://service/below/levels/?wait=20 k Bearer editor 50.0",
            ])
    }

    @Test(arguments: [
        ("http://a/1", "http://a/2", "GET", true, true), ("http://a/1", "https://a/2", "GET", true, false),
        ("https://a/1", "http://a/2", "GET", false, false), ("http://a/1", "http://a:81/2", "GET", true, false),
        ("http://a/1", "http://b/2", "GET", true, false), ("http://a/1", "http://a/2", "PUT", false, false),
    ])
    func `a redirect is followed to a scheme as secure, with the token to the same origin`(
        _ from: String, _ to: String, _ method: String, _ isFollowed: Bool, _ hasToken: Bool
    ) throws {
        var (original, next) = (URLRequest(url: try #require(URL(string: from))), try #require(URL(string: to)))
        original.httpMethod = method
        original.setValue("Bearer t", forHTTPHeaderField: "Authorization")
        let found = Exchange(target: "/1", of: "http://a", limit: 1).redirect(original, to: URLRequest(url: next))
        #expect((found != nil) == isFollowed)
        #expect(found?.value(forHTTPHeaderField: "Authorization") == (hasToken ? "Bearer t" : nil))
    }

    @Test func `its errors become problems, and its limits hold`() async throws {
        var configuration = try Server.Configuration("http://service")
        configuration.send = { _ in throw URLError(.cannotFindHost) }
        #expect(
            try await problem { try await Server(configuration).level() }?.detail
                == "http://service sent no complete answer to /levels/: its host name is unknown.")
        for error in [CancellationError(), URLError(.cancelled)] as [any Error] {
            configuration.send = { _ in throw error }
            await #expect(throws: CancellationError.self) { try await Server(configuration).level() }
            var updates = Server(configuration).updates().makeAsyncIterator()
            #expect(
                try await updates.next()?.interruption?.detail == "The answer of http://service cannot be read.")
        }
        let fields = [[:], ["Content-Length": "1000"], ["Content-Length": "1001"]]
        let cases: [(Int, Int, Problem.Kind)] = [
            (1_000, 0, .unreadableAnswer), (1_001, 0, .answerTooLong), (1_000, 1, .unreadableAnswer),
            (1_000, 2, .answerTooLong),
        ]
        for (length, number, kind) in cases {
            configuration.send = { request in
                let head = HTTPURLResponse(
                    url: try #require(request.url), statusCode: 200, httpVersion: nil, headerFields: fields[number])
                return (Data(count: length), try #require(head))
            }
            configuration.maximumAnswerBytes = 1_000
            #expect(try await problem { try await Server(configuration).level() }?.kind == kind)
        }
    }

    @Test func `retryNow ends a request that hangs, even if the function ignores it`() async throws {
        let isStuck = Guarded(false)
        let (sent, sender) = AsyncStream.makeStream(of: Void.self)
        let (end, ender) = AsyncStream.makeStream(of: Void.self)
        defer { ender.finish() }
        var configuration = try Server.Configuration("http://service")
        configuration.send = { request in
            if isStuck.withLock({ $0 }) {
                sender.yield()
                await Task { for await _ in end {} }.value
            }
            let head = HTTPURLResponse(
                url: try #require(request.url), statusCode: 200, httpVersion: nil,
                headerFields: ["Content-Type": "application/json", "ETag": "\"v1\""])
            return (Data(StubOrigin.Answer.level.utf8), try #require(head))
        }
        let server = Server(configuration)
        isStuck.withLock { $0 = true }
        var updates = server.updates().makeAsyncIterator()
        let following = Task { try await updates.next()?.level?.title }
        var requests = sent.makeAsyncIterator()
        _ = await requests.next()
        isStuck.withLock { $0 = false }
        server.retryNow()
        #expect(try await following.value == "Root")
    }

    @Test func `an edit without the version that it needs is a conflict that names it`() async throws {
        let origin = try StubOrigin { request in
            guard request.line.hasPrefix("DELETE") else { return .json(StubOrigin.detail) }
            return .status(
                "428 Precondition Required", ["Content-Type": "application/problem+json"],
                Array(
                    #"""
                    {"type":"/problems/precondition-required","title":"Precondition required","status":428,\#
                    "detail":"No.","current":"\"v1\"","currentFields":"f1"}
                    """#.utf8))
        }
        let server = try Server(origin(""), editToken: "t")
        let conflict = await #expect(throws: EditConflict.self) { try await server.delete(["A"]) }
        #expect(conflict?.needsVersion == true && conflict?.isOutdated == false && conflict?.currentVersion == "v1")
        #expect(conflict?.problem.kind == .preconditionRequired && conflict?.problem.currentFieldsVersion == "f1")
        #expect(
            conflict?.problem.detail
                == "Another item on this level has the same title, so the edit must name a version.")
    }

    @Test(arguments: [("401 Unauthorized", "unauthorized"), ("403 Forbidden", "wrong-token")])
    func `a provider is asked once for a token, and again when it is refused`(
        _ status: String, _ kind: String
    ) async throws {
        let origin = try StubOrigin { request in
            if request.fields["authorization"] == "Bearer t2" { return .json(StubOrigin.Answer.level) }
            return .status(
                status, ["Content-Type": "application/problem+json"],
                Array(#"{"type":"/problems/\#(kind)","title":"No","detail":"No."}"#.utf8))
        }
        let asked = Guarded<[String?]>([])
        var configuration = try Server.Configuration(origin(""))
        configuration.tokenProvider = { refused in
            asked.withLock { asked in
                asked.append(refused)
                return "t\(asked.count)"
            }
        }
        let server = Server(configuration)
        async let first = server.level()
        async let second = server.level(at: ["B"])
        #expect(try await [first.title, second.title] == ["Root", "Root"])
        #expect(asked.withLock { $0 } == [nil, "t1"])
    }

    @Test func `a token that a provider is asked for is that of all who wait for it`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (answers, answering) = AsyncStream.makeStream(of: String.self)
        let memory = TokenMemory { _ in
            asking.yield()
            return await answers.first { _ in true }
        }
        let first = Task { try await memory.token() }
        var questions = asked.makeAsyncIterator()
        await questions.next()
        let second = Task { try await memory.token() }
        for _ in 0..<100 { await Task.yield() }
        answering.yield("t")
        #expect(try await [first.value, second.value, memory.token()] == ["t", "t", "t"])
        asking.finish()
        #expect(await questions.next() == nil)
    }

    @Test func `a request that is cancelled while a provider fails ends with a cancellation`() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (failures, failing) = AsyncStream.makeStream(of: URLError.self)
        var configuration = try Server.Configuration("http://service")
        configuration.tokenProvider = { _ in
            asking.yield()
            for await failure in failures { throw failure }
            return nil
        }
        let request = Task { [configuration] in try await Server(configuration).level() }
        var questions = asked.makeAsyncIterator()
        await questions.next()
        request.cancel()
        failing.yield(URLError(.timedOut))
        await #expect(throws: CancellationError.self) { try await request.value }
    }

    @Test func `a request after the end of its session is refused, even if the function ignores it`() async throws {
        let session = RenewedSession(connections: 1, try Server.Configuration("http://service"))
        session.end()
        let exchange = Exchange(target: "/levels/", of: "http://service", limit: 1)
        await #expect(throws: RenewedSession.Closed.self) {
            try await session.answer(of: exchange) {
                let url = try #require(URL(string: "http://service/levels/"))
                let head = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                return (Data(), try #require(head))
            }
        }
    }

    @Test func `a refused token without another is a refusal, and a provider that fails is told`() async throws {
        let origin = try StubOrigin { _ in Self.refusal }
        var configuration = try Server.Configuration(origin(""))
        configuration.tokenProvider = { _ in "only" }
        #expect(
            try await problem { try await Server(configuration).level() }?.detail
                == "The service does not accept this token here.")
        #expect(origin.requests.count == 1)
        struct NoAccount: Error {}
        configuration.tokenProvider = { _ in throw NoAccount() }
        let found = try await problem { try await Server(configuration).level() }
        #expect(found?.detail == "There is no token for \(origin("")): NoAccount().")
        #expect(found?.isTemporary == true)
    }

    @Test func `a provider is not asked again if the service refuses all edits, nor for another server`() async throws {
        let origin = try StubOrigin { request in
            request.path == "/a.png" ? Self.refusal : .problem("403 Forbidden", "editing-off")
        }
        let asked = Guarded<[String?]>([])
        var configuration = try Server.Configuration(origin(""))
        configuration.tokenProvider = { refused in
            asked.withLock { $0.append(refused) }
            return "t"
        }
        let server = Server(configuration)
        let image = try await problem { try await server.imageData(named: origin("/a.png")) }
        #expect(image?.kind == .unauthorized && asked.withLock { $0 } == [])
        #expect(try await problem { try await server.delete(["A"]) }?.kind == .editingOff)
        #expect(asked.withLock { $0 } == [nil])
    }
}

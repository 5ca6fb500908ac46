import Levels
import Locking
import Testing
import TreeStore

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// The link `follow`, its turns, and what caches may do with its answers (manual, Refresh), without a socket and with a
/// clock that tests set.
@Suite("The link follow") struct FollowTests {
    private static let first = #"[{"Title": "a", "Price": 1, "Children": ["x"]}, "b", "c"]"#
    private static let second = #"[{"Title": "a", "Price": 2, "Children": ["x", "y"]}, "b", "c"]"#

    /// The time of day that the service sees, in milliseconds since 1970.
    private let time = Guarded(1_000_000)
    private let desk: Desk

    init() throws { try self.init(Self.first) }

    private init(_ document: String) throws { desk = try Self.desk(time, document) }

    private static func snapshot(_ document: String, _ number: Int) throws -> Snapshot {
        Desk.snapshot(try Document.tree(document), revision: "k3-\(number)")
    }

    private static func desk(
        _ time: Guarded<Int>, _ document: String = first,
        configure: (inout LevelsAPI.Configuration) throws -> Void = { _ in }
    ) throws -> Desk {
        try Desk(snapshot(document, 1)) { configuration in
            configuration.now = { time.withLock(\.self) }
            configuration.checksEachSecond = false
            try configure(&configuration)
        }
    }

    private func set(_ milliseconds: Int) {
        time.withLock { $0 = milliseconds }
        desk.api.groups.checkTurns()
    }

    /// Lets the time go on for 20 seconds. Returns the seconds at which waits end, in ascending order.
    private func ends(_ waiters: [Waiter]) -> [Int] {
        var ends: [Int] = []
        for second in 1_001...1_020 {
            set(second * 1_000 - 1)
            let ended = waiters.count { $0.hasEnded }
            #expect(ended == ends.count, "before \(second)")
            set(second * 1_000)
            ends += Array(repeating: second, count: waiters.count { $0.hasEnded } - ended)
        }
        return ends
    }

    private func publish(_ document: String, _ number: Int) throws {
        desk.api.publish(try Self.snapshot(document, number))
    }

    private func waiter(
        _ target: String, _ fields: [(name: String, value: String)] = [], _ location: SourceLocation = #_sourceLocation
    ) throws -> Waiter {
        let answer = desk.api.respond(to: Request(target: target, fields: fields))
        return try #require(answer.waiter, "\(target) is answered at once", sourceLocation: location)
    }

    private func version(_ target: String) -> String {
        String(desk.get(target).entityTag.dropFirst().prefix(Version.width))
    }

    private static func headers(_ cacheControl: String, _ more: [String] = []) -> [String] {
        [
            "Content-Type: application/json", "Cache-Control: \(cacheControl)", "X-Content-Type-Options: nosniff",
            "Vary: Accept-Encoding",
        ] + more
    }
    private static func shared(_ seconds: Int) -> String {
        "public, max-age=0, s-maxage=\(seconds), stale-while-revalidate=0"
    }

    // MARK: The link

    @Test(
        "is the request's own, with the version, a wait and the format, and its options in one order",
        arguments: [
            ("/levels/", "/levels/?since=VERSION&wait=20&format=json"),
            ("/levels/a/", "/levels/a?since=VERSION&wait=20&format=json"),
            ("/levels/?wait=7&format=json", "/levels/?since=VERSION&wait=20&format=json"),
            ("/levels/?pretty=false", "/levels/?pretty=false&since=VERSION&wait=20&format=json"),
            (
                "/levels/?sort=-Price&where=Title~a&where=Price%3E0&limit=2",
                "/levels/?limit=2&where=Price%3E0&where=Title~a&sort=-Price&since=VERSION&wait=20&format=json"
            ),
            ("/levels/?%6Cimit=2&start=1", "/levels/?limit=2&start=1&since=VERSION&wait=20&format=json"),
            ("/levels/?q=b+c", "/levels/?q=b%20c&since=VERSION&wait=20&format=json"),
            ("/levels/?depth=2", "/levels/?depth=2&since=VERSION&wait=20&format=json"),
            ("/detail/a", "/detail/a?since=VERSION&wait=20&format=json"),
        ])
    func link(_ target: String, _ expected: String) {
        #expect(desk.get(target).follow == expected.replacing("VERSION", with: version(target)))
    }

    @Test("of a property list names this format, and so does the link of the next page")
    func propertyList() {
        let answer = desk.get("/levels/?limit=1", [("Accept", "application/x-plist")])
        let version = answer.entityTag.dropFirst().prefix(Version.width)
        #expect(
            answer.text.hasSuffix(
                """
                \t<key>follow</key>
                \t<string>/levels/?limit=1&amp;since=\(version)&amp;wait=20&amp;format=plist</string>
                </dict>
                </plist>

                """))
        #expect(answer.header("Link") == "</levels/?limit=1&format=plist&after=AAAAAAAAAABObGMrYelk4f>; rel=\"next\"")
        #expect(desk.get("/levels/?limit=1&format=plist").body == answer.body)
    }

    @Test("of the changes names the revision, and a revision that is gone gets a link that begins anew")
    func changes() {
        let link = "/changes?since=k3-1&wait=20&format=json"
        #expect(desk.get("/changes").follow == link)
        #expect(desk.get("/changes?wait=1&since=k2-9").follow == link)
        #expect(desk.get("/changes?since=k2-9").status == 410)
    }

    @Test("begins with the base path")
    func basePath() throws {
        let desk = try Self.desk(time) { $0.basePath = "/api/x" }
        #expect(desk.get("/api/x/levels/").follow?.hasPrefix("/api/x/levels/?since=") == true)
        #expect(desk.get("/api/x/detail/a").follow?.hasPrefix("/api/x/detail/a?since=") == true)
        #expect(desk.get("/changes").follow == "/api/x/changes?since=k3-1&wait=20&format=json")
        #expect(desk.get("/changes?since=k2-9").follow == "/api/x/changes?since=k3-1&wait=20&format=json")
    }

    @Test("is the same after a change of what the answer does not show, and another after any other change")
    func versions() throws {
        let targets = ["/levels/?fields=", "/levels/?fields=Price", "/detail/b", "/levels/a"]
        let before = targets.map { desk.get($0).follow }
        try publish(#"[{"Title": "a", "Price": 2, "Children": ["x"]}, "b", "c"]"#, 2)
        #expect(zip(targets, before).map { desk.get($0).follow == $1 } == [true, false, true, true])
    }

    // MARK: Waiting

    @Test("without a turn is answered at once with the next change, or after the seconds of its wait")
    func untimed() throws {
        let link = try #require(desk.get("/levels/").follow)
        let (changed, same) = (try waiter(link), try waiter(link.replacing("wait=20", with: "wait=3")))
        set(1_003_000)
        #expect(!changed.hasEnded)
        let empty = Answer(try #require(same.response))
        #expect(empty.headers == Self.headers(Self.shared(1)))
        let version = version("/levels/")
        #expect(
            empty.text.hasSuffix(
                #""since":"\#(version)","removed":[],"inserted":[],"moved":[],"updated":[],"next":null,"after":null,"#
                    + #""follow":"/levels/?since=\#(version)&wait=20&format=json&turn=1003"}"# + "\n"))
        set(1_003_400)
        try publish(Self.second, 2)
        let answer = Answer(try #require(changed.response))
        #expect(answer.headers == Self.headers(Self.shared(1)))
        #expect(answer.follow == "/levels/?since=\(self.version("/levels/"))&wait=20&format=json&turn=1003")
        #expect(answer.text.contains(#""updated":[{"at":0,"row":{"key":"a""#))
        // What comes too late is answered at once.
        #expect(desk.get(link).text == answer.text)
    }

    @Test(
        "with a turn is answered when its second is over, with what is there then",
        arguments: ["/levels/?fields=*", "/detail/a", "/levels/?q=a&in=*", "/levels/?depth=1", "/changes"])
    func turn(_ target: String) throws {
        let link = try #require(desk.get(target).follow).replacing("wait=20", with: "wait=300")
        let early = try waiter(link + "&turn=1000")
        try publish(Self.second, 2)
        // It came after the change, and still has to wait.
        let late = try waiter(link + "&turn=1000")
        set(1_000_999)
        #expect(!early.hasEnded && !late.hasEnded)
        try publish(Self.second.replacing("2", with: "3"), 3)
        #expect(!early.hasEnded && !late.hasEnded)
        set(1_001_000)
        let answer = Answer(try #require(early.response))
        #expect(early.response === late.response)
        #expect(answer.status == 200)
        #expect(answer.follow == desk.get(target).follow.map { $0 + "&turn=1001" })
        #expect(answer.headers.contains("Cache-Control: \(Self.shared(10))"))
        #expect(answer.text.contains("Price\":3") || target == "/changes")
        // Two changes of one second are one step.
        #expect(answer.text.contains("Price\":2") == false)
        let last = try waiter(link + "&turn=1001")
        set(1_002_000)
        #expect(last.hasEnded, "the link is older than the changes")
    }

    @Test("with a turn goes on waiting if a change is taken back within its second")
    func thereAndBack() throws {
        let link = try #require(desk.get("/levels/").follow)
        let waiter = try waiter(link + "&turn=1000")
        try publish(Self.second, 2)
        try publish(Self.first, 3)
        set(1_001_000)
        #expect(!waiter.hasEnded)
        try publish(Self.second, 4)
        #expect(waiter.hasEnded)
    }

    @Test(
        "with a turn ends at the same second for all who wait, and on every server",
        arguments: [
            ("/levels/", true), ("/levels/a?sort=Price", true), ("/detail/a", false), ("/levels/?q=b", false),
            ("/changes", true),
        ])
    func end(_ target: String, isEmpty: Bool) throws {
        let link = try #require(desk.get(target).follow) + "&turn="
        let waiters = try [7, 900, 999].map { try waiter(link + "\($0)") }
        let end = try #require(ends(waiters).first)
        #expect((1_001...1_020).contains(end))
        let answers = try waiters.map { Answer(try #require($0.response)) }
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(answers[0].headers.contains("Cache-Control: \(Self.shared(20))"))
        #expect(answers[0].follow == link + "\(end)")
        if isEmpty {
            #expect(answers[0].text.contains(#""removed":[]"#) || target == "/changes")
        } else {
            #expect(answers[0].line == desk.get(target).line)
        }
        let other = try FollowTests(#"[{"Title": "a", "Children": ["z"]}]"#)
        let otherLink = try #require(other.desk.get(target).follow) + "&turn=7"
        #expect(try other.ends([other.waiter(otherLink)]) == [end])
    }

    @Test("is answered by the clock of the machine")
    func machineClock() async throws {
        let desk = try Desk(Self.first)
        let link = try #require(desk.get("/levels/").follow).replacing("wait=20", with: "wait=1")
        let waiter = try #require(desk.api.respond(to: Request(target: link)).waiter)
        await withCheckedContinuation { continuation in waiter.onEnd { _ in continuation.resume() } }
        #expect(Answer(try #require(waiter.response)).text.contains(#""updated":[],"next":null"#))
    }

    @Test("of different things ends at different seconds")
    func spread() throws {
        let waiters = try (1...100).map { limit in
            try waiter(try #require(desk.get("/levels/?limit=\(limit)").follow) + "&turn=7")
        }
        let ends = ends(waiters)
        #expect(ends.count == 100)
        #expect(Set(ends).count > 15)
    }

    @Test("with a turn that is far ahead is not waited for, and not kept by nginx")
    func ahead() throws {
        let link = try #require(desk.get("/levels/").follow)
        try publish(Self.second, 2)
        for turn in [1_003, 9_007_199_254_740_990] {
            let answer = desk.get(link + "&turn=\(turn)")
            #expect(answer.headers == Self.headers(Self.shared(1), ["X-Accel-Expires: 0"]))
            #expect(answer.follow?.hasSuffix("&turn=\(turn + 1)") == true)
        }
    }

    @Test(
        "with an unknown version is answered whole at once",
        arguments: ["/levels/?since=other", "/levels/?since=AAAAAAAAAAAAAAAAAAAAAA", "/detail/a?since=other"])
    func unknown(_ target: String) {
        let answer = desk.get(target + "&wait=20&format=json&turn=999")
        let plain = desk.get(String(target.prefix { $0 != "?" }))
        #expect(answer.line == plain.line)
        #expect(answer.headers == Self.headers(Self.shared(10)))
        #expect(answer.follow == plain.follow.map { $0 + "&turn=1000" })
    }

    // MARK: The link alone

    @Test(
        "is answered by itself, whatever the header says",
        arguments: [
            ("Accept", "application/x-plist"), ("Accept", "text/csv"), ("Accept", "text/event-stream"),
            ("Prefer", "wait=1"), ("If-Match", "\"other\""), ("If-None-Match", "*"), ("Range", "bytes=0-1"),
            ("Drilldown-Revision", "k3-999"),
        ])
    func header(_ name: String, _ value: String) throws {
        for target in ["/levels/", "/detail/a", "/changes"] {
            let link = try #require(desk.get(target).follow)
            let waiters = try [waiter(link), waiter(link, [(name, value)])]
            time.withLock { $0 += 60_000 }
            desk.api.groups.checkTurns()
            #expect(waiters[0].response != nil && waiters[0].response === waiters[1].response, "\(target)")
        }
    }

    @Test("does not count as followed without a format: a condition is answered with 304")
    func conditional() throws {
        let tag = desk.get("/levels/").entityTag
        let target = "/levels/?since=\(version("/levels/"))&wait=3"
        let (plain, conditional) = (try waiter(target), try waiter(target, [("If-None-Match", tag)]))
        set(1_003_000)
        #expect(conditional.response?.status == 304)
        let answer = Answer(try #require(plain.response))
        #expect(
            answer.headers == [
                "Content-Type: application/json", "ETag: \(tag)", "Cache-Control: no-cache",
                "X-Content-Type-Options: nosniff", "Vary: Accept-Encoding, Accept",
            ])
        #expect(answer.follow?.hasSuffix("&turn=1003") == true)
    }

    @Test("that comes too early with a condition for another answer is not taken to have the present one")
    func otherCondition() throws {
        let target = "/levels/?since=AAAAAAAAAAAAAAAAAAAAAA&wait=3&turn=1000"
        let waiter = try waiter(target, [("If-None-Match", "\"other\"")])
        set(1_001_000)
        let answer = Answer(try #require(waiter.response))
        #expect(answer.status == 200)
        #expect(answer.line == desk.get("/levels/").line)
    }

    @Test("has the tag of the whole answer in its coding, however short the changes are")
    func codedTag() throws {
        let rows = (0..<100).map { #"{"Title": "row \#($0)", "Text": "of many"}"# }.joined(separator: ",")
        try publish("[\(rows)]", 2)
        let since = version("/levels/")
        try publish("[\(rows),\"last\"]", 3)
        let coding = [(name: "Accept-Encoding", value: "gzip")]
        let answer = desk.get("/levels/?since=\(since)&wait=3", coding)
        #expect(answer.decoded?.text.contains(#""removed":[],"inserted":[{"at":100"#) == true)
        #expect(answer.entityTag == desk.get("/levels/", coding).entityTag)
    }

    @Test("lets a search and an outline be followed, which have no changes otherwise")
    func whole() {
        for option in ["q=a", "depth=2", "expand=a"] {
            #expect(
                desk.get("/levels/?\(option)&since=x").text.contains(
                    "'\(option.prefix { $0 != "=" })' cannot be combined with 'since'; leave one of them out."))
            #expect(desk.get("/levels/?\(option)&since=x&wait=3&format=json").status == 200)
        }
    }

    @Test("keeps Accept out of Vary wherever a format is named", arguments: ["/levels/", "/detail/a", "/document"])
    func vary(_ target: String) {
        #expect(desk.get(target).header("Vary") == "Accept-Encoding, Accept")
        #expect(desk.get(target + "?format=json").header("Vary") == "Accept-Encoding")
        let accept = [(name: "Accept", value: "application/x-plist")]
        for _ in 0..<3 { #expect(desk.get(target + "?format=json", accept) == desk.get(target + "?format=json")) }
    }

    // MARK: Problems

    @Test("has problems that a crowd shares for a second, and others that nobody keeps")
    func problems() throws {
        let gone = try waiter(try #require(desk.get("/detail/c").follow))
        try publish(#"["a"]"#, 2)
        let missing = Answer(try #require(gone.response))
        #expect(missing.status == 404)
        #expect(missing.header("Cache-Control") == Self.shared(1))
        #expect(missing.header("Vary") == nil)
        #expect(desk.get("/detail/c?since=x&wait=20&format=json").header("Cache-Control") == Self.shared(1))
        #expect(desk.get("/changes?since=k2-1&wait=20&format=json").header("Cache-Control") == Self.shared(1))
        for query in ["", "?wait=20&format=json", "?since=x&format=json", "?since=x&wait=20"] {
            #expect(desk.get("/detail/c" + query).header("Cache-Control") == "no-store", "\(query)")
        }
        #expect(desk.get("/levels/?since=x&wait=20&format=json&limit=0").header("Cache-Control") == "no-store")
        let full = try Self.desk(time) { $0.waiters = 0 }
        let refused = full.get(try #require(full.get("/levels/").follow))
        #expect(refused.status == 503)
        #expect(refused.header("Retry-After") == "5")
        #expect(refused.header("Cache-Control") == Self.shared(1))
    }

    @Test("is private where reading needs a token")
    func tokens() throws {
        let token = "0123456789abcdef0123"
        let desk = try Self.desk(time) {
            $0.reading = TokenAccess { AccessTokens(Array("\(token)\n".utf8)) }
        }
        let header = [(name: "Authorization", value: "Bearer \(token)")]
        let since = "?since=x&wait=20&format=json"
        for (target, status, cacheControl) in [
            ("/levels/" + since, 200, "private, max-age=0"),
            ("/levels/" + since + "&turn=9999", 200, "private, max-age=0"),
            ("/changes" + since, 410, "private, max-age=0"), ("/levels/none" + since, 404, "private, max-age=0"),
        ] {
            let answer = desk.get(target, header)
            #expect(answer.status == status)
            #expect(answer.header("Cache-Control") == cacheControl)
            #expect(answer.header("X-Accel-Expires") == nil)
            let refused = desk.get(target)
            #expect(refused.status == 401)
            #expect(refused.header("Cache-Control") == "no-store")
        }
    }
}

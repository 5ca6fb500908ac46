import HTTPServer
import Levels
import Locking
import TestSupport
import Testing
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

/// Answers that are kept across publications (`ResponseCache`).
@Suite("An answer that is kept") struct CarriedAnswerTests {
    /// The first document; the compared levels are below `a`.
    private static let document = #"""
        [{"Title": "x", "Rows": ["x1"]},
         {"Title": "a", "Subtitle": "s", "Rows": [{"Title": "b", "Text": "t", "Rows": ["c", {"Title": "d", "Rows": ["e"]}]}, "f"]},
         {"Title": "y", "Rows": ["y1"]}]
        """#
    private static let targets = [
        "/levels/a", "/levels/a?limit=1", "/levels/a?fields=*", "/levels/a?format=plist", "/levels/a/b", "/levels/a/f",
        "/detail/a", "/detail/a/b", "/detail/a/b/c", "/detail/a/f", "/levels/", "/detail/",
    ]

    private static func snapshot(_ document: String, _ number: Int) throws -> Snapshot {
        Desk.snapshot(try Document.tree(document), revision: "k3-\(number)")
    }

    private static func changed(_ old: String, _ new: String) -> String { document.replacing(old, with: new) }

    /// What changes, and the targets whose kept answers remain.
    struct Case: Sendable, CustomTestStringConvertible {
        let old, new: String
        let remaining: [String]

        var testDescription: String { "\(old) becomes \(new)" }
    }

    @Test(
        "is served again where the next publication shows the same, and nowhere else",
        arguments: [
            Case(old: #""y1""#, new: #""y2""#, remaining: targets),
            Case(
                old: #""e""#, new: #""e2""#,
                remaining: targets),
            Case(
                old: #"["e"]"#, new: #"["e", "g"]"#,
                remaining: targets.filter { $0 != "/levels/a/b" }),
            Case(
                old: #""Text": "t""#, new: #""Text": "u""#,
                remaining: targets.filter { !$0.hasPrefix("/levels/a?") && !["/levels/a", "/detail/a/b"].contains($0) }),
            Case(
                old: #""Subtitle": "s""#, new: #""Subtitle": "u""#,
                remaining: targets.filter { !["/levels/", "/detail/a"].contains($0) }),
            Case(
                old: #""f""#, new: #""g""#,
                remaining: ["/levels/a?limit=1", "/levels/a/b", "/detail/a/b/c", "/levels/", "/detail/"]),
            Case(old: #""Title": "a""#, new: #""Key": "a", "Title": "A""#, remaining: []),
            Case(
                old: #"{"Title": "y", "#, new: #""z", {"Title": "y", "#,
                remaining: targets.filter { !["/levels/", "/detail/", "/detail/a"].contains($0) }),
        ])
    func remaining(_ change: Case) throws {
        let desk = Desk(try Self.snapshot(Self.document, 1))
        let new = try Self.snapshot(Self.changed(change.old, change.new), 2)
        let fresh = Desk(new, cacheBytes: 0)
        let kept = Self.targets.map { target in
            _ = desk.api.response(to: Request(target: target))
            return desk.api.response(to: Request(target: target))
        }
        desk.api.publish(new)
        for (target, kept) in zip(Self.targets, kept) {
            let response = desk.api.respond(to: Request(target: target)).response
            // An answer that the level's own bytes are part of is made anew, though it may be the same.
            if response === kept { #expect(change.remaining.contains(target) || Answer(kept) == fresh.get(target)) }
            if target != "/levels/a?limit=1", change.remaining.contains(target) {
                #expect(response === kept, "\(target)")
            }
            #expect(response.map { Answer($0) } == fresh.get(target), "\(target)")
        }
    }

    @Test("is verified once for each publication, and then served without looking at the tree")
    func once() throws {
        let api = Desk(try Self.snapshot(Self.document, 1)).api
        let request = Request(target: "/levels/a")
        for _ in 0..<2 { _ = api.response(to: request) }
        api.publish(try Self.snapshot(Self.changed(#""y1""#, #""y2""#), 2))
        let hash = Negotiation(request: request, origins: .none).key(of: request.target)
        #expect(api.cache.find(request.target, hash: hash, in: 1).verified == nil)
        let answer = api.response(to: request)
        #expect(api.cache.find(request.target, hash: hash, in: 1).verified?.kept?.response === answer)
    }

    @Test("counts with its target and its header lines against the memory of the cache")
    func cost() throws {
        let cache = ResponseCache(bytes: 16 * 64 << 10)
        let negotiation = Negotiation(request: Request(target: "/"), origins: .none)
        let response = Response(status: 200, headers: [], body: [])
        let targets = (0..<400).map { "/levels/?fields=\($0)" + String(repeating: "x", count: 8_000) }
        for target in targets {
            let hash = negotiation.key(of: target.utf8Span.span)
            let head = Representation.Head(entityTag: nil, headers: [])
            let answer = RenderedAnswer(response, head: head, for: Array(target.utf8), showing: nil)
            cache.keep(answer, hash: hash, in: 0)
        }
        let kept = targets.filter { target in
            let hash = negotiation.key(of: target.utf8Span.span)
            return cache.find(target.utf8Span.span, hash: hash, in: 0).verified != nil
        }
        #expect(kept.reduce(0) { $0 + $1.utf8.count } <= 16 * 64 << 10)
        #expect(!kept.isEmpty)
    }

    @Test("is replaced when its level changes, and the old one is gone")
    func replaced() throws {
        let desk = Desk(try Self.snapshot(#"["a"]"#, 1))
        for _ in 0..<3 { _ = desk.get("/levels/") }
        for number in 2...50 {
            desk.api.publish(try Self.snapshot("[\"\(number)\"]", number))
            #expect(desk.get("/levels/").text.contains("\"title\":\"\(number)\""))
            #expect(desk.get("/levels/").text.contains("\"title\":\"\(number)\""))
        }
        #expect(desk.api.cache.counts == ResponseCache.Counts(hits: 1 + 49, misses: 2 + 49))
    }

    @Test("with the changes since a version is served while the level is the same")
    func since() throws {
        let rows = (0..<20).map { "\"row \($0)\"" }.joined(separator: ",")
        func document(_ first: String, _ other: String) -> String {
            #"[{"Title": "a", "Rows": ["\#(first)", \#(rows)]}, "\#(other)"]"#
        }
        let desk = Desk(try Self.snapshot(document("x", "1"), 1))
        let version = desk.get("/levels/a").entityTag.dropFirst().dropLast()
        let request = Request(target: "/levels/a?since=\(version)")
        desk.api.publish(try Self.snapshot(document("y", "1"), 2))
        for _ in 0..<2 { _ = desk.api.response(to: request) }
        let kept = desk.api.response(to: request)
        #expect(Answer(kept).text.contains(#""removed":["x"]"#))
        desk.api.publish(try Self.snapshot(document("y", "2"), 3))
        #expect(desk.api.response(to: request) === kept)
        desk.api.publish(try Self.snapshot(document("z", "2"), 4))
        #expect(Answer(desk.api.response(to: request)).text.contains(#""inserted":[{"at":0,"row":{"key":"z""#))
    }

    @Test("with the whole level, since the version was unknown, is made anew after the next publication")
    func unknownVersion() throws {
        let desk = Desk(try Self.snapshot(#"["a", "1"]"#, 1))
        let other = Desk(try Self.snapshot(#"["b", "1"]"#, 1)).get("/levels/").entityTag.dropFirst().dropLast()
        let target = "/levels/?since=\(other)"
        for _ in 0..<3 { #expect(desk.get(target).text.contains(#""rows":["#)) }
        desk.api.publish(try Self.snapshot(#"["b", "1"]"#, 2))
        #expect(desk.get("/levels/").entityTag == "\"\(other)\"")
        desk.api.publish(try Self.snapshot(#"["a", "1"]"#, 3))
        #expect(desk.get(target).text.contains(#""removed":["b"]"#))
    }

    @Test("is noted as given out for the newest publication that it was served for")
    func version() throws {
        func document(_ title: String, _ other: String) -> String {
            #"[{"Title": "a", "Rows": ["\#(title)"]}, "\#(other)"]"#
        }
        // A history of few bytes, so that the first snapshot is forgotten.
        let desk = Desk(try Self.snapshot(document("x", "0"), 0), historyBytes: 6_000)
        for _ in 0..<3 { _ = desk.get("/levels/a") }
        let version = desk.get("/levels/a").entityTag.dropFirst().dropLast()
        for number in 1...40 {
            desk.api.publish(try Self.snapshot(document("x", "\(number)"), number))
            _ = desk.get("/levels/a")
        }
        #expect(desk.api.publications.snapshot(0) == nil)
        desk.api.publish(try Self.snapshot(document("y", "40"), 41))
        #expect(desk.get("/levels/a?since=\(version)").text.contains(#""removed":["x"]"#))
    }

    @Test("is never served to a request of another publication that shows something else")
    func mixed() throws {
        let snapshots = try (0...1).map { try Self.snapshot("[\"\($0)\"]", $0) }
        let cache = ResponseCache(bytes: 1 << 20)
        let request = Request(target: "/levels/")
        let hash = Negotiation(request: request, origins: .none).key(of: request.target)
        let arrangements = ArrangementCache(bytes: 0)
        let publications = Publications(first: snapshots[0])
        let negotiation = Negotiation(request: request, origins: .none)
        let question = Question(
            subject: .level, at: .root, values: QueryValues(), from: Query(.level), of: request, negotiation,
            now: 0)
        let inquiries = try snapshots.enumerated().map { number, snapshot in
            if number > 0 { publications.publish(snapshot) }
            return try Inquiry(question: question, in: publications.current, arrangements: arrangements)
        }
        let answers = (0...1).map { number in
            let response = Response(status: 200, headers: [], body: [UInt8(number)])
            let head = Representation.Head(entityTag: nil, headers: [])
            return RenderedAnswer(
                response, head: head, for: Array(request.targetText.utf8), showing: ShownHashes(inquiries[number]))
        }
        func keep(_ content: Int, in number: Int) { cache.keep(answers[content], hash: hash, in: number) }
        func served(_ content: Int, in number: Int) -> Response? {
            switch cache.find(request.target, hash: hash, in: number) {
            case .verified(let answer): answer.kept?.response
            case .unverified(let entry):
                cache.verify(
                    entry, hash: hash, in: number,
                    isSame: entry.answer.shown?.isSame(as: inquiries[content]) == true)?.kept?.response
            case .missing: nil
            }
        }
        keep(1, in: 5)
        // A request that took the publication before, and renders what that shows.
        #expect(cache.find(request.target, hash: hash, in: 4).verified == nil)
        #expect(served(0, in: 4) == nil)
        keep(0, in: 4)
        #expect(served(1, in: 5) === answers[1].kept?.response)
        // One that shows the same may have it, and it stays verified for the newer one.
        #expect(served(1, in: 3) === answers[1].kept?.response)
        #expect(cache.find(request.target, hash: hash, in: 3).verified == nil)
        #expect(cache.find(request.target, hash: hash, in: 5).verified?.kept?.response === answers[1].kept?.response)
        #expect(served(0, in: 6) == nil)
        #expect(served(1, in: 5) == nil)
    }

    @Test("is from the tree of the same publication, while many clients read and one thread publishes")
    func consistent() throws {
        // The level and the level below it show the number of the publication, or its half.
        let snapshots = try (0..<60).map { number in
            try Self.snapshot(#"[{"Title": "a", "Text": "\#(number)", "Rows": ["half \#(number / 2)"]}]"#, number)
        }
        let desk = Desk(snapshots[0])
        let expected = snapshots.map { snapshot in
            let fresh = Desk(snapshot, cacheBytes: 0)
            return ["/levels/a", "/detail/a", "/levels/?fields=*"].map { fresh.get($0).text }
        }
        let faults = Guarded<[String]>([])
        let isOver = Guarded(false)
        try concurrently(4) { thread in
            if thread == 0 {
                for snapshot in snapshots.dropFirst() { desk.api.publish(snapshot) }
                return isOver.withLock { $0 = true }
            }
            while !isOver.withLock({ $0 }) {
                for (index, target) in ["/levels/a", "/detail/a", "/levels/?fields=*"].enumerated() {
                    let before = desk.api.publications.current.number
                    let text = desk.get(target).text
                    let after = desk.api.publications.current.number
                    guard !(before...after).contains(where: { expected[$0][index] == text }) else { continue }
                    faults.withLock { $0.append("\(target) between \(before) and \(after): \(text)") }
                }
            }
        }
        #expect(faults.withLock { $0 } == [])
        for (index, target) in ["/levels/a", "/detail/a", "/levels/?fields=*"].enumerated() {
            #expect(desk.get(target).text == expected[59][index])
        }
    }

    @Test("of an unchanged level is hit as often with a change between any two rounds of requests as without")
    func hits() throws {
        let groups = 1_000
        func document(_ changed: String) -> String {
            let all = (0..<groups).map { group in
                let rows = (0..<99).map { "\"\(group == 7 && $0 == 3 ? changed : "row \($0)")\"" }
                return #"{"Title": "group \#(group)", "Rows": [\#(rows.joined(separator: ","))]}"#
            }
            return "[\(all.joined(separator: ","))]"
        }
        let documents = try (0...1).map { try Document.tree(document("edition \($0)")) }
        let targets = (100..<200).map { "/levels/group%20\($0)" }
        func hits(changing: Bool) -> Int {
            let api = Desk(Desk.snapshot(documents[0]), cacheBytes: 32 << 20).api
            for round in 1...12 {
                for target in targets { _ = api.response(to: Request(target: target)) }
                if changing { api.publish(Desk.snapshot(documents[round % 2], revision: "k3-\(round + 1)")) }
            }
            return api.cache.counts.hits
        }
        #expect(hits(changing: false) == 1_000)
        #expect(hits(changing: true) == 1_000)
    }
}

extension ResponseCache.Found {
    /// The answer, if it was verified for the publication.
    fileprivate var verified: RenderedAnswer? { if case .verified(let answer) = self { answer } else { nil } }
}

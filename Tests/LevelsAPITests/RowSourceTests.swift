import Bytes
import HTTPServer
import Levels
import Locking
import Testing
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

/// Numbers as rows, made page by page; each has its digits below.
private struct NumberRows: RowSource {
    var numbers: Range<Int>
    var isImmediate = true
    var observer: Observer?

    /// What requests have done with the rows, and the number of the rows' state.
    final class Observer: Sendable {
        let state = Guarded(1)
        /// For each page whether its answer was wanted before and after `duringPage`.
        let wanted = Guarded<[Bool]>([])
        let duringPage = Guarded<@Sendable () -> Void>({})
        /// How many pages take so long that they are given up.
        let longPages = Guarded(0)
        private let isWanted = Guarded<@Sendable () -> Bool>({ true })

        func begin(_ isWanted: @escaping @Sendable () -> Bool) { self.isWanted.withLock { $0 = isWanted } }

        /// Releases what refers to the waiter, and thereby to these rows.
        func end() {
            isWanted.withLock { $0 = { true } }
            duringPage.withLock { $0 = {} }
        }

        /// Works until that is not wanted, if the page is a long one; returns whether it is.
        func isGivenUp() -> Bool {
            let isLong = longPages.withLock { left in
                left -= 1
                return left >= 0
            }
            let isWanted = isWanted.withLock { $0 }
            while isLong, isWanted() {}
            return isLong
        }

        func noteWanted() {
            let isWanted = isWanted.withLock { $0 }()
            wanted.withLock { $0.append(isWanted) }
        }
    }

    func begin(while isWanted: @escaping @Sendable () -> Bool) -> any RowSource {
        observer?.begin(isWanted)
        return self
    }

    func end() { observer?.end() }

    var state: Int? { observer?.state.withLock { $0 } }

    /// The publication of these rows; the document has only the root.
    func snapshot(_ revision: String) throws -> Snapshot {
        Snapshot(document: try Self.document([]), rows: self, revision: revision, loadedAt: 1_700_000_000)
    }

    private static func document(_ titles: [String]) throws -> Level {
        let rows = titles.map { "\"\($0)\"" }.joined(separator: ",")
        return try Document.tree(#"{"Title":"Numbers","Rows":[\#(rows)]}"#).document
    }

    private func level(_ titles: [String]) throws(RowRefusal) -> Level? {
        do {
            return Item(rootOf: try Self.document(titles)).level
        } catch {
            throw RowRefusal(parameter: "limit", sentence: "\(error)")
        }
    }

    private func step(_ number: Int) -> Item.Step? {
        guard numbers.contains(number) else { return nil }
        do {
            return try level(["\(number)"]).map { Item.Step(level: $0, row: 0) }
        } catch {
            return nil
        }
    }

    private func number(_ item: Item) -> String? { item.depth == 0 ? nil : item.own.withRow { String(utf8: $0.title) } }

    func find(_ path: ItemPath) -> Item.Lookup {
        let document: Level
        do { document = try Self.document([]) } catch { fatalError("\(error)") }
        let root = Item(steps: [Item.Step(level: document, row: 0)], count: numbers.count)
        guard path.count > 0 else { return .found(root) }
        guard path.count == 1, let number = Int(path.key(0)), let own = step(number) else {
            return .missing(nearest: root, keyNumber: 0)
        }
        return .found(Item(steps: root.steps + [own], count: path.key(0).count))
    }

    func page(_ query: RowQuery, below item: Item) throws(RowRefusal) -> RowPage {
        guard query.search == nil else { throw RowRefusal(parameter: "q", sentence: "'q' needs an index.") }
        if let observer {
            if observer.isGivenUp() { throw RowRefusal(kind: .timeout, sentence: "It takes too long.") }
            observer.noteWanted()
            observer.duringPage.withLock { $0 }()
            observer.noteWanted()
        }
        if let number = number(item) {
            let digits = number.map { "\($0)" }
            return RowPage(
                level: try level(digits), start: 0, of: digits.count, childCounts: digits.map { _ in 0 }, next: nil)
        }
        var start = query.page.firstPosition
        if case .supplied(let bytes) = query.page.after { start = bytes.reduce(0) { $0 << 8 | Int($1) } }
        let positions = query.page.positions(from: start, of: numbers.count)
        let titles = positions.map { "\(numbers.lowerBound + $0)" }
        let end = [
            UInt8(truncatingIfNeeded: positions.upperBound >> 8), UInt8(truncatingIfNeeded: positions.upperBound),
        ]
        let half = numbers.count / 2
        return RowPage(
            level: try level(titles), start: start, of: numbers.count, isEstimate: numbers.count > 1_000,
            sections: [
                Section(title: "low", start: 0, count: half), Section(start: half, count: numbers.count - half),
            ],
            childCounts: titles.map(\.count), next: positions.upperBound < numbers.count ? .supplied(end) : nil)
    }

    func detail(of item: Item) throws(RowRefusal) -> ItemDetail {
        let number = number(item).flatMap { Int($0) } ?? 0
        let children = item.depth == 0 ? nil : try level("\(number)".map { "\($0)" })
        return ItemDetail(
            item: item, position: number - numbers.lowerBound, of: numbers.count, previous: step(number - 1),
            next: step(number + 1), children: ItemDetail.ChildRows(Listing(children)))
    }

    func hash(of part: ShownPart, of item: Item) -> ContentHash {
        ContentHash(of: "\(numbers)\(item.titlePath)".utf8Span.span)
    }
}

/// Rows that a source makes page by page, such as those of a table.
@Suite("Rows that are not in memory") struct RowSourceTests {
    private let threads = WorkQueueTests.Threads()

    private func desk(_ numbers: Range<Int>, isImmediate: Bool = true) throws -> Desk {
        try Desk(NumberRows(numbers: numbers, isImmediate: isImmediate).snapshot("k3-1")) { [threads] configuration in
            configuration.startWork = { threads.start($0) }
        }
    }

    @Test("are pages with a cursor of the source, counts below, sections, and an estimate")
    func page() throws {
        let first = try desk(0..<1_000_000).get("/levels/?limit=2")
        #expect(
            first.content.replacing(/"version":"[^"]*"/, with: "V") == #"""
                {"title":"Numbers","href":"/levels/","detail":"/detail/",V,"depth":0,"leaf":false,"ancestors":[],\#
                "count":1000000,"counted":"estimate","start":0,"sections":[\#
                {"title":"low","index":null,"start":0,"count":500000},\#
                {"title":null,"index":null,"start":500000,"count":500000}],"rows":[\#
                {"key":"0",V,"title":"0","leaf":false,"count":1,"href":"/levels/0","fields":{}},\#
                {"key":"1",V,"title":"1","leaf":false,"count":1,"href":"/levels/1","fields":{}}],\#
                "previous":null,"next":"/levels/?limit=2&after=.AAAAAAAAAACAACAAAAAAAA","after":".AAAAAAAAAACAACAAAAAAAA"}

                """#)
        let second = try desk(0..<1_000_000).get("/levels/?limit=2&after=.AAAAAAAAAACAACAAAAAAAA")
        #expect(second.text.contains(#""start":2,"#))
        #expect(
            second.content.contains(
                #""next":"/levels/?limit=2&after=.AAAAAAAAAACAAEAAAAAAAA","after":".AAAAAAAAAACAAEAAAAAAAA"}"#))
        #expect(try !desk(0..<1_000).get("/levels/?limit=1").text.contains("estimate"))
    }

    @Test("have details with neighbours, and levels of their own")
    func detail() throws {
        let detail = try desk(0..<1_000).get("/detail/123").content
        #expect(
            detail.replacing(/"(v|fieldsV)ersion":"[^"]*"/, with: "V") == #"""
                {"title":"123","href":"/detail/123","level":"/levels/123",V,V,"depth":1,"leaf":false,"count":3,\#
                "ancestors":[{"title":"Numbers","href":"/levels/"}],\#
                "position":{"index":123,"of":1000,"section":0,"first":false,"last":false},\#
                "previous":{"title":"122","href":"/detail/122"},"next":{"title":"124","href":"/detail/124"},\#
                "firstChild":{"title":"1","href":"/detail/123/1"},"lastChild":{"title":"3","href":"/detail/123/3"},\#
                "fields":{"Title":"123"}}

                """#)
        #expect(try desk(0..<1_000).get("/levels/123").text.contains(#""count":3,"#))
        #expect(try desk(0..<1_000).get("/levels/1000").status == 404)
    }

    @Test(
        "refuse what the source does not support",
        arguments: [
            ("/levels/?q=1", "'q' needs an index."),
            (
                "/levels/?depth=1&after=.AAAAAAAAAACAAIAAAAAAAA",
                "The cursor belongs to a list that is not an outline; follow the link 'next' of a page of this list."
            ), ("/levels/?after=.AAAA", "'.AAAA' is not a cursor; follow the link 'next' of a page."),
            (
                "/levels/?after=.AAAAAAAAAAJAAIAAAAAAAA",
                "'.AAAAAAAAAAJAAIAAAAAAAA' is not a cursor; follow the link 'next' of a page."
            ),
        ])
    func refused(_ target: String, _ sentence: String) throws {
        let answer = try desk(0..<10).get(target)
        #expect(answer.status == 400)
        #expect(answer.text.contains("\"detail\":\"\(sentence)\""))
    }

    @Test("have no documents, and a tree does not read their cursors")
    func others() throws {
        #expect(try desk(0..<10).get("/document/1").status == 406)
        let answer = try Desk("[\"a\"]").get("/levels/?after=.AAAAAAAAAACAAIAAAAAAAA")
        #expect(answer.status == 400)
        #expect(
            answer.text.contains(
                #""detail":"The cursor belongs to another source; follow the link 'next' of a page.""#))
    }

    @Test(
        "are answered on another thread by a source that takes time",
        arguments: ["/levels/?limit=3", "/detail/7", "/levels/x"])
    func later(_ target: String) throws {
        let desk = try desk(0..<10, isImmediate: false)
        let waiter = try #require(desk.api.respond(to: Request(target: target, fields: [])).waiter)
        #expect(!waiter.hasEnded)
        threads.run()
        #expect(Answer(try #require(waiter.response)) == (try self.desk(0..<10).get(target)))
    }

    @Test("may take the time of a query after their turn has come")
    func longest() {
        var configuration = LevelsAPI.Configuration()
        configuration.longestReading = .seconds(60)
        let answers = LaterAnswers(configuration)
        #expect(answers.longest(in: answers.reading) == .seconds(90))
        #expect(answers.longest(in: answers.queue) == .seconds(30))
    }

    /// A service with rows that are not found at once, which are observed.
    private func observed() throws -> (desk: Desk, observer: NumberRows.Observer) {
        let observer = NumberRows.Observer()
        let rows = NumberRows(numbers: 0..<10, isImmediate: false, observer: observer)
        let desk = try Desk(rows.snapshot("k3-1")) { [threads] configuration in
            configuration.startWork = { threads.start($0) }
        }
        return (desk, observer)
    }

    private func later(_ desk: Desk, _ target: String, _ fields: [(name: String, value: String)] = []) throws -> Waiter
    {
        try #require(desk.api.respond(to: Request(target: target, fields: fields)).waiter)
    }

    @Test("learn that a client has left while its answer is made")
    func left() throws {
        let (desk, observer) = try observed()
        let waiter = try later(desk, "/levels/")
        observer.duringPage.withLock { $0 = { waiter.expire() } }
        threads.run()
        #expect(observer.wanted.withLock { $0 } == [true, false])
    }

    @Test("are read anew on another thread if they take long")
    func long() throws {
        let (desk, observer) = try observed()
        observer.longPages.withLock { $0 = 3 }
        let waiter = try later(desk, "/levels/?limit=2")
        threads.run()
        #expect(observer.longPages.withLock { $0 } == 0)
        #expect(!waiter.hasEnded)
        threads.run()
        #expect(Answer(try #require(waiter.response)).text.contains(#""title":"1""#))
    }

    @Test("are answered as before, without a page, while the source keeps its state")
    func keptAnswers() throws {
        let (desk, observer) = try observed()
        func answer(_ target: String, _ fields: [(name: String, value: String)] = []) throws -> Answer {
            let waiter = try later(desk, target, fields)
            threads.run()
            return Answer(try #require(waiter.response))
        }
        var pages: Int { observer.wanted.withLock(\.count) / 2 }
        // An answer is kept when it is made for the second time.
        let first = try answer("/levels/?limit=2")
        for _ in 0..<3 { #expect(try answer("/levels/?limit=2") == first) }
        let tag = [(name: "If-None-Match", value: first.entityTag)]
        #expect(try answer("/levels/?limit=2", tag).status == 304)
        #expect(pages == 2)
        // An indented answer, another form, and the same after the state has changed.
        #expect(try answer("/levels/?limit=2&pretty=true").text != first.text)
        #expect(try answer("/levels/?limit=2", [("Accept", "application/x-plist")]).text != first.text)
        #expect(pages == 4)
        for number in 2...3 {
            observer.state.withLock { $0 = number }
            #expect(try answer("/levels/?limit=2", tag).status == 304)
            #expect(pages == 3 + number)
            #expect(try answer("/levels/?limit=2", tag).status == 304)
            #expect(pages == 3 + number)
        }
        // The publication may have changed the items above the rows.
        desk.api.publish(
            try NumberRows(numbers: 0..<10, isImmediate: false, observer: observer).snapshot("k3-2"))
        #expect(try answer("/levels/?limit=2", tag).status == 304)
        #expect(pages == 7)
    }

    @Test("tell a client that waits what has changed", arguments: [true, false])
    func change(isImmediate: Bool) throws {
        let desk = try desk(0..<10, isImmediate: isImmediate)
        func answer(_ request: Request) throws -> Answer {
            let answer = desk.api.respond(to: request)
            if let response = answer.response { return Answer(response) }
            threads.run()
            return Answer(try #require(answer.waiter?.response))
        }
        let first = try answer(Request(target: "/levels/", fields: []))
        let version = try #require(first.text.firstMatch(of: /"version":"([^"]*)"/)?.output.1)
        let target = "/levels/?since=\(version)&wait=30"
        let waiter = try #require(desk.api.respond(to: Request(target: target, fields: [])).waiter)
        threads.run()
        #expect(!waiter.hasEnded)
        desk.api.publish(try NumberRows(numbers: 1..<11, isImmediate: isImmediate).snapshot("k3-2"))
        threads.run()
        let changed = Answer(try #require(waiter.response)).text
        #expect(changed.contains(#""removed":["0"],"inserted":[{"at":9,"row":{"key":"10","#))
        #expect(
            try answer(Request(target: "/changes?since=k3-1", fields: [])).text.contains(
                #""levels":["/levels/"],"details":[],"truncated":true"#))
    }
}

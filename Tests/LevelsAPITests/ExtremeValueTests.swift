import HTTPServer
import Levels
import LevelsAPI
import Testing

@testable import TestDocuments

/// Numbers of any size in each place where a client may put one: an answer comes, and nothing ends the process.
@Suite("A request with numbers of any size") struct ExtremeValueTests {
    private static let document = """
        [{"Title":"a","Price":9223372036854775807,"Rows":[{"Title":"b","Rows":["c","d"]}]},
         {"Title":"e","Price":-9223372036854775808,"Kind":"x"},{"Title":"f","Price":1e308,"Kind":"y"},"g","h"]
        """

    @Test("is answered or refused", arguments: 0..<8)
    func reads(seed: Int) throws {
        let desk = try Desk(Self.document)
        var generator = SeededGenerator(seed: UInt64(seed))
        var statuses: Set<Int> = []
        for _ in 0..<100 {
            let value = generator.extremeText()
            let targets = [
                "/levels/?start=\(value)&limit=\(generator.below(9) + 1)", "/levels/?limit=\(value)",
                "/levels/?start=2&limit=\(value)", "/levels/?depth=\(value)", "/levels/?depth=all&start=\(value)",
                "/levels/?sort=Price&start=\(value)", "/levels/?where=Price%3C\(value)",
                "/levels/?where=Price%3E\(value)", "/levels/?where=Price%3A\(value)", "/levels/?since=\(value)",
                "/levels/?after=\(value)", "/changes?since=k3-\(value)", "/changes?since=\(value)",
                "/levels/a~\(value)",
            ]
            for target in targets {
                statuses.insert(desk.get(target.replacing("+", with: "%2B")).status)
            }
            let fields = [
                ("Prefer", "wait=\(value)"), ("Range", "bytes=\(value)-"), ("Accept", "*/*;q=\(value)"),
                ("If-Modified-Since", "Sun, 06 Nov \(value) 08:49:37 GMT"), ("Last-Event-ID", value),
            ]
            for field in fields { statuses.insert(desk.get("/levels/", [field]).status) }
        }
        #expect(statuses == [200, 400, 404, 410])
    }

    @Test("and a cursor of any position goes on somewhere in the list", arguments: 0..<4)
    func cursors(seed: Int) throws {
        let desk = try Desk(Self.document)
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<70 {
            // Words of 64 bits, as cursors have them; some of them are bookmarks of any order.
            func words(_ count: Int) -> String {
                (0..<count).map { _ in Self.word(UInt64(bitPattern: Int64(generator.extreme()))) }.joined()
            }
            let (one, two) = (words(generator.below(3) + 2), words(generator.below(2) + 1))
            for cursor in [
                one, "\(one).\(two)", "\(one).\(two).\(two)", "\(one)..\(two)", "_\(one)..", "_\(one)..._\(one)..",
            ] {
                for order in ["", "&sort=Price", "&sort=Price&group=Kind", "&group=Kind", "&q=a", "&depth=all"] {
                    let answer = desk.get("/levels/?after=\(cursor)\(order)")
                    #expect([200, 400].contains(answer.status), "\(cursor)\(order)")
                }
            }
        }
    }

    /// The eleven digits of a word in a cursor.
    private static func word(_ word: UInt64) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        return String((0..<11).map { digits[Int(truncatingIfNeeded: (word >> UInt64(60 - 6 * $0)) & 63)] })
    }

    @Test("that edits is carried out or refused", arguments: 0..<4)
    func edits(seed: Int) throws {
        let desk = try EditDesk(Self.document)
        var generator = SeededGenerator(seed: UInt64(seed))
        var statuses: Set<Int> = []
        for number in 0..<100 {
            let value = generator.extremeText()
            let query = value.replacing("+", with: "%2B")
            let item = "{\"Title\":\"n\(seed).\(number)\",\"Price\":\(value)}"
            statuses.insert(desk.send(.post, "/levels/?at=\(query)", item).status)
            statuses.insert(desk.send(.post, "/levels/?section=\(query)", item).status)
            statuses.insert(desk.send(.patch, "/detail/e", "{\"Price\":\(value)}").status)
            let move =
                "{\"from\":\"/detail/g\",\"to\":\"/levels/\",\"at\":\(value),\"section\":\(generator.extremeText())}"
            statuses.insert(desk.send(.post, "/moves", move).status)
            statuses.insert(
                desk.send(
                    .post, "/edits", "{\"edits\":[{\"insert\":{\"Title\":\"m\"},\"to\":\"/levels/a\",\"at\":\(value)}]}"
                ).status)
        }
        #expect(statuses.isSuperset(of: [200, 201, 400, 422]) && statuses.allSatisfy { $0 < 500 })
    }
}

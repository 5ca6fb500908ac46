import Bytes
import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Paths in URLs, and where they lead (manual, Paths and keys).
@Suite struct PathTests {
    @Test(
        "A path is the chain of keys, each decoded and in NFC",
        arguments: [
            ("", []), ("/", []), ("/a", ["a"]), ("/a/", ["a"]), ("/a/b", ["a", "b"]),
            ("/Item%204/Screen%20G", ["Item 4", "Screen G"]),
            ("/a%2Fb/c", ["a/b", "c"]), ("/a%2fb", ["a/b"]), ("/a+b", ["a+b"]), ("/%61", ["a"]),
            ("/a//b", ["a", "", "b"]),
            ("/e%CC%81", ["\u{E9}"]), ("/%C3%A9", ["\u{E9}"]), ("/%00", ["\u{0}"]), ("/.", ["."]), ("/..", [".."]),
            ("/%2E%2E", [".."]), ("/a;b=c", ["a;b=c"]), ("/\u{E9}", ["\u{E9}"]), ("/%F0%9F%91%A8", ["\u{1F468}"]),
        ] as [(String, [String])])
    func keys(_ text: String, _ keys: [String]) throws {
        let path = try ItemPath(Array(text.utf8).span)
        #expect((0..<path.count).map { Array(path.key($0).utf8) } == keys.map { Array($0.utf8) })
    }

    @Test(
        "A segment that is not percent-encoded UTF-8 is refused by itself",
        arguments: [
            ("/%", "%"), ("/%4", "%4"), ("/a/%zz/b", "%zz"), ("/%4g", "%4g"), ("/a%", "a%"), ("/%FF", "%FF"),
            ("/a/%C3", "%C3"),
            ("/%C3%28", "%C3%28"), ("/%ED%A0%80", "%ED%A0%80"), ("/%C0%AF", "%C0%AF"),
            ("/%F4%90%80%80", "%F4%90%80%80"),
        ])
    func refused(_ text: String, _ segment: String) {
        let error = #expect(throws: ItemPathError.self) { try ItemPath(Array(text.utf8).span) }
        #expect(error?.segment == segment)
    }

    @Test("Percent-encoding leaves the unreserved characters alone, and decoding gives every key back")
    func encoding() throws {
        let all = (0...255).map(UInt8.init)
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF")
        let expected = all.map { byte in
            unreserved.contains(byte)
                ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }
        #expect(encoded(all) == expected.joined())
        #expect(PercentEncoding.decode(Array(encoded(all).utf8).span) == all)
        for text in OddText.forXML + OddText.beyondXML {
            #expect(PercentEncoding.decode(Array(encoded(Array(text.utf8)).utf8).span) == Array(text.utf8))
        }
    }

    @Test("The path of every item of random trees leads back to it")
    func everyItem() throws {
        for seed in 0..<80 as Range<UInt64> {
            var random = RandomDocument(seed: seed, .binary)
            let document = try random.document().tree().document
            var waiting = [(path: "", level: document.child(0))]
            while let (path, level) = waiting.popLast() {
                guard let level else { continue }
                for row in 0..<level.count {
                    let below = path + "/" + encoded(Array(level.key(row).utf8))
                    guard case .found(let item) = try find(below, in: document) else {
                        Issue.record("seed \(seed): \(below) leads nowhere")
                        continue
                    }
                    #expect(item.own.level === level && item.own.row == row, "seed \(seed): \(below)")
                    #expect(item.level === level.child(row))
                    waiting.append((below, level.child(row)))
                }
            }
        }
    }

    @Test("A path that leads nowhere gives the nearest item and the missing key")
    func missing() throws {
        let document = try Document.tree(#"[{"Title":"a","Rows":[{"Title":"b","Rows":["c"]}]}]"#).document
        for (path, nearest, number) in [
            ("/x", "/", 0), ("/a/x/y", "/a", 1), ("/a/b/x", "/a/b", 2), ("/a/b/c/x", "/a/b/c", 3), ("//a", "/", 0),
            ("/A", "/", 0),
        ] {
            guard case .missing(let item, let keyNumber) = try find(path, in: document) else {
                Issue.record("\(path) leads somewhere")
                continue
            }
            #expect(item.titlePath == nearest)
            #expect(keyNumber == number)
            #expect(item.depth == number)
        }
    }

    @Test("The root is found by the empty path, and has a title path of its own")
    func root() throws {
        let document = try Document.tree(#"{"Title":"t","Rows":["a"]}"#).document
        guard case .found(let item) = try find("", in: document) else {
            Issue.record("the root is not found")
            return
        }
        #expect(item.depth == 0)
        #expect(item.titlePath == "/")
        #expect(item.level === document.child(0))
    }

    @Test("A buffer without memory for a key drops it")
    func withoutMemory() {
        var buffer = ByteBuffer()
        PercentEncoding.append("a/b".utf8Span.span, to: &buffer)
        _ = buffer.reserve(1 << 60)
        PercentEncoding.append("c".utf8Span.span, to: &buffer)
        let (text, isIncomplete) = (String(utf8: buffer.span), buffer.isIncomplete)
        #expect(text == "a%2Fb" && isIncomplete)
    }

    private func find(_ path: String, in document: Level) throws -> Item.Lookup {
        Item.find(try ItemPath(Array(path.utf8).span), in: document)
    }

    private func encoded(_ bytes: [UInt8]) -> String {
        var buffer = ByteBuffer()
        PercentEncoding.append(bytes.span, to: &buffer)
        return String(utf8: buffer.span)
    }
}

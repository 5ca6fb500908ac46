import Foundation
import HTTPServer
import Levels
import LevelsAPI
import PropertyLists
import Testing

@testable import TestDocuments

/// `GET /document/<path>`: an item with all below it, which reads back as the same tree (manual, Documents as a whole).
@Suite struct DocumentTests {
    private static let document = #"{"Title":"t","Rows":[{"Title":"a","Rows":["b/c",{"Title":"d","N":5}]},"e"]}"#

    @Test("A document is written as it is in JSON")
    func json() throws {
        let answer = try Desk(Self.document).get("/document?format=json")
        #expect(answer.status == 200)
        #expect(answer.headers == answer.taggedHeaders(vary: "Accept-Encoding"))
        #expect(answer.line == Self.document)
    }

    @Test(
        "Each item is a document of its own",
        arguments: [
            ("/document/", document), ("/document/a", #"{"Title":"a","Rows":["b/c",{"Title":"d","N":5}]}"#),
            ("/document/a/", #"{"Title":"a","Rows":["b/c",{"Title":"d","N":5}]}"#), ("/document/a/b%2Fc", #""b/c""#),
            ("/document/a/d", #"{"Title":"d","N":5}"#), ("/document/e", #""e""#),
        ])
    func items(_ target: String, _ expected: String) throws {
        #expect(try Desk(Self.document).get(target + "?format=json").line == expected)
    }

    @Test("The XML is that of Xcode")
    func xml() throws {
        #expect(
            try Desk(#"["a<b",{"Title":"c","Tag":1}]"#).get("/document").text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
                <plist version="1.0">
                <array>
                \t<string>a&lt;b</string>
                \t<dict>
                \t\t<key>Title</key>
                \t\t<string>c</string>
                \t\t<key>Tag</key>
                \t\t<integer>1</integer>
                \t</dict>
                </array>
                </plist>

                """)
    }

    @Test("Random documents read back as the same trees in each format", arguments: Value.Format.allCases)
    func random(_ format: Value.Format) throws {
        for seed in 0..<120 as Range<UInt64> {
            var random = RandomDocument(seed: seed, format.contents)
            let tree = try random.document().tree()
            let answer = Desk(Desk.snapshot(tree)).get("/document?format=\(format.name)")
            var builder = TreeBuilder(isXML: format == .xml)
            try format.read(answer.body, into: &builder)
            #expect(try builder.finish().document.hash == tree.document.hash, "seed \(seed)")
        }
    }

    @Test("A long document comes whole in pieces, in each format", arguments: Value.Format.allCases)
    func long(_ format: Value.Format) throws {
        let rows = (0..<5_000).map { number in
            Value.dictionary([
                Value.Entry("Title", .string("row \(number)")),
                Value.Entry("Children", .array([.string("leaf \(number)")])),
            ])
        }
        let tree = try Value.array(rows).tree()
        let desk = Desk(Desk.snapshot(tree))
        let request = Request(target: "/document?format=\(format.name)")
        let response = desk.api.response(to: request)
        #expect(response.body.count == 0, "it is no stream")
        var builder = TreeBuilder(isXML: format == .xml)
        try format.read(Answer(response).body, into: &builder)
        #expect(try builder.finish().document.hash == tree.document.hash)
        #expect(
            desk.get("/document/row%204999?format=json").line == #"{"Title":"row 4999","Children":["leaf 4999"]}"#)
    }

    @Test("Text and dates that XML cannot carry are refused as XML, where they stand, and sent in the other formats")
    func beyondXML() throws {
        let children = (0..<3_000).map { #""a child with some words in its title \#($0)""# }.joined(separator: ",")
        let desk = try Desk(
            #"[{"Title":"long","Rows":[\#(children)],"Text":"\u0001"},{"Title":"fine","Rows":["x"]},"\uFFFE"]"#)
        for target in ["/document", "/document/long", "/document/%EF%BF%BE"] {
            let answer = desk.get(target)
            #expect(answer.status == 406)
            #expect(
                answer.line == """
                    {"type":"/problems/not-representable","title":"Not representable","status":406,"detail":"The document \
                    contains control characters or fractions of a second, which XML cannot represent; request \
                    format=binary.",\
                    "instance":"\(target)","allowed":["binary","json"]}
                    """)
            #expect(desk.get(target + "?format=binary").status == 200)
            #expect(desk.get(target + "?format=json").status == 200)
        }
        #expect(desk.get("/document/fine").status == 200)
        #expect(desk.get("/document/long/a%20child%20with%20some%20words%20in%20its%20title%206").status == 200)
        let fraction = Value.array([.dictionary([Value.Entry("Title", .string("a")), Value.Entry("At", .date(0.25))])])
        #expect(Desk(Desk.snapshot(try fraction.tree())).get("/document").status == 406)
    }

    @Test("A document's entity tag depends on its content and format alone")
    func entityTags() throws {
        let desk = try Desk(Self.document)
        let targets = ["/document", "/document?format=json", "/document?format=binary", "/document/a", "/document/e"]
        let tags = targets.map { desk.get($0).entityTag }
        #expect(Set(tags).count == targets.count)
        #expect(desk.get("/document", [("Accept", "application/json")]).entityTag == tags[1])
        let again = try Desk(Self.document.replacingOccurrences(of: #""N":5"#, with: #" "N" : 5 "#))
        #expect(targets.map { again.get($0).entityTag } == tags)
        let other = try Desk(Self.document.replacingOccurrences(of: #""N":5"#, with: #""N":6"#))
        #expect(targets.map { other.get($0).entityTag == $0 }.contains(true) == false)
        #expect(other.get("/document/e").entityTag == tags[4])
        #expect(other.get("/document/a").entityTag != tags[3])
        #expect(other.get("/document").entityTag != tags[0])
    }
}

extension Value.Format {
    /// The format's name in `?format=`.
    fileprivate var name: String {
        switch self {
        case .xml: "plist"
        case .json: "json"
        case .binary: "binary"
        }
    }
}

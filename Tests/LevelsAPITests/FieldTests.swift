import Foundation
import Testing

/// `?fields=`: which fields a row shows.
@Suite struct FieldTests {
    private static let document = #"""
        [{"Tag":1,"Price":5,"Title":"a","Artist":{"Name":"x"},"Key":"k","Children":["c"],"SectionKeys":["no"]},"b"]
        """#

    @Test(
        "The rows show the fields that were asked for, in the order of the query or of the document",
        arguments: [
            ("", #"{"Tag":1,"Price":5}"#, "{}"),
            ("?fields=", "{}", "{}"),
            ("?fields", "{}", "{}"),
            ("?fields=,", "{}", "{}"),
            ("?fields=Price", #"{"Price":5}"#, "{}"),
            ("?fields=Artist,Price", #"{"Artist":{"Name":"x"},"Price":5}"#, "{}"),
            ("?fields=Price,Artist,Tag", #"{"Price":5,"Artist":{"Name":"x"},"Tag":1}"#, "{}"),
            ("?fields=Title", #"{"Title":"a"}"#, #"{"Title":"b"}"#),
            ("?fields=Tag,Title,Nothing", #"{"Tag":1,"Title":"a"}"#, #"{"Title":"b"}"#),
            ("?fields=Price,Price", #"{"Price":5}"#, "{}"),
            ("?fields=prices", "{}", "{}"),
            ("?fields=Children,SectionKeys", "{}", "{}"),
            ("?fields=*", #"{"Tag":1,"Price":5,"Title":"a","Artist":{"Name":"x"},"Key":"k"}"#, #"{"Title":"b"}"#),
            ("?fields=%2A", #"{"Tag":1,"Price":5,"Title":"a","Artist":{"Name":"x"},"Key":"k"}"#, #"{"Title":"b"}"#),
        ])
    func selection(_ query: String, _ first: String, _ second: String) throws {
        let text = try Desk(Self.document).get("/levels/\(query)").line
        let parts = text.components(separatedBy: #""fields":"#)
        try #require(parts.count == 3)
        #expect(parts[1].hasPrefix(first + #"},{"key""#), "\(parts[1])")
        #expect(parts[2].hasPrefix(second + #"}],"next":null,"after":null"#), "\(parts[2])")
    }

    @Test("The rows show the same fields however many others are asked for", arguments: [1, 8, 9, 250])
    func manyNames(_ count: Int) throws {
        let desk = try Desk(Self.document)
        /// The rows alone, because the answer also has a hint for each other name.
        func rows(_ answer: Answer) throws -> String {
            String(try #require(answer.text.firstMatch(of: /"rows":\[.*\],"next"/)).output)
        }
        let others = (0..<count).map { "X\($0)" }
        for wanted in ["Price", "Title", "Tag,Artist", "Price,Title,Tag"] {
            let names = wanted.split(separator: ",").map(String.init)
            let asked = desk.get("/levels/?fields=\((others + names + others.prefix(3)).joined(separator: ","))")
            #expect(try rows(asked) == rows(desk.get("/levels/?fields=\(wanted)")))
        }
    }

    @Test("More fields than 256 are refused, and every field that is asked for counts")
    func tooManyNames() throws {
        let desk = try Desk(Self.document)
        func get(_ count: Int) -> Answer {
            desk.get("/levels/?fields=" + (0..<count).map { _ in "Price" }.joined(separator: ","))
        }
        #expect(get(256).content == desk.get("/levels/?fields=Price").content)
        let answer = get(257)
        #expect(answer.status == 400)
        #expect(
            answer.line.hasSuffix(#"Price","parameter":"fields"}"#)
                && answer.text.contains(
                    #""detail":"'fields' must name at most 256 fields, not 257; '*' selects all of them.""#)
        )
    }

    @Test("A field's name may contain characters that queries must encode")
    func oddNames() throws {
        let desk = try Desk(#"[{"Title":"t","a&b":1,"a=b":2,"a b":3,"a+b":4,"é":5,"%41":6}]"#)
        for (query, expected) in [
            ("a%26b", #"{"a&b":1}"#), ("a=b", #"{"a=b":2}"#), ("a%3Db", #"{"a=b":2}"#), ("a+b", #"{"a b":3}"#),
            ("a%20b", #"{"a b":3}"#), ("a%2Bb", #"{"a+b":4}"#), ("%C3%A9", #"{"é":5}"#), ("%2541", #"{"%41":6}"#),
        ] {
            #expect(desk.get("/levels/?fields=\(query)").text.contains(#""fields":\#(expected)}]"#), "\(query)")
        }
    }
}

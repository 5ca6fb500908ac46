import Testing

@testable import DrilldownClient

/// Reading the changes of a level and of a document.
@Suite struct ChangeReadingTests {
    private static let head = #""title":"Root","href":"/levels/A","version":"v2","depth":1,"leaf":false,"count":3"#

    private static func row(_ key: String) -> String {
        #"{"key":"\#(key)","version":"w","title":"\#(key)","leaf":true,"count":0,"href":"/detail/A/\#(key)","fields":{}}"#
    }

    private func delta(_ members: String) throws(JSONError) -> LevelDelta? {
        try LevelReader.read(Array("{\(Self.head)\(members)}".utf8)).delta
    }

    private func changed(_ key: String) -> Row { Row(key: key, below: ["A"], version: "w") }

    @Test func `a detail is read whole`() throws {
        func link(_ name: String) -> String { #"{"title":"\#(name)","more":1,"href":"/detail/A/\#(name)"}"# }
        let text =
            #"{\#(Self.head),"fieldsVersion":"f","ancestors":[{"title":"Root","href":"/levels/"}],"error":"No.","#
            + #""position":{"index":2,"of":5,"section":1,"last":false},"previous":\#(link("p")),"next":\#(link("n")),"#
            + #""firstChild":\#(link("f")),"lastChild":\#(link("l")),"fields":{"Price":12},"more":[{}],"#
            + #""links":{"land,town":\#(link("f"))},"control":{"type":"Slider","min":0}}"#
        let links = ["p", "n", "f", "l"].map { ItemLink(title: $0, path: ["A", $0]) }
        var detail = Detail(
            title: "Root", path: ["A"], version: "v2", fieldsVersion: "f", count: 3,
            ancestors: [ItemLink(title: "Root", path: .root)], position: .init(index: 2, count: 5, section: 1),
            previous: links[0], next: links[1], firstChild: links[2], lastChild: links[3], fields: ["Price": 12],
            control: Control(type: "Slider"), error: "No.")
        detail.control?.min = 0
        detail.links = ["land,town": links[2]]
        #expect(try DetailReader.read(Array(text.utf8)) == detail)
        let leaf = text.replacing(#""leaf":false"#, with: #""leaf":true"#).replacing(link("p"), with: "null")
        (detail.isLeaf, detail.previous) = (true, nil)
        #expect(try DetailReader.read(Array(leaf.utf8)) == detail)
        for (member, reason) in [
            (#""fields":{"Price":12}"#, "it has no 'fields'"), (#""version":"v2""#, "it has no 'version'"),
            (#""href":"/levels/A""#, "it has no 'href'"), (#""title":"Root","href":"/levels/A""#, "it has no 'href'"),
        ] {
            let error = #expect(throws: JSONError.self) {
                try DetailReader.read(Array(text.replacing(member, with: #""x":0"#).utf8))
            }
            #expect(error?.reason == reason)
        }
        for (part, wrong, reason) in [
            ("/detail/A/n", "/else", "it has an 'href' that is not a link of an item"),
            (#""ancestors":["#, #""ancestors":[0,"#, "it has '0' where an object was expected"),
            (#""title":"p""#, #""title":0"#, "it has '0' where a text was expected"),
            (#""index":2"#, #""index":-1"#, "it has '-' where a whole number from 0 was expected"),
            (#""fields":{"#, #""fields":0,"x":{"#, "it has '0' where an object was expected"),
            (#""control":{"#, #""control":{"options":[0],"#, "it has '0' where an object was expected"),
            (#""type":"Slider""#, #""type":0"#, "it has '0' where a text was expected"),
            (#""more":[{}]"#, #""more":[,]"#, "it has ',' where a value was expected"),
        ] {
            let error = #expect(throws: JSONError.self) {
                try DetailReader.read(Array(text.replacing(part, with: wrong).utf8))
            }
            #expect(error?.reason == reason)
        }
    }

    @Test func `the identity of a row in an outline lacks the path of the service`() throws {
        let row = Self.row("x").replacing("/detail/A/x\"", with: "/base/detail/A/x\",\"indent\":0")
        let level = try LevelReader.read(Array("{\(Self.head),\"rows\":[\(row)]}".utf8)).level
        #expect(level.rows.map(\.id) == ["/detail/A/x"] && level.rows.map(\.path) == [["A", "x"]])
    }

    @Test func `a delta is read whole`() throws {
        let text =
            #"{\#(Self.head),"sections":[{"title":"S","index":null,"start":0,"count":3}],"since":"v1","removed":["x","y"],"#
            + #""inserted":[{"at":0,"row":\#(Self.row("n"))}],"moved":[{"at":2,"key":"m"},{"key":"o","at":1}],"#
            + #""updated":[{"row":\#(Self.row("u")),"at":1}],"next":null,"follow":"/levels/A?since=v2&turn=3"}"#
        let level = Level(
            title: "Root", path: ["A"], version: "v2", count: 3,
            sections: [Level.Section(title: "S", start: 0, count: 3)])
        let delta = LevelDelta(
            removed: ["x", "y"], inserted: [.init(position: 0, value: changed("n"))],
            moved: [.init(position: 2, value: "m"), .init(position: 1, value: "o")],
            updated: [.init(position: 1, value: changed("u"))])
        #expect(
            try LevelReader.read(Array(text.utf8))
                == LevelAnswer(level: level, delta: delta, follow: "/levels/A?since=v2&turn=3"))
    }

    @Test func `a delta of no changes is one, and unknown members are passed over`() throws {
        let delta = try delta(#","since":"v2","moved":[{"at":9007199254740991,"key":"m","why":[{}]}],"more":{"a":[1]}"#)
        #expect(delta?.removed == [])
        #expect(delta?.inserted == [])
        #expect(delta?.moved == [.init(position: 9_007_199_254_740_991, value: "m")])
        #expect(delta?.updated == [])
    }

    @Test func `a level that is answered whole in place of a delta is a level`() throws {
        #expect(try delta(#","since":"v1","rows":[\#(Self.row("n"))]"#) == nil)
    }

    private static let wrongDeltas = [
        ("", "it has neither 'rows' nor 'since' (at byte 83)"),
        (#","since":null"#, "it has 'n' where a text was expected (at byte 91)"),
        (#","since":"v","removed":"x""#, #"it has '"' where a list was expected (at byte 105)"#),
        (#","since":"v","removed":[1]"#, "it has '1' where a text was expected (at byte 106)"),
        (#","since":"v","inserted":[{"at":1}]"#, "it has a change without 'at' or 'row' (at byte 107)"),
        (#","since":"v","updated":[{"row":\#(row("u"))}]"#, "it has a change without 'at' or 'row' (at byte 106)"),
        (#","since":"v","updated":[{"at":1,"row":{}}]"#, "it has a row without 'key' or 'title' (at byte 120)"),
        (#","since":"v","moved":[{"at":1}]"#, "it has a change without 'at' or 'key' (at byte 104)"),
        (
            #","since":"v","moved":[{"at":-1,"key":"m"}]"#,
            "it has '-' where a whole number from 0 was expected (at byte 110)"
        ),
        (
            #","since":"v","moved":[{"at":1.5,"key":"m"}]"#,
            "it has '1' where a whole number from 0 was expected (at byte 110)"
        ),
        (
            #","since":"v","moved":[{"at":9007199254740992,"key":"m"}]"#,
            "it has '9' where a whole number from 0 was expected (at byte 110)"
        ),
    ]

    @Test(arguments: wrongDeltas) func `a wrong delta is told with its place`(_ members: String, _ sentence: String) {
        let error = #expect(throws: JSONError.self) { try delta(members) }
        #expect(error?.description == sentence)
    }

    @Test func `a delta that is cut off anywhere is refused`() throws {
        let whole = #"{\#(Self.head),"since":"v1","removed":["x"],"inserted":[{"at":0,"row":\#(Self.row("n"))}]}"#
        #expect(throws: Never.self) { try LevelReader.read(Array(whole.utf8)) }
        for length in 0..<whole.utf8.count {
            #expect(throws: JSONError.self) { try LevelReader.read(Array(whole.utf8.prefix(length))) }
        }
    }

    private static let answers: [(String, ChangesAnswer)] = [
        (#"{"revision":"k-2","since":"k-2","reset":false,"changes":[],"follow":"/l"}"#, ChangesAnswer(follow: "/l")),
        (#"{"follow":"/l","changes":[],"revision":"k-2"}"#, ChangesAnswer(follow: "/l")),
        (#"{"follow":"/l"}"#, ChangesAnswer(follow: "/l")),
        (
            #"{"revision":"k-4","since":"k-2","reset":false,"changes":["#
                + #"{"revision":"k-3","at":"2026-11-22T15:00:00Z","by":"reload","levels":["/levels/A"],"details":["/detail/A"]},"#
                + #"{"revision":"k-4","at":"2026-11-22T15:00:01Z","by":"edit","levels":["/levels/A","/levels/B"],"details":[]}],"follow":"/l"}"#,
            ChangesAnswer(
                follow: "/l", levels: ["/levels/A", "/levels/A", "/levels/B"], details: ["/detail/A"], count: 2)
        ),
        (
            #"{"revision":"k-3","changes":[{"levels":["/levels/"],"truncated":true},{"truncated":false}],"follow":"/l"}"#,
            ChangesAnswer(follow: "/l", levels: ["/levels/"], isTruncated: true, count: 2)
        ),
    ]

    @Test(arguments: answers) func `an answer about changes is read`(_ body: String, _ answer: ChangesAnswer) throws {
        #expect(try ChangesAnswer.read(Array(body.utf8)) == answer)
    }

    private static let wrongAnswers = [
        ("", "it ends where an object was expected (at byte 0)"),
        ("[]", "it has '[' where an object was expected (at byte 0)"),
        ("{}", "it has no 'follow' (at byte 2)"),
        (#"{"follow":""}"#, "it has no 'follow' (at byte 13)"),
        (#"{"follow":3}"#, "it has '3' where a text was expected (at byte 10)"),
        (#"{"revision":"k","changes":{}}"#, "it has '{' where a list was expected (at byte 26)"),
        (#"{"revision":"k","changes":[1]}"#, "it has '1' where an object was expected (at byte 27)"),
        (#"{"revision":"k","changes":[{"levels":[null]}]}"#, "it has 'n' where a text was expected (at byte 38)"),
        (#"{"revision":"k","changes":[{"truncated":1}]}"#, "it has '1' where a boolean was expected (at byte 40)"),
        (#"{"revision":"k"}}"#, "it has '}' where the end was expected (at byte 16)"),
    ]

    @Test(arguments: wrongAnswers)
    func `a wrong answer about changes is told with its place`(_ body: String, _ sentence: String) {
        let error = #expect(throws: JSONError.self) { try ChangesAnswer.read(Array(body.utf8)) }
        #expect(error?.description == sentence)
    }
}

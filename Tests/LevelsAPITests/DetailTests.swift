import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// `GET /detail/<path>`: the whole answer (manual, Details).
@Suite struct DetailTests {
    @Test("A detail has the item's fields, its position, and its neighbours")
    func example() throws {
        let desk = try Desk(
            #"""
            {"Rows":[{"Title":"Item 4","Text":"t","Children":[{"Title":"Screen G","Rows":["H","I"]},"Screen J"],"Price":5}]}
            """#)
        let answer = desk.get("/detail/Item%204")
        #expect(answer.status == 200)
        #expect(answer.headers == answer.taggedHeaders())
        #expect(
            answer.shape == """
                {"title":"Item 4","href":"/detail/Item%204","level":"/levels/Item%204","version":"V","fieldsVersion":"f","depth":1,"leaf":false,\
                "count":2,"ancestors":[{"title":"Root","href":"/levels/"}],\
                "position":{"index":0,"of":1,"section":0,"first":true,"last":true},"previous":null,"next":null,\
                "firstChild":{"title":"Screen G","href":"/detail/Item%204/Screen%20G"},\
                "lastChild":{"title":"Screen J","href":"/detail/Item%204/Screen%20J"},\
                "fields":{"Title":"Item 4","Text":"t","Price":5}}
                """)
        #expect(
            desk.get("/detail/Item%204/Screen%20G/I").shape == """
                {"title":"I","href":"/detail/Item%204/Screen%20G/I","level":"/levels/Item%204/Screen%20G/I","version":"V","fieldsVersion":"f",\
                "depth":3,"leaf":true,"count":0,"ancestors":[{"title":"Root","href":"/levels/"},\
                {"title":"Item 4","href":"/levels/Item%204"},{"title":"Screen G","href":"/levels/Item%204/Screen%20G"}],\
                "position":{"index":1,"of":2,"section":0,"first":false,"last":true},\
                "previous":{"title":"H","href":"/detail/Item%204/Screen%20G/H"},"next":null,\
                "firstChild":null,"lastChild":null,"fields":{"Title":"I"}}
                """)
    }

    @Test("The root has a detail of its own, with the fields that its dictionary has")
    func root() throws {
        let desk = try Desk(#"{"A":[1],"Title":"t","Rows":["x","a/b"],"SectionTitles":["no"]}"#)
        #expect(
            desk.get("/detail").shape == """
                {"title":"t","href":"/detail/","level":"/levels/","version":"V","fieldsVersion":"f","depth":0,"leaf":false,"count":2,\
                "ancestors":[],"position":{"index":0,"of":1,"section":0,"first":true,"last":true},"previous":null,\
                "next":null,"firstChild":{"title":"x","href":"/detail/x"},"lastChild":{"title":"a/b","href":"/detail/a%2Fb"},\
                "fields":{"A":[1],"Title":"t"}}
                """)
        #expect(
            try Desk("[]").get("/detail/").shape == """
                {"title":"Root","href":"/detail/","level":"/levels/","version":"V","fieldsVersion":"f","depth":0,"leaf":true,"count":0,\
                "ancestors":[],"position":{"index":0,"of":1,"section":0,"first":true,"last":true},"previous":null,\
                "next":null,"firstChild":null,"lastChild":null,"fields":{}}
                """)
    }

    @Test(
        "A position counts the rows of the whole level, and the sections, the empty ones too",
        arguments: [
            ("a", #"{"index":0,"of":4,"section":0,"first":true,"last":false}"#),
            ("b", #"{"index":1,"of":4,"section":0,"first":false,"last":false}"#),
            ("c", #"{"index":2,"of":4,"section":2,"first":false,"last":false}"#),
            ("a~2", #"{"index":3,"of":4,"section":4,"first":false,"last":true}"#),
        ])
    func position(_ key: String, _ position: String) throws {
        let desk = try Desk(#"[["a","b"],[],["c"],[],["a"]]"#)
        #expect(desk.get("/detail/\(key)").text.contains(#""position":\#(position),"#))
    }

    @Test("Neighbours go across sections, under their keys and titles")
    func neighbours() throws {
        let desk = try Desk(#"{"Sections":{"B":["x",{"Key":"k","Title":"t"}],"A":["x"]},"SectionKeys":["A","B"]}"#)
        #expect(
            desk.get("/detail/x~2").text.contains(
                #""previous":{"title":"x","href":"/detail/x"},"next":{"title":"t","href":"/detail/k"},"#))
        #expect(desk.get("/detail/k").text.contains(#""previous":{"title":"x","href":"/detail/x~2"},"next":null,"#))
    }

    @Test("Every type of a property list has its form in JSON")
    func types() throws {
        let fields: [(String, Value)] = [
            ("Text", .string("a\"\\/\u{8}\u{1F}\u{7F}\u{2028}\u{E9}\u{1F468}\n\r\t\u{FEFF}")),
            ("Max", .integer(PropertyListInteger(UInt64.max))),
            ("Min", .integer(PropertyListInteger(Int64.min))), ("Zero", .integer(PropertyListInteger(Int64(0)))),
            ("Real", .real(0.1)),
            ("Whole", .real(5)), ("Large", .real(1e300)), ("Small", .real(-5e-7)), ("NaN", .real(.nan)),
            ("Up", .real(.infinity)),
            ("Down", .real(-.infinity)), ("Yes", .boolean(true)), ("No", .boolean(false)), ("Date", .date(37_065_600)),
            ("Then", .date(-0.5)), ("Data", .data([0, 1, 2, 253])), ("None", .data([])), ("UID", .uid(7)),
            ("List", .array([.array([]), .dictionary([])])),
            ("\u{E9}\"", .dictionary([Value.Entry("", .integer(PropertyListInteger(Int64(-1))))])),
        ]
        let item = Value.dictionary([Value.Entry("Title", .string("a"))] + fields.map { Value.Entry($0.0, $0.1) })
        let desk = Desk(Desk.snapshot(try Value.array([item]).tree()))
        let expected = #"""
            "fields":{"Title":"a","Text":"a\"\\/\b\u001f\#u{7F}\#u{2028}\#u{E9}\#u{1F468}\n\r\t\#u{FEFF}","Max":18446744073709551615,\#
            "Min":-9223372036854775808,"Zero":0,"Real":0.1,"Whole":5.0,"Large":1e+300,"Small":-5e-07,"NaN":"nan",\#
            "Up":"+infinity","Down":"-infinity","Yes":true,"No":false,"Date":"2002-03-06T00:00:00Z",\#
            "Then":"2000-12-31T23:59:59.5Z","Data":"AAEC/Q==","None":"","UID":{"CF$UID":7},"List":[[],{}],\#
            "\#u{E9}\"":{"":-1}}}
            """#
        let text = desk.get("/detail/a").line
        #expect(text.hasSuffix(expected), "\(text)")
    }

    @Test("Every number is written so that the very same number is read")
    func exactNumbers() throws {
        var generator = SeededGenerator(seed: 7)
        var entries = [Value.Entry("Title", .string("a"))]
        for index in 0..<2_000 {
            let bits = generator.next()
            switch index % 3 {
            case 0:
                entries.append(
                    Value.Entry("r\(index)", .real(Double(bitPattern: bits).isFinite ? Double(bitPattern: bits) : -0.0))
                )
            case 1: entries.append(Value.Entry("u\(index)", .integer(PropertyListInteger(bits >> UInt64(index % 64)))))
            default:
                entries.append(
                    Value.Entry("i\(index)", .integer(PropertyListInteger(Int64(bitPattern: bits) >> (index % 64)))))
            }
        }
        let text = Desk(Desk.snapshot(try Value.array([.dictionary(entries)]).tree())).get("/detail/a").text
        let numbers = Dictionary(
            uniqueKeysWithValues: text.matches(of: /"([rui][0-9]+)":([^,}]+)/).map { ($0.output.1, $0.output.2) })
        let wrong = entries.dropFirst().filter { entry in
            guard let number = numbers[Substring(entry.key)] else { return true }
            return switch entry.value {
            case .real(let value): Double(number)?.bitPattern != value.bitPattern
            case .integer(let value): value.description != number
            default: true
            }
        }
        #expect(wrong == [])
    }

    @Test("Structure of the item is no field, and structure within a field is")
    func structure() throws {
        let desk = try Desk(
            #"""
            [{"SectionKeys":["S"],"X":{"Title":"no","Children":["y"],"SectionKeys":[]},"Sections":{"S":["z"]},"Key":"k","Title":"a"}]
            """#)
        #expect(
            desk.get("/detail/k").line.hasSuffix(
                #""fields":{"X":{"Title":"no","Children":["y"],"SectionKeys":[]},"Key":"k","Title":"a"}}"#))
    }
}

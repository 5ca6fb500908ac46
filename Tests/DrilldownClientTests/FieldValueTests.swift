import DrilldownClient
import Foundation
import Testing

@Suite struct FieldValueTests {
    @Test func `literals and typed access agree`() {
        let fields: Fields = [
            "Text": "a", "Whole": 5, "Real": 1.5, "Flag": true, "List": [1, "b"], "Inner": ["z": 1, "a": 2], "No": nil,
        ]
        #expect(fields["Text"]?.text == "a")
        #expect(fields["Whole"]?.int == 5)
        #expect(fields["Whole"]?.double == 5)
        #expect(fields["Real"]?.double == 1.5)
        #expect(fields["Real"]?.int == nil)
        #expect(fields["Flag"]?.bool == true)
        #expect(fields["List"]?.list == [.integer(1), .text("b")])
        #expect(fields["Inner"]?.dictionary?.names == ["z", "a"])
        #expect(fields["No"] == .null)
        #expect(fields["Other"] == nil)
        #expect(FieldValue(UInt64.max) == .unsigned(.max))
        #expect(FieldValue(UInt64(5)) == .integer(5))
        #expect(FieldValue.unsigned(.max).int == nil)
        #expect(FieldValue.real(5).int == 5 && FieldValue.unsigned(9).int == 9 && FieldValue.unsigned(9).double == 9)
        #expect(
            ["-infinity", "+infinity", "infinity"].map { FieldValue.text($0).double } == [-.infinity, .infinity, nil])
        #expect(FieldValue.text("nan").double?.isNaN == true && FieldValue.text("-").data == nil)
        #expect(FieldValue(Int128(UInt64.max) + 1) == nil)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2001-03-12T00:00:00Z", 984_355_200), ("2000-02-29T23:59:59Z", 951_868_799),
        ("1969-12-31T23:59:59.5Z", -0.5), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("2026-11-22T15:46:58.415937Z", 1_795_362_418.415937),
    ])
    func `a date is written and read`(_ text: String, _ seconds: Double) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(FieldValue.date(date) == .text(text))
        #expect(abs((FieldValue.text(text).date ?? .distantFuture).timeIntervalSince(date)) < 0.000001)
    }

    @Test(arguments: [
        "", "2001-02-29T00:00:00Z", "2001-03-12", "2001-03-12T24:00:00Z", "2001-03-12T00:00:00", "tomorrow",
    ])
    func `what is no date is read as none`(_ text: String) { #expect(FieldValue.text(text).date == nil) }

    @Test func `a date with an offset is read`() {
        #expect(FieldValue.text("2001-03-12T02:30:00+02:30").date == Date(timeIntervalSince1970: 984_355_200))
    }

    @Test func `JSON keeps the order of its members, and real numbers`() throws {
        let value = try FieldValue(json: Data(#"{"z":{"y":1,"b":2.0},"a":[true,null,1e2]}"#.utf8))
        #expect(value == ["z": ["y": 1, "b": .real(2)], "a": [true, nil, .real(100)]])
        for text in ["", "{", "1 2"] { #expect(throws: (any Error).self) { try FieldValue(json: Data(text.utf8)) } }
    }

    @Test func `data is base64 text`() {
        #expect(FieldValue.data(Data([1, 2, 255])) == .text("AQL/"))
        #expect(FieldValue.text("AQL/").data == Data([1, 2, 255]))
    }

    @Test func `fields keep their order when they change`() {
        var fields = Fields((0..<40).map { ("F\($0)", FieldValue.integer(Int64($0))) })
        fields["F3"] = nil
        fields["F2"] = "two"
        fields["New"] = 1
        #expect(fields.names == ["F0", "F1", "F2"] + (4..<40).map { "F\($0)" } + ["New"])
        #expect(fields["F2"] == "two")
        #expect(fields["F3"] == nil)
        #expect(fields["F39"] == 39)
        #expect(fields.map(\.name) == fields.names)
    }

    @Test func `a value is the same after it was encoded and decoded`() throws {
        let value: FieldValue = [
            "text": "a", "whole": 5, "negative": -9_223_372_036_854_775_808, "real": 1.5, "flag": false, "none": nil,
            "large": .unsigned(.max), "list": [1, [], ["b": [:]]],
        ]
        let decoded = try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(value))
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(["numbers": [.real(.nan)]] as FieldValue) }
        // Decoders do not expose the order of members.
        #expect(decoded.sorted == value.sorted)
    }

    @Test func `a property list is decoded, with its dates and data as texts`() throws {
        let date = Date(timeIntervalSince1970: 984_355_200)
        let members: [String: Any] = [
            "date": date, "data": Data([1, 2, 255]), "list": [1, "b", true, [:] as [String: Any]], "real": 1.5,
        ]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let file = try PropertyListSerialization.data(fromPropertyList: members, format: format, options: 0)
            let value = try PropertyListDecoder().decode(FieldValue.self, from: file)
            #expect(
                value.sorted == [
                    "data": "AQL/", "date": "2001-03-12T00:00:00Z", "list": [1, "b", true, [:]], "real": 1.5,
                ])
            #expect(value.dictionary?["date"]?.date == date)
        }
    }

    @Test(arguments: ["[1,{\"b\":1e999}]", "{\"a\":[nul]}"])
    func `what is not a value cannot be decoded`(_ text: String) {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "The given data was not valid JSON.")
    }
}

extension FieldValue {
    fileprivate var sorted: FieldValue {
        switch self {
        case .list(let elements): .list(elements.map(\.sorted))
        case .dictionary(let fields):
            .dictionary(Fields(fields.sorted { $0.name < $1.name }.map { ($0.name, $0.value.sorted) }))
        default: self
        }
    }
}

import Foundation
import Testing

@testable import DrilldownClient

/// Rows and details that are read as values of an app's own types.
@Suite struct FieldDecoderTests {
    private struct Product: Decodable, Equatable {
        enum Color: String, Decodable { case red, blue }

        struct Size: Decodable, Equatable {
            var width: Int
            var height: UInt8?
        }

        var title: String
        var key: String
        var price: Double
        var amount: Decimal
        var count: Int
        var since: Date?
        var image: Data
        var page: URL
        var isNew: Bool
        var tags: [String]
        var color: Color
        var size: Size
        var dates: [Date?]
        var numbers: [String: Int]
        var rest: FieldValue
        var name: String
        var missing: String?

        enum CodingKeys: String, CodingKey {
            case title, key, price, amount, count, since, image, page, tags, color, size, dates, numbers, rest, missing
            case isNew = "new"
            case name = "properties.name"
        }
    }

    private static let fields: Fields = [
        "price": 4.5, "Amount": 0.1, "Count": .real(3), "Since": "2001-03-12T00:00:00Z", "Image": "AQL/",
        "Page": "https://a.example/?b=c", "New": true, "Tags": ["a", "b"], "Color": "blue",
        "Size": ["Width": 2, "Height": nil], "Dates": ["2001-03-12T00:00:00Z", nil], "Numbers": ["a": 1, "b": 2],
        "Rest": ["z": [1, "x"], "a": nil], "Properties": ["Name": "Nested"], "Other": 1,
    ]
    private let row = Row(key: "Soup", below: ["Lunch"], title: "The soup", fields: Self.fields)

    @Test func `a row and a detail are read as an own type`() throws {
        let date = Date(timeIntervalSince1970: 984_355_200)
        var product = Product(
            title: "The soup", key: "Soup", price: 4.5, amount: try #require(Decimal(string: "0.1")), count: 3,
            since: date, image: Data([1, 2, 255]), page: try #require(URL(string: "https://a.example/?b=c")),
            isNew: true, tags: ["a", "b"], color: .blue, size: .init(width: 2, height: nil), dates: [date, nil],
            numbers: ["a": 1, "b": 2], rest: ["z": [1, "x"], "a": nil], name: "Nested", missing: nil)
        #expect(try row.decode(Product.self) == product)
        var fields = Self.fields
        (fields["Title"], fields["properties.name"], fields["Properties"]) = ("Own title", "Flat", nil)
        (product.title, product.name) = ("Own title", "Flat")
        let detail = Detail(title: "The soup", path: ["Lunch", "Soup"], fields: fields)
        #expect(try detail.decode() == product)
        #expect(try row.decode(Fields.self) == row.fields)
        #expect(try row.decode([String: FieldValue].self)["Count"] == .real(3))
    }

    @Test(
        arguments: [
            ("price", "a lot", "holds \"a lot\", but a value of the type Double was expected."),
            ("Count", 1.5, "holds 1.5, but a value of the type Int was expected."),
            ("Count", .unsigned(.max), "holds 18446744073709551615, but a value of the type Int was expected."),
            ("Amount", "nan", "holds \"nan\", but a value of the type Decimal was expected."),
            ("Since", "2001-03-12", "holds \"2001-03-12\", but a value of the type Date was expected."),
            ("Tags", "a", "holds \"a\", but a value of the type Array<FieldValue> was expected."),
            ("Size", [1], "holds [1], but a value of the type Dictionary<String, FieldValue> was expected."),
            ("New", nil, "holds null, but a value of the type Bool was expected."),
            (
                "Color", "green",
                "holds \"green\", but it is not valid: Cannot initialize Color from invalid String value green."
            ),
        ] as [(String, FieldValue, String)])
    func `a field that does not fit is named, with its row and its value`(
        _ name: String, _ value: FieldValue, _ text: String
    ) throws {
        var row = row
        row.fields[name] = value
        let error = try #require(throws: FieldError.self) { try row.decode(Product.self) }
        #expect("\(error)" == "The field '\(name == "price" ? name : name.lowercased())' of /Lunch/Soup \(text)")
        #expect(error.path == ["Lunch", "Soup"] && error.value == value && error.localizedDescription == "\(error)")
    }

    @Test func `a value within a field is named by its path, and a missing one as missing`() throws {
        func message(_ change: (inout Fields) -> Void) throws -> String {
            var row = row
            change(&row.fields)
            return try #require(throws: FieldError.self) { try row.decode(Product.self) }.description
        }
        let wrong = "but a value of the type"
        #expect(try message { $0["price"] = nil } == "/Lunch/Soup has no field 'price'.")
        #expect(try message { $0["Size"] = [:] } == "/Lunch/Soup has no field 'size.width'.")
        #expect(
            try message { $0["Tags"] = ["a", 5] }
                == "The field 'tags[1]' of /Lunch/Soup holds 5, \(wrong) String was expected.")
        #expect(
            try message { $0["Size"] = ["Width": 1, "Height": 256] }
                == "The field 'size.height' of /Lunch/Soup holds 256, \(wrong) UInt8 was expected.")
        let long = String(repeating: "x", count: 100)
        #expect(
            try message { $0["price"] = .text(long) }
                == "The field 'price' of /Lunch/Soup holds \"\(long.prefix(79))…, \(wrong) Double was expected.")
        #expect(
            try #require(throws: FieldError.self) { try row.decode([Int].self) }.description.hasPrefix(
                "/Lunch/Soup holds {\"price\":4.5,"))
    }

    @Test func `numbers are read exactly, and real numbers that JSON cannot carry from their texts`() throws {
        func decode<Value: Decodable>(_ value: FieldValue, as type: Value.Type) throws -> Value? {
            try Row(key: "x", fields: ["a": value]).decode([String: Value].self)["a"]
        }
        #expect(try decode(-128, as: Int8.self) == -128)
        #expect(try decode(.unsigned(.max), as: UInt64.self) == .max)
        #expect(try decode(.unsigned(.max), as: Decimal.self) == Decimal(UInt64.max))
        #expect(try decode(1, as: Float.self) == 1)
        #expect(try decode("-infinity", as: Double.self) == -.infinity)
        #expect(try decode(.real(.greatestFiniteMagnitude), as: Float.self) == .infinity)
        #expect(throws: FieldError.self) { try decode(128, as: Int8.self) }
        #expect(throws: FieldError.self) { try decode(-1, as: UInt.self) }
        #expect(throws: FieldError.self) { try decode("1", as: Int.self) }
        #expect(throws: FieldError.self) { try decode(1, as: Bool.self) }
    }

    /// A type that reads in its own order, through every kind of container.
    private struct Own: Decodable {
        enum Key: String, CodingKey { case list, inner, none }
        struct Empty: Error {}

        var text = ""

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Key.self)
            guard fields.allKeys == [.list] || fields.contains(.inner) else { throw Empty() }
            var list = try fields.nestedUnkeyedContainer(forKey: .list)
            var inner = try list.nestedUnkeyedContainer()
            text += "\(try inner.decode(Int.self)) \(inner.isAtEnd) \(list.count ?? 0) \(list.currentIndex) "
            text += try list.nestedContainer(keyedBy: Key.self).decode(String.self, forKey: .inner)
            text += try list.decodeNil() ? " null" : " value"
            text += try list.decodeNil() ? " null " : " value "
            text += try list.superDecoder().singleValueContainer().decode(String.self)
            text += try fields.nestedContainer(keyedBy: Key.self, forKey: .inner).decodeNil(forKey: .none) ? " nil" : ""
            _ = try list.decode(Int.self)
        }
    }

    @Test func `a type reads through every kind of container`() throws {
        let fields: Fields = ["list": [[1], ["inner": "a"], nil, "b"], "inner": ["none": nil]]
        let row = Row(key: "x", fields: fields)
        let error = try #require(throws: FieldError.self) { try row.decode(Own.self) }
        #expect(error.description == "/x has no field 'list[4]'.")
        var longer = row
        longer.fields["list"] = .list((fields["list"]?.list ?? []) + [7])
        #expect(try longer.decode(Own.self).text == "1 true 5 1 a null value b nil")
        #expect(throws: Own.Empty.self) { try Row(key: "x").decode(Own.self) }
    }

    private indirect enum Nested: Decodable {
        case level(Nested)
        case end

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            self = list.isAtEnd ? .end : .level(try list.decode(Nested.self))
        }
    }

    @Test func `values that are nested too deeply for a type that contains itself are refused`() throws {
        func row(depth: Int) -> Row {
            Row(key: "x", fields: ["a": (1..<depth).reduce([]) { value, _ in [value] }])
        }
        _ = try row(depth: 126).decode([String: Nested].self)
        let error = try #require(throws: FieldError.self) { try row(depth: 510).decode([String: Nested].self) }
        #expect(error.description.hasSuffix("but it is not valid: it is nested deeper than 128 values."))
    }
}

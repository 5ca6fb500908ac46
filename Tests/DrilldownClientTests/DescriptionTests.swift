import Testing

@testable import DrilldownClient

/// What `print` shows of the values.
@Suite struct DescriptionTests {
    @Test(
        arguments: [
            ("Satie", "Satie"), (12, "12"), (1.5, "1.5"), (true, "true"), (nil, "null"), (["a", 1], #"["a",1]"#),
            (["Title": "A", "Tags": []], #"{"Title":"A","Tags":[]}"#), (.unsigned(.max), "18446744073709551615"),
        ] as [(FieldValue, String)])
    func `a text is itself, any other value is JSON`(_ value: FieldValue, _ text: String) {
        #expect("\(value)" == text)
    }

    @Test func `fields are JSON in their order`() {
        #expect("\(["Price": 12, "Artist": "Satie"] as Fields)" == #"{"Price":12,"Artist":"Satie"}"#)
        #expect("\(Fields())" == "{}")
    }

    @Test func `a row is its title, the rows below it and its fields`() {
        #expect("\(Row(key: "A"))" == "A")
        #expect("\(Row(key: "A", title: "Ann", count: 1))" == "Ann (1 row)")
        #expect("\(Row(key: "A", title: "", count: 2, fields: ["Value": 3]))" == #"A (2 rows) {"Value":3}"#)
        #expect("\(Detail(title: "Ann", path: ["A"], fields: ["Title": "Ann"]))" == #"Ann {"Title":"Ann"}"#)
        #expect("\(Detail(title: "Ann", path: ["A"], count: 2))" == "Ann (2 rows)")
        #expect("\(ItemLink(title: "Ann", path: ["A b"]))" == "Ann (/A%20b)")
    }

    @Test func `a level is its rows, one on a line`() {
        let rows = ["A", "B", "C"].map { Row(key: $0) }
        #expect("\(Level(title: "Root", path: .root, rows: rows))" == "Root: 3 rows\n  A\n  B\n  C")
        let sections = [Level.Section(title: "One", start: 0, count: 2), .init(title: "Two", start: 2, count: 3)]
        #expect(
            "\(Level(title: "Root", path: .root, count: 5, start: 1, sections: sections, rows: rows))"
                == "Root: rows 1 to 3 of 5\n  One\n    A\n  Two\n    B\n    C")
        #expect("\(Level(title: "Leaf", path: ["x"]))" == "Leaf: 0 rows")
        #expect("\(Level(title: "Root", path: .root, rows: [Row(key: "A")]))" == "Root: 1 row\n  A")
    }
}

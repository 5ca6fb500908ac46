import DatabaseTrees
import PropertyLists
import Testing

@testable import DatabaseTables

/// Values of PostgreSQL's types by their texts.
@Suite("A value of PostgreSQL") struct PostgresTypeTests {
    // Computed: the leak sanitizer does not find the boxes of values in a stored array.
    private static var cases: [(number: Int, category: String, text: String, value: PropertyListValue)] {
        [
            (16, "B", "t", .boolean(true)), (16, "B", "f", .boolean(false)),
            (20, "N", "-9223372036854775808", .integer(PropertyListInteger(Int64.min))),
            (21, "N", "7", .integer(PropertyListInteger(7 as Int64))),
            (23, "N", "-7", .integer(PropertyListInteger(-7 as Int64))),
            (26, "N", "26", .integer(PropertyListInteger(26 as Int64))),
            (700, "N", "0.1", .real(0.1)), (701, "N", "-Infinity", .real(-.infinity)), (700, "N", "7", .real(7)),
            (701, "N", "7", .real(7)), (114, "U", "7", .integer(PropertyListInteger(7 as Int64))),
            (3802, "U", "{", .string("{")),
            (1700, "N", "2.50", .real(2.5)), (1700, "N", "7.000", .integer(PropertyListInteger(7 as Int64))),
            (1700, "N", "0.00", .integer(PropertyListInteger(0 as Int64))),
            (1700, "N", "100000000000000000000", .real(1e20)),
            (1700, "N", "18446744073709551615", .integer(PropertyListInteger(UInt64.max))),
            (1700, "N", "0.1234567890123456789", .string("0.1234567890123456789")),
            (1700, "N", "0.00000001", .real(1e-8)),
            (17, "U", #"\x00ff"#, .data([0, 255])), (17, "U", #"\x"#, .data([])),
            (1082, "D", "2001-01-02", .date(86_400)), (1082, "D", "infinity", .string("infinity")),
            (1082, "D", "0044-03-15 BC", .string("0044-03-15 BC")),
            (1114, "D", "2001-01-01 00:00:01.5", .date(1.5)), (1184, "D", "2001-01-01 10:00:00+00", .date(36_000)),
            (1184, "D", "12345-01-01 00:00:00+00", .string("12345-01-01 00:00:00+00")),
            (
                3802, "U", #"{"a": null, "b": [1, null]}"#,
                .dictionary(
                    PropertyListDictionary([.init(key: "b", value: .array([.integer(PropertyListInteger(1 as Int64))]))]
                    ))
            ),
            (1009, "A", #"["x","y"]"#, .array([.string("x"), .string("y")])), (25, "S", "x", .string("x")),
            (2950, "U", "00000000-0000-0000-0000-00000000000a", .string("00000000-0000-0000-0000-00000000000a")),
        ]
    }

    @Test("has the nearest type of a document", arguments: cases.indices)
    func values(number: Int) {
        let (oid, category, text, value) = Self.cases[number]
        #expect(PostgresType(number: oid, category: category, length: -1).value(Array(text.utf8)) == value)
    }

    @Test("is selected with its size if it can be long, and only the beginning of a long text")
    func shown() {
        func shown(_ number: Int, _ category: String, _ length: Int) -> [String] {
            PostgresType(number: number, category: category, length: length).shown("c.x", limit: 9, beginning: 4_096)
                .map(\.text)
        }
        #expect(shown(23, "N", 4) == ["c.x"])
        #expect(
            shown(25, "S", -1) == [
                "CASE WHEN octet_length(c.x) <= 9 THEN c.x ELSE left(c.x, 4096) END", "octet_length(c.x)",
            ])
        #expect(
            shown(1007, "A", -1) == [
                "CASE WHEN octet_length(c.x::text) <= 9 THEN to_json(c.x) END", "octet_length(c.x::text)",
            ])
    }
}

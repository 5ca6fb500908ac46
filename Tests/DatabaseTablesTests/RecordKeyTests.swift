import DatabaseTrees
import Testing

@testable import DatabaseTables

@Suite("The key of a record") struct RecordKeyTests {
    /// Values of a column without a type, with their text.
    private static let untyped: [(value: DatabaseValue, text: String)] = [
        (.null, "~3"), (.integer(0), "0"), (.integer(-1), "-1"), (.integer(.max), "9223372036854775807"),
        (.integer(.min), "-9223372036854775808"), (.real(5), "5.0"), (.real(-0.0), "-0.0"), (.real(1e300), "1e+300"),
        (.real(0.1), "0.1"), (.real(.infinity), "Inf"), (.real(-.infinity), "-Inf"), (.text("Inf"), "~5Inf"),
        (.text("5"), "~55"), (.text("5.0"), "~55.0"), (.text("1e5"), "~51e5"), (.text("007"), "007"),
        (.text("+5"), "+5"), (.text(""), "~2"), (.text("~"), "~0"), (.text("~2"), "~02"), (.text(","), "~1"),
        (.text("a,b~c"), "a~1b~0c"), (.text("."), ".~6"), (.text(".."), "..~6"),
        (.text("Zu\u{308}rich"), "Zu\u{308}rich"),
        (.text([0xFF]), "~7ff"), (.data([]), "~4"), (.data([0, 0xAB]), "~400ab"),
    ]

    @Test("is a text from which its values are read", arguments: untyped.indices)
    func roundTrip(number: Int) {
        let (value, text) = Self.untyped[number]
        #expect(String(decoding: RecordKey.text([value], affinities: [.none]), as: UTF8.self) == text)
        #expect(RecordKey.values(Array(text.utf8), affinities: [.none]) == [value])
    }

    @Test("of text columns never reads as a number")
    func textColumns() {
        #expect(RecordKey.text([.text("5")], affinities: [.text]) == Array("5".utf8))
        #expect(RecordKey.values(Array("5".utf8), affinities: [.text]) == [.text("5")])
    }

    @Test("joins several columns with commas; the rowid may follow")
    func severalColumns() {
        let values: [DatabaseValue] = [.text("a,b"), .integer(2)]
        #expect(RecordKey.text(values, affinities: [.text, .integer]) == Array("a~1b,2".utf8))
        #expect(RecordKey.values(Array("a~1b,2".utf8), affinities: [.text, .integer]) == values)
        #expect(
            RecordKey.values(Array("~3,2,7".utf8), affinities: [.text, .integer]) == [.null, .integer(2), .integer(7)])
    }

    @Test("is no other text", arguments: ["~", "~9", "~4zz", "~40", "~7f", "~8", "a~b", "a~", "1,2", "~33"])
    func refused(text: String) {
        #expect(RecordKey.values(Array(text.utf8), affinities: [.none])?.count != 1)
    }

    @Test("is in a cursor unless it has more than 2,048 bytes")
    func cursors() {
        for bytes in [[UInt8](repeating: 65, count: 1_024), [UInt8](repeating: 65, count: 1_025)] {
            for value in [DatabaseValue.text(bytes), .data(bytes)] {
                #expect(PageCursor.holds([value, .integer(1), value]) == (bytes.count == 1_024))
            }
        }
    }
}

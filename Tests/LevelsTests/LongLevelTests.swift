import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Levels of more than a megabyte: the memory of their rows is freed while they are packed.
@Suite struct LongLevelTests {
    private static let count = 12_000
    private static let text = String(repeating: "x", count: 100)

    private static func lines(_ line: (Int) -> String) -> String {
        (["Root {}"] + (0..<count).map(line)).joined(separator: "\n")
    }

    @Test("A list has titles and keys from texts and from numbers, and elements that are no dictionaries")
    func list() throws {
        let rows = (0..<Self.count).map { row in
            switch row % 4 {
            case 0: #"{"id":\#(row),"title":"t\#(row)","v":"\#(Self.text)"}"#
            case 1: #"{"id":\#(row),"title":\#(row),"v":"\#(Self.text)"}"#
            case 2: #"{"id":"k\#(row)","title":"t\#(row)","v":"\#(Self.text)"}"#
            default: #""s\#(row)\#(Self.text)""#
            }
        }
        let tree = try Document.naturalTree("[\(rows.joined(separator: ","))]")
        let expected = Self.lines { row in
            switch row % 4 {
            case 0: #"  \#(row) (t\#(row)) \#(rows[row])"#
            case 1: #"  \#(row) \#(rows[row])"#
            case 2: #"  k\#(row) (t\#(row)) \#(rows[row])"#
            default: "  s\(row)\(Self.text)"
            }
        }
        #expect(try Outline.of(tree) == expected)
    }

    @Test("The keys of a list are not taken from a field of which two values are equal")
    func equalValues() throws {
        let rows = (0..<Self.count).map { #"{"id":\#($0 / 2),"title":"t\#($0)","v":"\#(Self.text)"}"# }
        let tree = try Document.naturalTree("[\(rows.joined(separator: ","))]")
        #expect(try Outline.of(tree) == Self.lines { "  t\($0) \(rows[$0])" })
    }

    @Test("Items have levels below some of them")
    func items() throws {
        let items = (0..<Self.count).map { row in
            let below = row % 1_000 == 999 ? #","Children":["c\#(row)"]"# : ""
            return #"{"Title":"t\#(row)","v":"\#(Self.text)"\#(below)}"#
        }
        let expected = Self.lines { row in
            #"  t\#(row) {"Title":"t\#(row)","v":"\#(Self.text)"}"# + (row % 1_000 == 999 ? "\n    c\(row)" : "")
        }
        #expect(try Outline.of(Document.tree("[\(items.joined(separator: ","))]")) == expected)
    }

    @Test("The last of the entries with one key stands in the place of the first")
    func repeatedEntry() throws {
        let entries = (0..<Self.count).map { #""k\#($0)":"\#($0)\#(Self.text)""# } + [#""k3":[1]"#, #""k5":"last""#]
        let expected = Self.lines { row in
            switch row {
            case 3: "  k3 {}\n    0 {\"Value\":1}"
            case 5: "  k5 {\"Value\":\"last\"}"
            default: "  k\(row) {\"Value\":\"\(row)\(Self.text)\"}"
            }
        }
        #expect(try Outline.of(Document.anyTree("{\(entries.joined(separator: ","))}")) == expected)
    }
}

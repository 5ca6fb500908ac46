import Levels
import PropertyLists
import Testing

@testable import TestDocuments

/// Paths through items whose titles come behind their children, as in files with sorted keys.
@Suite struct UntitledItemTests {
    private static func item(_ entries: Value.Entry...) -> Value { .dictionary(entries) }

    private static func rows(_ rows: Value...) -> Value.Entry { Value.Entry("Children", .array(rows)) }

    private static func text(_ name: String, _ text: String) -> Value.Entry { Value.Entry(name, .string(text)) }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let document: Value
        let path: String
        let reason: String
        var testDescription: String { name }
    }

    private static let untitled = "an item has no 'Title'; give it one, or a 'Key'"

    @Test(
        "An item without a title yet is named by its number and the first that is known of it",
        arguments: [
            Case(
                name: "nothing is known",
                document: .array([item(rows(.string("a"))), item(rows(.string("b"), item()), text("Title", "A"))]),
                path: "/(item 1)", reason: untitled),
            Case(
                name: "a field is known",
                document: .array([
                    .string("a"),
                    item(
                        Value.Entry("Tags", .array([.string("x")])),
                        Value.Entry("Price", .integer(PropertyListInteger(Int64(5)))),
                        rows(.string("b"), item(text("Image", ""), text("Name", "n\u{1B}"))), text("Title", "A")),
                ]),
                path: #"/(item 2, Price '5')/(item 2, Name 'n\u{1B}')"#, reason: untitled),
            Case(
                name: "a Key is known",
                document: .array([
                    item(text("Key", "k"), rows(item(rows(.integer(PropertyListInteger(Int64(5))))), .string("b")))
                ]),
                path: "/k/(item 1)",
                reason: "element 1 of the array is a number, but an item must be a string or a dictionary"
            ),
            Case(
                name: "its level is refused as a whole",
                document: .array([
                    .string("a"), .string("b"),
                    item(rows(item(text("Key", "k")), item(text("Key", "k"))), text("Title", "A")),
                ]),
                path: "/(item 3)",
                reason:
                    "two rows have the Key 'k', row 1 PLACE and row 2 PLACE; a Key must be unique among siblings"),
            Case(
                name: "in a section",
                document: item(
                    Value.Entry(
                        "Sections",
                        .array([
                            item(text("Title", "S"), Value.Entry("Rows", .array([.string("a"), .string("b")]))),
                            item(Value.Entry("Rows", .array([.string("c"), item(rows(.string("d"), item()))]))),
                        ]))),
                path: "/(item 2)/(item 2)", reason: untitled),
        ])
    func path(_ example: Case) throws {
        for format in Value.Format.allCases where format != .xml || example.name != "a field is known" {
            var builder = TreeBuilder(isXML: format == .xml)
            var refusal: PropertyListError?
            do throws(PropertyListError) {
                try format.read(example.document.bytes(as: format), into: &builder)
            } catch {
                refusal = error
            }
            let reason = refusal?.reason.replacing(/(on line \d+(, column \d+)?|at byte \d+)/, with: "PLACE")
            #expect(refusal?.path == example.path, "\(format)")
            #expect(reason == example.reason, "\(format)")
        }
    }
}

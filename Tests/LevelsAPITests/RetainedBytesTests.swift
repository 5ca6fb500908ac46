import Levels
import Testing

@testable import TestDocuments
@testable import TreeStore

@Suite("The cost of an earlier tree") struct RetainedBytesTests {
    private static let long = String(repeating: "x", count: 1 << 16)

    @Test(
        "counts all that the next one does not share with it",
        arguments: [
            #"["a\#(long)"]"#, #"[{"Title": "a", "Text": "\#(long)"}]"#,
            #"{"Sections": [{"Title": "\#(long)", "Rows": ["a"]}]}"#,
            #"{"Sections": [{"Footer": "\#(long)", "Rows": ["a"]}]}"#,
            #"{"Sections": [{"Title": "A", "Note": "\#(long)", "Rows": ["a"]}]}"#,
        ])
    func own(_ document: String) throws {
        let old = try Document.tree(document).document
        let new = try Document.tree(#"["b"]"#).document
        #expect(RetainedBytes.of(old, beside: new, atMost: .max) > 1 << 16)
    }

    @Test("counts the levels that differ, each once, and not those that are equal")
    func shared() throws {
        let old = try Document.tree(
            #"[{"Title": "A", "Rows": [{"Title": "a", "Rows": ["1"]}]}, {"Title": "B", "Rows": ["b"]}]"#
        ).document
        let new = try Document.tree(
            #"[{"Title": "A", "Rows": [{"Title": "a", "Rows": ["2"]}]}, {"Title": "B", "Rows": ["b"]}]"#
        ).document
        var differing: [Level?] = [old]
        for _ in 0..<4 { differing.append(differing.last??.child(0)) }
        #expect(
            RetainedBytes.of(old, beside: new, atMost: .max)
                == differing.compactMap(\.self).map(\.residentBytes).reduce(0, +))
    }

    @Test("is at most the bound and the level that exceeds it")
    func bound() throws {
        let old = try Document.tree(#"[{"Title": "a", "Children": ["b"]}]"#).document
        let new = try Document.tree(#"["b"]"#).document
        #expect(RetainedBytes.of(old, beside: new, atMost: 0) < RetainedBytes.of(old, beside: new, atMost: .max))
    }
}

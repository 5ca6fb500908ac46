import Levels
import PropertyLists
import Testing

@testable import TestDocuments

@Suite("JSON's null in a document")
struct NullTests {
    private func read(_ text: String, any: Bool = false) throws(PropertyListError) -> Tree {
        let input = DocumentInput.memory(Array(text.utf8))
        if any {
            var builder = AnyTreeBuilder()
            try JSONPropertyListReader.read(input, limits: .init(), into: &builder)
            return try builder.finish()
        }
        var builder = TreeBuilder()
        try JSONPropertyListReader.read(input, limits: .init(), into: &builder)
        return try builder.finish()
    }

    @Test(
        "is an absent entry",
        arguments: [
            (#"[{"Title":"a","x":null,"y":1}]"#, #"[{"Title":"a","y":1}]"#),
            ("[{\"Title\":\"a\",\"x\"\n :\n  null\n}]", #"[{"Title":"a"}]"#),
            (#"[{"Children":null,"Title":"a","Key":null}]"#, #"[{"Title":"a"}]"#),
            (#"[{"Title":"a","d":{"e":null,"f":[{"g":null}]}}]"#, #"[{"Title":"a","d":{"f":[{}]}}]"#),
            (#"{"Rows":["a"],"Title":null}"#, #"{"Rows":["a"]}"#),
            (#"[{"Title":"a","x\u0041":null}]"#, #"[{"Title":"a"}]"#),
        ])
    func entries(text: String, same: String) throws {
        let tree = try read(text)
        #expect(try tree.document.hash == read(same).document.hash)
        #expect(tree.warnings.first.isEmpty)
    }

    @Test("is left out of a field's array, with a warning")
    func elements() throws {
        let tree = try read("[{\"Title\":\"a\",\"x\":[1,\nnull,2]}]")
        #expect(try tree.document.hash == read(#"[{"Title":"a","x":[1,2]}]"#).document.hash)
        #expect(
            tree.warnings.first.map(\.description) == [
                "1:19: in /a: a null element of the array is left out"
            ])
    }

    @Test(
        "is refused among rows, with its place",
        arguments: [
            (
                "[\"a\",\nnull]",
                "2:1: in /: element 2 of the array is null, but an item must be a string or a dictionary"
            ),
            (
                #"{"Records":[{},null],"DrillBy":[]}"#,
                "1:16: in /: element 2 of the array is null, but a record must be a dictionary"
            ),
            (
                "null",
                "1:1: the document is null; it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
            ),
        ])
    func rows(text: String, sentence: String) {
        do throws(PropertyListError) {
            _ = try read(text)
            Issue.record("it was read")
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test("is left out of a document of any shape, whose indices stay")
    func anyShape() throws {
        let tree = try read(#"{"a":null,"b":["x",null,"z"]}"#, any: true)
        let lines = try Outline.of(tree).replacing("\n", with: "|")
        #expect(lines == #"Root {}|  b {}|    0 {"Value":"x"}|    2 {"Value":"z"}"#)
        #expect(tree.warnings.first.map(\.message) == ["the element with index 1 is null and left out"])
    }
}

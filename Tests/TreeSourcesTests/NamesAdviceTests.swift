import Levels
import PropertyLists
import Testing

@testable import TreeSources

/// Every hint is followed here, on documents of many kinds: its promise must come true.
@Suite("A hint on names")
struct NamesAdviceTests {
    /// The errors and the warnings of one reading of a document.
    private func told(_ text: String, _ interpretation: Interpretation = .init()) -> (sentences: [String], loads: Bool)
    {
        let syntax: PropertyListSyntax = text.hasPrefix("<") ? .xml : .json
        do throws(PropertyListError) {
            let tree = try interpretation.readOrAdvise(.memory(Array(text.utf8)), as: syntax, pool: nil)
            return (tree.warnings.first.map(\.message), true)
        } catch {
            return ([error.reason], false)
        }
    }

    /// The readings that sentences recommend.
    private func hints(_ sentences: [String]) throws -> [Interpretation] {
        var found: [Interpretation] = []
        for sentence in sentences {
            for match in sentence.matches(of: /--keys (?:'([^']*)'|([^ ']+)) may fit/) {
                let mapping = String(match.1 ?? match.2 ?? "")
                found.append(Interpretation(names: try StructuralNames(mapping: mapping)))
            }
            if sentence.contains("do without --keys") { found.append(Interpretation()) }
            if sentence.contains("--shape any serves") { found.append(Interpretation(shape: .any)) }
        }
        return found
    }

    /// Makes items with unexpected names, one way for each number.
    private func document(_ number: Int) -> String {
        let titles = ["name", "label", "itemTitle", "id", "Title", "title", "Name of it", "Tilte"]
        let lists = ["entries", "items", "Kids", "children", "rows", "Children", "sub-items", "childern", "Child"]
        let title = titles[number % titles.count]
        let list = lists[number / titles.count % lists.count]
        let odd = number / titles.count / lists.count
        let leaf = #"{"\#(title)":"leaf","note":"n","count":5}"#
        let other = [
            leaf, #"{"group":"g"}"#, #"{"\#(title)":["x"]}"#, "5", #""text""#, #"{"\#(list)":"none","\#(title)":"x"}"#,
            #"["x"]"#, #"{"Key":"k","\#(title)":"x"}"#, #"{"\#(list)":[{"x":1}],"\#(title)":"x"}"#, "{}",
        ][odd % 10]
        let rows = #"[{"\#(title)":"a","\#(list)":[\#(leaf),\#(other)]},{"\#(title)":"b","tags":["t"]}]"#
        switch odd / 10 {
        case 0: return rows
        case 1: return #"{"\#(list)":\#(rows)}"#
        case 2: return #"{"\#(title)":"top","library":\#(rows),"version":1}"#
        default: return #"{"Rows":\#(rows)}"#
        }
    }

    @Test("is right whatever the document: with it the document loads")
    func followed() throws {
        var followed = 0
        // A part of them all, in which each title meets each list and most other makings.
        for number in stride(from: 0, to: 8 * 9 * 40, by: 7) {
            let text = document(number)
            for hint in try hints(told(text).sentences) {
                followed += 1
                let (sentences, loads) = told(text, hint)
                #expect(loads, "\(text): \(hint.names.mapping): \(sentences)")
            }
        }
        #expect(followed > 300)
    }

    @Test(
        "is never a misspelt name",
        arguments: ["Tilte", "title", "TITLE", "titel"], ["Rows", "rows", "childern", "Childern"])
    func misspelt(_ title: String, _ list: String) {
        for text in [
            #"[{"\#(title)":"a","\#(list)":[{"\#(title)":"b"}]}]"#, #"{"\#(list)":[{"\#(title)":"a","note":"n"}]}"#,
            #"{"\#(list)":[{"Title":"a"},{"Title":"b"},{"\#(title)":"c","note":"n"}]}"#,
        ] {
            let (sentences, loads) = told(text)
            #expect(!loads)
            #expect(sentences.allSatisfy { $0.contains("; did you mean '") && !$0.contains("--") }, "\(sentences)")
        }
    }

    @Test("suggests names for rows that are not served")
    func strayRows() throws {
        let text = #"{"Rows":[{"Title":"a","Child":[{"Title":"b","Child":[{"Title":"c"}]}]}]}"#
        let (sentences, loads) = told(text)
        #expect(loads)
        #expect(
            sentences == [
                "'Child' holds dictionaries with a title but is kept as a field; rows are read from 'Children' or 'Rows'; here --keys 'children=Children|Rows|Child' may fit"
            ])
        let names = try StructuralNames(mapping: "children=Children|Rows|Child")
        let tree = try Interpretation(names: names).readOrAdvise(.memory(Array(text.utf8)), as: .json, pool: nil)
        #expect(tree.itemCount == 3)
        #expect(tree.warnings.first.isEmpty)
    }

    @Test("serves the rows of several names together, or else each that can be")
    func severalStrayRows() {
        let both = told(#"[{"Title":"a","Kids":[{"Title":"b"}]},{"Title":"c","Child":[{"Title":"d"}]}]"#)
        #expect(both.sentences.count == 2)
        #expect(both.sentences.allSatisfy { $0.hasSuffix("; here --keys 'children=Children|Rows|Kids|Child' may fit") })
        let one = told(#"[{"Title":"a","Kids":[{"Title":"b"}],"Child":[{"Title":"d"}]},{"Title":"e","Child":"x"}]"#)
        #expect(one.sentences.count == 2)
        #expect(one.sentences.first?.hasSuffix("; here --keys 'children=Children|Rows|Kids' may fit") == true)
        #expect(one.sentences.last?.hasSuffix("; rows are read from 'Children' or 'Rows'") == true)
    }

    @Test("is not given where rows beside others could be served by no mapping")
    func twoLists() {
        #expect(
            told(#"[{"Title":"a","Rows":["x"],"Links":[{"Title":"b"}]}]"#).sentences == [
                "'Links' holds dictionaries with a title but is kept as a field; rows are read from 'Children' or 'Rows'"
            ])
        #expect(
            told(#"[{"Title":"a","it's":[{"Title":"b"}]}]"#).sentences == [
                "'it's' holds dictionaries with a title but is kept as a field; rows are read from 'Children' or 'Rows'"
            ])
    }

    @Test("stands after the question that names a misspelt one")
    func question() {
        #expect(
            told(#"{"azAZ09":"top","children":[{"azAZ09":"a"}]}"#).sentences == [
                "the document is a dictionary without a level, but it has 'children'; did you mean 'Children'? Here --keys title=azAZ09,children=children may fit, and --shape any serves any property list"
            ])
    }

    @Test("is looked for in a bounded number of readings")
    func bounded() {
        // Each trial finds one more kind of item, and the sixth is the last.
        let kinds = (0..<12).map { #"{"kind \#($0)":"x"}"# }
        let text = "[" + (Array(repeating: #"{"name":"a"}"#, count: 30) + kinds).joined(separator: ",") + "]"
        #expect(
            told(text).sentences == [
                "an item has no 'Title'; give it one, or a 'Key'; --shape any serves any property list"
            ])
    }
}

import Levels
import PropertyLists
import Testing

@testable import TreeSources

@Suite("The advice on names")
struct KeySurveyTests {
    /// The words on a document of which it is not known why it is refused.
    private func advice(
        _ json: String, isMisspelt: Bool = false, interpretation: Interpretation = .init()
    ) -> String? {
        NamesAdvice(input: .memory(Array(json.utf8)), syntax: .json, interpretation: interpretation)
            .onRefusal(isExplained: isMisspelt)
    }

    private static let any = "--shape any serves any property list"

    @Test("names the title of most dictionaries and the list that comes most often")
    func both() {
        #expect(
            advice(#"[{"name":"A","entries":[{"name":"B","entries":[{"name":"C","tags":["x"]}]}]}]"#)
                == "here --keys title=name,children=entries may fit, and \(Self.any)")
    }

    @Test("names the root's list too where it has another name")
    func rootList() {
        #expect(
            advice(
                #"{"library":[{"itemTitle":"A","songs":[{"itemTitle":"B"}]},{"itemTitle":"C","songs":[{"itemTitle":"D"}]}]}"#
            )
                == "here --keys 'title=itemTitle,children=library|songs' may fit, and \(Self.any)")
    }

    @Test("prefers a text called a name to other common texts")
    func preferred() {
        #expect(
            advice(#"[{"id":"1","display name":"A"}]"#)
                == "here --keys 'title=display name' may fit, and \(Self.any)")
        #expect(advice(#"[{"id":"1","sku":"A"}]"#) == "here --keys title=id may fit, and \(Self.any)")
    }

    @Test("names a title for each kind of item")
    func severalTitles() {
        #expect(
            advice(
                #"{"entries":[{"group":"G","entries":[{"name":"A","url":"u"},{"name":"B","url":"u"}]},{"line":""}]}"#)
                == "here --keys 'title=name|group|line,children=entries' may fit, and \(Self.any)")
        #expect(
            advice(#"{"artists":[{"artistName":"A","albums":[{"albumTitle":"B","year":1}]}]}"#)
                == "here --keys 'title=artistName|albumTitle,children=artists|albums' may fit, and \(Self.any)")
    }

    @Test("takes a list of texts at the root where there is no other")
    func texts() {
        #expect(
            advice(#"{"fruits":["apple","pear"],"a":null,"b":null,"c":null}"#)
                == "here --keys children=fruits may fit, and \(Self.any)")
    }

    @Test("never takes a short list of texts among other values")
    func shortList() {
        #expect(
            advice(
                #"{"CFBundleName":"App","CFBundleVersion":"1","UISupportedInterfaceOrientations":["a","b"],"CFBundleURLTypes":[{"CFBundleURLName":"u"}],"LSRequiresIPhoneOS":true}"#
            ) == Self.any)
    }

    @Test("adds the first text that differs in each item to expected titles")
    func bookmarks() {
        let leaf = { (number: Int) in
            #"{"URIDictionary":{"title":"t\#(number)"},"URLString":"http://\#(number)","Type":"Leaf","UUID":"\#(number)"}"#
        }
        let list = #"{"Title":"Bar","Type":"List","UUID":"x","Children":[\#(leaf(1)),\#(leaf(2)),\#(leaf(3))]}"#
        #expect(
            advice(#"{"Children":[\#(list),\#(leaf(4))],"Title":"","Type":"List"}"#)
                == "here --keys 'title=Title|URLString' may fit, and \(Self.any)")
    }

    @Test("takes the lists of dictionaries without titles for fields")
    func fields() {
        #expect(
            advice(#"[{"name":"A","marks":[{"color":"red"}]}]"#) == "here --keys title=name may fit, and \(Self.any)")
    }

    @Test("prefers texts that differ for titles")
    func varied() {
        #expect(
            advice(#"{"type":"All","features":[{"type":"F","id":"1"},{"type":"F","id":"2"},{"type":"F"}]}"#)
                == "here --keys 'title=id|type,children=features' may fit, and \(Self.any)")
    }

    @Test("leaves the root's list where it has the expected name")
    func expectedList() {
        #expect(
            advice(#"{"Rows":[{"name":"A"}],"others":[{"name":"B"},{"name":"C"}]}"#)
                == "here --keys title=name may fit, and \(Self.any)")
    }

    @Test("leaves deeper lists out where they cannot be levels")
    func fewerLists() {
        #expect(
            advice(#"[{"name":"A","parts":[{"name":"B"}]},{"name":"C","parts":"none"}]"#)
                == "here --keys title=name may fit, and \(Self.any)")
    }

    @Test("leaves names alone that are in use")
    func inUse() {
        #expect(advice(#"[{"Title":"A","note":"x"},{"Title":"B","note":"x"}]"#) == nil)
        #expect(advice(#"{"Rows":[{"Title":"A","tags":[{"note":"x"}]}]}"#) == nil)
        #expect(advice(#"{"Sections":{"S":[{"Title":"A"},{"note":"x"}]}}"#) == nil)
    }

    @Test("maps the root's list alone if titles have the expected names")
    func settings() {
        #expect(
            advice(#"{"Specifiers":[{"Title":"A"},{"Title":"B","Key":"b"}]}"#)
                == "here --keys children=Specifiers may fit, and \(Self.any)")
    }

    @Test("keeps the names of other roles that were given")
    func otherRoles() throws {
        let names = try StructuralNames(mapping: "title=label,key=id")
        #expect(
            advice(#"{"entries":[{"name":"A"}]}"#, interpretation: Interpretation(names: names))
                == "here --keys title=name,key=id,children=entries may fit, and \(Self.any)")
        let wrong = try StructuralNames(mapping: "title=name")
        #expect(
            advice(#"[{"Title":"A"}]"#, interpretation: Interpretation(names: wrong))
                == "this document may not need --keys, and \(Self.any)")
    }

    @Test("is any shape alone where nothing is common, and where no mapping was found to load the document")
    func onlyShape() {
        for document in [
            #"{"a":1}"#, #"{"a":1,"b":{"c":2}}"#, #"{"Titel":{"a":"x"},"b":{"c":"y"},"d":{"e":"z"}}"#, "[1,2]",
            #"[[["a"]]]"#, #"{"2":[[1,2]]}"#, #"{"python":"x"}"#, #"[{"name":"A"},{"size":[]}]"#,
            #"{"entries":[{"name":"A"},5]}"#,
        ] {
            #expect(advice(document) == Self.any, "\(document)")
        }
    }

    @Test("never makes a misspelt name the one that is looked for")
    func misspelt() {
        #expect(advice(#"[{"Tilte":"A","note":"x"}]"#) == nil)
        #expect(advice(#"[{"title":"A","subtitle":"x"}]"#, isMisspelt: true) == nil)
        #expect(advice(#"{"rows":[{"Title":"A"}]}"#, isMisspelt: true) == nil)
        #expect(advice(#"{"childern":[{"name":"A"}]}"#, isMisspelt: true) == nil)
        #expect(
            advice(#"{"entries":[{"name":"A","Childern":[{"name":"B"}]}]}"#)
                == "here --keys title=name,children=entries may fit, and \(Self.any)")
    }

    @Test("takes a name in another case for the document's own where its titles have another name altogether")
    func otherCase() {
        #expect(
            advice(#"{"name":"top","children":[{"name":"A","children":[{"name":"B"}]}]}"#, isMisspelt: true)
                == "here --keys title=name,children=children may fit, and \(Self.any)")
    }

    @Test("never suggests a name that a mapping cannot hold")
    func unmappable() {
        #expect(advice(#"[{"a,b":"1","it's":"x","c\u001b":"y","d\u202e":"z"}]"#) == Self.any)
    }

    @Test("offers any shape only within its limits")
    func limits() {
        let deep = String(repeating: "[", count: 20) + "1" + String(repeating: "]", count: 20)
        func interpretation(_ limits: TreeLimits) -> Interpretation { Interpretation(treeLimits: limits) }
        #expect(advice(deep, interpretation: interpretation(TreeLimits(depth: 20))) == Self.any)
        #expect(advice(deep, interpretation: interpretation(TreeLimits(depth: 19))) == nil)
        #expect(advice(#"{"a":[1,2]}"#, interpretation: interpretation(TreeLimits(items: 3))) == Self.any)
        #expect(advice(#"{"a":[1,2]}"#, interpretation: interpretation(TreeLimits(items: 2))) == nil)
    }

    @Test("counts a thousand different keys and no more")
    func bounded() throws {
        var survey = KeySurvey()
        let entries = (0..<5_000).map { "\"key \($0)\":[{\"a\($0)\":1}]" }.joined(separator: ",")
        try JSONPropertyListReader.read(.memory(Array("{\(entries)}".utf8)), limits: .init(), into: &survey)
        #expect(survey.groups.reduce(0) { $0 + $1.uses.count } == 1_000)
        #expect(survey.groups.count == 200)
    }
}

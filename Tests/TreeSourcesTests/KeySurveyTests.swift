import Levels
import PropertyLists
import Testing

@testable import TreeSources

@Suite("The advice on names")
struct KeySurveyTests {
    private func advice(_ json: String, names: StructuralNames = .init()) throws -> String? {
        var survey = KeySurvey()
        let limits = PropertyListLimits()
        try JSONPropertyListReader.read(.memory(Array(json.utf8)), limits: limits, into: &survey)
        return NamesSuggestion(survey, names: names).advice
    }

    private static let any = "--shape any serves any property list"

    @Test("names the title of most dictionaries and the list that comes most often")
    func both() throws {
        #expect(
            try advice(#"[{"name":"A","entries":[{"name":"B","entries":[{"name":"C","tags":["x"]}]}]}]"#)
                == "here --keys title=name,children=entries may fit, and \(Self.any)")
    }

    @Test("names the root's list too where it has another name")
    func rootList() throws {
        #expect(
            try advice(
                #"{"library":[{"itemTitle":"A","songs":[{"itemTitle":"B"}]},{"itemTitle":"C","songs":[{"itemTitle":"D"}]}]}"#
            )
                == "here --keys 'title=itemTitle,children=library|songs' may fit, and \(Self.any)")
    }

    @Test("prefers what is called a name to other texts that all have")
    func preferred() throws {
        #expect(
            try advice(#"[{"id":"1","display name":"A"}]"#)
                == "here --keys 'title=display name' may fit, and \(Self.any)")
        #expect(try advice(#"[{"id":"1","sku":"A"}]"#) == "here --keys title=id may fit, and \(Self.any)")
    }

    @Test("leaves names alone that are in use")
    func inUse() throws {
        #expect(try advice(#"[{"Title":"A","note":"x"},{"Title":"B","note":"x"}]"#) == nil)
        #expect(try advice(#"{"Rows":[{"Title":"A","tags":[{"note":"x"}]}]}"#) == nil)
    }

    @Test("is any shape alone where nothing is common")
    func onlyShape() throws {
        #expect(try advice(#"{"a":1}"#) == Self.any)
        #expect(try advice(#"{"a":1,"b":{"c":2}}"#) == Self.any)
        #expect(try advice(#"{"Titel":{"a":"x"},"b":{"c":"y"},"d":{"e":"z"}}"#) == Self.any)
    }

    @Test("never suggests a name that a mapping cannot hold")
    func unmappable() throws {
        #expect(try advice(#"[{"a,b":"1","it's":"x"}]"#) == nil)
    }

    @Test("counts a thousand different keys and no more")
    func bounded() throws {
        var survey = KeySurvey()
        let entries = (0..<5_000).map { "\"key \($0)\":1" }.joined(separator: ",")
        try JSONPropertyListReader.read(.memory(Array("{\(entries)}".utf8)), limits: .init(), into: &survey)
        #expect(survey.uses.count == 1_000)
    }
}

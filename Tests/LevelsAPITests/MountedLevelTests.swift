import Levels
import Testing
import TreeStore

@testable import LevelsAPI
@testable import TestDocuments

@Suite("Levels of other files")
struct MountedLevelTests {
    private static let main =
        #"{"Title":"Main","Rows":[{"Title":"A","Source":"a.json"},{"Title":"B","Source":"b.json"},"C"]}"#
    private static let mounted = #"{"Title":"Root A","Owner":"x","Rows":["one",{"Title":"Two","Children":["deep"]}]}"#

    private func snapshot(
        _ revision: String = "k3-1", a: String = mounted, refusal: String? = "b.json: sentence."
    ) throws -> Snapshot {
        let part = try Composition(source: try Document.tree(a).document, parts: [:])
        var parts: [PartReference: Composition.Part] = [.document("a.json"): .composed(part)]
        if let refusal { parts[.document("b.json")] = .refused(refusal) }
        let composition = try Composition(source: try Document.tree(Self.main).document, parts: parts)
        return Snapshot(
            document: composition.document, revision: revision, loadedAt: 1_700_000_000, composition: composition)
    }

    @Test("that could not be read say why on row, level and detail, after the other members")
    func errors() throws {
        let desk = Desk(try snapshot())
        let level = desk.get("/levels/").line
        #expect(level.contains(#""fields":{"Source":"b.json"},"error":"b.json: sentence."},{"key":"C""#))
        #expect(level.contains(#""leaf":true,"count":0,"href":"/detail/B""#))
        let below = desk.get("/levels/B")
        #expect(below.status == 200)
        #expect(below.line.hasSuffix(#""rows":[],"next":null,"after":null,"error":"b.json: sentence."}"#))
        #expect(
            desk.get("/detail/B").line.hasSuffix(
                #""fields":{"Title":"B","Source":"b.json"},"error":"b.json: sentence."}"#))
        #expect(!desk.get("/levels/A").line.contains("error"))
    }

    @Test("and what is said of them have versions that depend on it, and are changes")
    func changes() throws {
        let (old, new) = (try snapshot(), try snapshot("k3-2", refusal: "b.json: another."))
        let difference = TreeDifference(from: old.document, to: new.document)
        #expect(difference.levels == ["/levels/", "/levels/B"])
        #expect(difference.details == ["/detail/B"])
        let healed = TreeDifference(from: old.document, to: try snapshot("k3-2", refusal: nil).document)
        #expect(healed.levels == ["/levels/", "/levels/B"])
        let (one, two) = (Desk(old), Desk(new))
        for target in ["/levels/", "/levels/B", "/detail/B"] {
            #expect(one.get(target).entityTag != two.get(target).entityTag)
        }
        for target in ["/levels/A", "/detail/C", "/levels/A/Two"] {
            #expect(one.get(target).entityTag == two.get(target).entityTag)
        }
    }

    @Test("are announced to a cached answer that shows only how many rows they have")
    func cached() throws {
        let desk = Desk(try snapshot())
        for _ in 0..<3 { _ = desk.get("/levels/") }
        desk.api.publish(try snapshot("k3-2", refusal: "b.json: another."))
        #expect(desk.get("/levels/").line.contains("b.json: another."))
    }

    @Test(
        "stand in place in the document, or not, as is asked for",
        arguments: [
            (
                "/document?format=json",
                #"{"Title":"Main","Rows":[{"Title":"A","Source":"a.json","Owner":"x","Rows":["one",{"Title":"Two","Children":["deep"]}]},{"Title":"B","Source":"b.json"},"C"]}"#
            ),
            ("/document?format=json&inline=false", main),
            ("/document?format=json&inline=true&pretty=false", nil),
            ("/document/A?format=json&inline=false", #"{"Title":"A","Source":"a.json"}"#),
            ("/document/A/Two?format=json&inline=false", #"{"Title":"Two","Children":["deep"]}"#),
            ("/document/A/Two?format=json", #"{"Title":"Two","Children":["deep"]}"#),
            ("/document/C?format=json&inline=false", #""C""#),
        ])
    func documents(target: String, body: String?) throws {
        let desk = Desk(try snapshot())
        #expect(desk.get(target).line == body ?? desk.get("/document?format=json").line)
    }

    @Test("make tags of their own in a document with them and without them")
    func tags() throws {
        let (one, two) = (Desk(try snapshot()), Desk(try snapshot(a: #"["other"]"#)))
        let own = "/document?inline=false"
        #expect(one.get(own).entityTag == two.get(own).entityTag)
        #expect(one.get("/document").entityTag != two.get("/document").entityTag)
        #expect(one.get(own).entityTag != one.get("/document").entityTag)
        #expect(one.get("/document/C?inline=false").entityTag == one.get("/document/C").entityTag)
    }

    @Test("are asked for with true or false")
    func values() throws {
        let answer = Desk(try snapshot()).get("/document?inline=no")
        #expect(answer.status == 400)
        #expect(answer.line.contains("'inline' must be true or false, not 'no'."))
    }
}

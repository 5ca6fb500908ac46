import Levels
import PropertyLists
import Testing

@testable import HTTPServer
@testable import LevelsAPI
@testable import TestDocuments

/// Answers in the language that a request prefers (manual, Settings pages).
@Suite("A document with translations") struct LanguageTests {
    private static let page =
        #"{"PreferenceSpecifiers":[{"Title":"Sound","Key":"s"},{"Title":"About"},{"Title":"Zoom"}]}"#
    private static let german = ["Sound": "Ton", "About": "Über", "Zoom": "Größe"]

    private static func snapshot(
        _ texts: [String: [String: String]], fallback: String? = "en", revision: String = "k3-1"
    ) throws -> Snapshot {
        let tree = try Document.tree(page)
        let content = try #require(SettingsPage(tree))
        let variants = texts.keys.sorted().map { name in
            Translations.Variant(
                name: name, language: name == "Base" ? nil : name,
                document: tree.document.placing([0: content.level.showing(.init(), in: [{ texts[name]?[$0] }])[0]]))
        }
        let all = tree.replacing(
            level: content.level, translations: Translations(variants: variants, fallback: fallback))
        return Desk.snapshot(all, revision: revision)
    }

    private static func accept(_ languages: String) -> [(name: String, value: String)] {
        [("Accept-Language", languages)]
    }

    private static func titles(_ answer: Answer) -> [String] {
        answer.line.matches(of: /"version":"[^"]{8}","title":"([^"]*)"/).map { String($0.1) }
    }

    @Test(
        "answers in the language that the request prefers, and says which",
        arguments: [
            ("de", "Ton", "de"), ("de-CH, en;q=0.5", "Ton", "de"), ("fr, de;q=0.1", "Ton", "de"),
            ("en, de", "Audio", "en"), ("fr", "Audio", "en"), ("*", "Audio", "en"), ("", "Audio", "en"),
            ("de;q=0, en;q=0.1", "Audio", "en"), ("(", "Audio", "en"),
        ])
    func language(_ accepted: String, _ title: String, _ language: String) throws {
        let desk = Desk(try Self.snapshot(["de": Self.german, "en": ["Sound": "Audio"]]))
        for _ in 0..<3 {
            let answer = desk.get("/levels/", Self.accept(accepted))
            #expect(Self.titles(answer).first == title)
            #expect(answer.header("Content-Language") == language)
            #expect(answer.header("Vary") == "Accept-Encoding, Accept, Accept-Language")
        }
        #expect(
            desk.get("/detail/s", Self.accept(accepted)).line.hasPrefix(#"{"title":"\#(title)","href":"/detail/s""#))
    }

    @Test("has no Content-Language if no language fits and the bundle has no fallback")
    func untranslated() throws {
        let desk = Desk(try Self.snapshot(["de": Self.german], fallback: nil))
        let answer = desk.get("/levels/", Self.accept("fr"))
        #expect(Self.titles(answer) == ["Sound", "About", "Zoom"])
        #expect(answer.header("Content-Language") == nil)
        #expect(answer.header("Vary") == "Accept-Encoding, Accept, Accept-Language")
        let base = Desk(try Self.snapshot(["Base": ["Sound": "S"]], fallback: "Base")).get("/levels/")
        #expect(Self.titles(base).first == "S")
        #expect(base.header("Content-Language") == nil)
    }

    @Test("without translations does not depend on the language")
    func plain() throws {
        let desk = try Desk(Self.page)
        let answer = desk.get("/levels/", Self.accept("de"))
        #expect(answer == desk.get("/levels/"))
        #expect(answer.header("Vary") == "Accept-Encoding, Accept")
    }

    @Test("has one cached answer and one entity tag for each language")
    func cache() throws {
        let desk = Desk(try Self.snapshot(["de": Self.german, "en": [:]]))
        for language in ["de", "en", "de-AT", "de", "en-US", "de;q=0.3"] {
            _ = desk.get("/levels/", Self.accept(language))
        }
        // The second answer in each language is kept, and later ones are found, whatever the field says.
        #expect(desk.api.cache.counts == ResponseCache.Counts(hits: 2, misses: 4))
        let (german, english) = (desk.get("/levels/", Self.accept("de")), desk.get("/levels/", Self.accept("en")))
        #expect(german.entityTag != english.entityTag)
        #expect(desk.get("/levels/", Self.accept("de") + [("If-None-Match", german.entityTag)]).status == 304)
        #expect(desk.get("/levels/", Self.accept("de") + [("If-None-Match", english.entityTag)]).status == 200)
    }

    @Test(
        "sorts, groups and selects by the titles of the language",
        arguments: [
            ("sort=Title", ["Größe", "Ton", "Über"], ["About", "Sound", "Zoom"]),
            ("group=initial", ["Größe", "Ton", "Über"], ["About", "Sound", "Zoom"]),
            ("where=Title~o", ["Ton", "Größe"], ["Sound", "About", "Zoom"]),
        ])
    func options(_ query: String, _ german: [String], _ english: [String]) throws {
        let desk = Desk(try Self.snapshot(["de": Self.german, "en": [:]]))
        #expect(Self.titles(desk.get("/levels/?\(query)", Self.accept("de"))) == german)
        #expect(Self.titles(desk.get("/levels/?\(query)", Self.accept("en"))) == english)
    }

    @Test("takes edits if the tag in If-Match is that of any language, of the item as it is now")
    func conditions() throws {
        let german = try Self.snapshot(["de": Self.german, "en": ["Sound": "Audio"]])
        let other = try Self.snapshot(["de": ["Sound": "Klang"], "en": ["Sound": "Noise"]])
        for (method, target, body, subject) in [
            (.patch, "/detail/s", #"{"a":1}"#, "/detail/s"), (.post, "/levels/", #""x""#, "/levels/"),
        ] as [(HTTPServer.Method, String, String, String)] {
            for (language, snapshot, isMet) in [
                ("de", german, true), ("en", german, true), ("de", other, false), ("en", other, false),
            ] {
                let tag = EditDesk(snapshot).get(subject, Self.accept(language)).entityTag
                let status = EditDesk(german).send(method, target, body, [("If-Match", tag)]).status
                let statusWithoutCondition = EditDesk(german).send(method, target, body).status
                #expect(status == (isMet ? statusWithoutCondition : 412), "\(target) \(language)")
            }
        }
    }

    @Test("gives the changes since a version of the same language, and the levels that changed in any")
    func changes() throws {
        let desk = Desk(try Self.snapshot(["de": Self.german, "en": [:]]))
        let before = desk.get("/levels/", Self.accept("de"))
        let english = desk.get("/levels/", Self.accept("en"))
        let version = before.entityTag.dropFirst().dropLast()
        desk.api.publish(
            try Self.snapshot(
                ["de": Self.german.merging(["About": "Info"]) { $1 }, "en": [:]], revision: "k3-2"))
        let delta = desk.get("/levels/?since=\(version)", Self.accept("de"))
        #expect(delta.line.contains(#""removed":[],"inserted":[],"moved":[],"updated":[{"at":1,"row":{"key":"About""#))
        #expect(desk.get("/levels/", Self.accept("en")).entityTag == english.entityTag)
        #expect(
            desk.get("/changes?since=k3-1").line.contains(
                #""levels":["/levels/","/levels/About"],"details":["/detail/About"]"#))
    }

    @Test("gives the levels that change in a language that the version before or after lacks")
    func languages() throws {
        let levels = #""levels":["/levels/","/levels/s","/levels/About","/levels/Zoom"]"#
        for (before, after) in [
            (["en": [:]], ["de": Self.german, "en": [:]]), (["de": Self.german, "en": [:]], ["en": [:]]),
        ] {
            let desk = Desk(try Self.snapshot(before))
            desk.api.publish(try Self.snapshot(after, revision: "k3-2"))
            let line = desk.get("/changes?since=k3-1").line
            #expect(line.contains(levels), "\(line)")
        }
    }

    @Test("keeps a waiting request in its language, and answers it when that changes")
    func waiting() throws {
        let first = try Self.snapshot(["de": Self.german, "en": [:]])
        let desk = Desk(first)
        func poll(_ language: String) throws -> Waiter {
            let tag = desk.get("/levels/", Self.accept(language)).entityTag
            let fields = Self.accept(language) + [("If-None-Match", tag), ("Prefer", "wait=30")]
            return try #require(desk.api.respond(to: Request(target: "/levels/", fields: fields)).waiter)
        }
        let (german, english) = (try poll("de"), try poll("en"))
        desk.api.publish(try Self.snapshot(["de": ["Sound": "Klang"], "en": [:]], revision: "k3-2"))
        #expect(german.hasEnded)
        #expect(!english.hasEnded)
    }

    @Test("is served as it is written as a document")
    func document() throws {
        let desk = Desk(try Self.snapshot(["de": Self.german]))
        let answer = desk.get("/document?format=json", Self.accept("de"))
        #expect(answer.line == Self.page)
        #expect(answer.header("Vary") == "Accept-Encoding")
    }

    @Test("reports a missing item in the language of the request")
    func missing() throws {
        let desk = Desk(try Self.snapshot(["de": Self.german]))
        let answer = desk.get("/levels/s/x", Self.accept("de"))
        #expect(answer.status == 404)
        #expect(answer.line.contains("There is no 'x' in /Ton."))
    }
}

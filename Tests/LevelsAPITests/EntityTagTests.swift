import Levels
import LevelsAPI
import Testing

/// Entity tags, and what asks for them (manual, Requests and answers).
@Suite struct EntityTagTests {
    private static let document = #"[{"Title":"a","Rows":["b"]},{"Title":"c","Rows":["d"]},"e"]"#
    private static let targets = [
        "/levels/", "/levels/a", "/levels/c", "/levels/e", "/detail/", "/detail/a", "/detail/c/d",
    ]

    @Test(
        "If-None-Match with the tag gives 304 with the lines that keep the copy, no others, and no body",
        arguments: [
            "TAG", "W/TAG", "\"x\", TAG", "TAG, \"x\"", "\"x\",W/\"y\" ,\t W/TAG", "*", " * ", ",TAG,", "\"\", TAG",
            "\"a,b\", TAG",
        ])
    func match(_ list: String) throws {
        let desk = try Desk(Self.document)
        for target in Self.targets + ["/levels/?limit=1", "/levels/?format=plist", "/document"] {
            let full = desk.get(target)
            #expect(full.entityTag.wholeMatch(of: /"[A-Za-z0-9_-]{22}"/) != nil)
            let answer = desk.get(target, [("If-None-Match", list.replacing("TAG", with: full.entityTag))])
            #expect(answer.status == 304)
            #expect(answer.headers == full.keepingLines)
            #expect(answer.body.isEmpty)
        }
    }

    @Test("Several If-None-Match lines are one list")
    func severalLines() throws {
        let desk = try Desk(Self.document)
        let tag = desk.get("/levels/").entityTag
        #expect(desk.get("/levels/", [("If-None-Match", "\"x\""), ("if-none-match", tag)]).status == 304)
    }

    @Test(
        "If-None-Match without the tag gives the whole answer",
        arguments: [
            "\"x\"", "W/\"x\"", "", ",", "x", "TAGx", "xTAG", "w/TAG", "\"x", "\"TAG", "*, \"x\"", "\"x\", *", "**",
            "W/", "\"x\" TAG\"",
        ])
    func noMatch(_ list: String) throws {
        let desk = try Desk(Self.document)
        let full = desk.get("/levels/")
        let bare = full.entityTag.dropFirst().dropLast()
        let answer = desk.get("/levels/", [("If-None-Match", list.replacing("TAG", with: bare))])
        #expect(answer == full)
    }

    @Test("The same content has the same tags in another publication, and after a reload")
    func sameContent() throws {
        let (one, two) = (try Desk(Self.document), try Desk(Self.document.replacing(",", with: " ,\n ")))
        for target in Self.targets { #expect(one.get(target) == two.get(target)) }
        let before = Self.targets.map { one.get($0) }
        let snapshot = Snapshot(
            document: try Desk.snapshot(Self.document).document, revision: "other", loadedAt: 5)
        one.api.publish(snapshot)
        #expect(Self.targets.map { one.get($0) } == before)
    }

    @Test("A level keeps its tag when another one changes")
    func otherLevelChanges() throws {
        let old = try Desk(Self.document)
        let new = try Desk(Self.document.replacing("\"d\"", with: "\"D\",\"new\""))
        let changed = Self.targets.filter { old.get($0).entityTag != new.get($0).entityTag }
        // The root's row of c counts its children, and the details of c and of its first child name others.
        #expect(changed == ["/levels/", "/levels/c", "/detail/c/d"])
        let renamed = try Desk(Self.document.replacing("\"d\"", with: "\"D\""))
        #expect(
            Self.targets.filter { old.get($0).entityTag != renamed.get($0).entityTag } == ["/levels/c", "/detail/c/d"])
    }

    @Test("Each representation has a tag of its own")
    func representations() throws {
        let desk = try Desk(Self.document)
        let targets = [
            "/levels/", "/levels/?format=plist", "/levels/?fields=Title", "/levels/?limit=1", "/levels/?limit=2",
            "/detail/",
            "/detail/?format=plist", "/document", "/document?format=json",
        ]
        #expect(Set(targets.map { desk.get($0).entityTag }).count == targets.count)
        #expect(desk.get("/levels/").entityTag == desk.get("/levels/?format=json").entityTag)
    }

    @Test("Problems, pages about them and the state of the service have no tag")
    func noTag() throws {
        let desk = try Desk(Self.document)
        for target in ["/levels/x", "/levels/?x", "/x", "/problems", "/healthz", "/readyz"] {
            let answer = desk.get(target, [("If-None-Match", "*")])
            #expect(answer.header("ETag") == nil)
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.status != 304)
        }
    }
}

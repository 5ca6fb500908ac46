import HTTPServer
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// `If-Match` on GET and HEAD (RFC 9110, sections 13.1.1 and 13.2.2).
@Suite("If-Match") struct PreconditionTests {
    private static let document = #"[{"Title":"a","Rows":["b"]},"c"]"#
    private static let targets = [
        "/", "/levels/", "/levels/a", "/levels/?limit=1", "/levels/?format=plist", "/levels/?pretty=true", "/detail/a",
        "/document", "/document?format=json&pretty=true",
    ]

    @Test(
        "that names the entity tag changes nothing",
        arguments: ["TAG", "\"x\", TAG", "TAG,\"x\"", ", ,TAG", "*", " * ", "W/\"x\", TAG", "\"x\",W/TAG ,\tTAG"])
    func isMet(_ list: String) throws {
        let desk = try Desk(Self.document)
        for target in Self.targets {
            let full = desk.get(target)
            let fields = [("If-Match", list.replacing("TAG", with: full.entityTag))]
            // Three times, so that an answer that is kept is seen too.
            for _ in 0..<3 {
                #expect(desk.get(target, fields) == full)
                #expect(desk.ask(.head, target, fields).headers == full.headers)
            }
        }
    }

    @Test(
        "that names another is 412 with the tag of now, also where If-None-Match would make it 304",
        arguments: [
            "\"x\"", "W/TAG", "\"x\", W/TAG", "", ",", "x", "BARE", "TAG*", "*, \"x\"", "\"x\", *", "\"BARE",
            "\"BARE-x\"",
            "\"xBARE\"", "\"BARE-gzip-pretty\"", "\"\"",
        ])
    func isNotMet(_ list: String) throws {
        let desk = try Desk(Self.document)
        for target in Self.targets {
            let tag = desk.get(target).entityTag
            let bare = String(tag.dropFirst().prefix(22))
            // A tag that ends in garbage has been read before that.
            guard list != "TAG*" else { continue }
            let value = list.replacing("TAG", with: tag).replacing("BARE", with: bare)
            for others in [[], [("If-None-Match", tag)], [("If-None-Match", "*"), ("Prefer", "wait=30")]] {
                for _ in 0..<3 {
                    let answer = desk.get(target, [("If-Match", value)] + others)
                    #expect(answer.status == 412)
                    #expect(answer.headers == Answer.problemHeaders)
                    let told = tag.replacing("\"", with: "\\\"")
                    let isBare = value == "x" || value == bare
                    let hint = isBare ? #" A tag is written in quotes: \"\#(value)\"."# : ""
                    #expect(
                        answer.compact == """
                            {"type":"/problems/precondition-failed","title":"Precondition failed","status":412,\
                            "detail":"If-Match does not contain the current entity tag of this resource, \(told).\(hint)",\
                            "instance":"\(target)","current":"\(told)"}
                            """)
                    #expect(desk.ask(.head, target, [("If-Match", value)] + others).status == 412)
                }
            }
        }
    }

    @Test("is judged before If-None-Match, and then that is")
    func order() throws {
        let desk = try Desk(Self.document)
        for target in Self.targets {
            let tag = desk.get(target).entityTag
            for condition in [tag, "*"] {
                let fields = [("If-Match", condition), ("If-None-Match", tag)]
                #expect(desk.get(target, fields).status == 304)
                #expect(desk.get(target, [("If-Match", condition), ("If-None-Match", "\"x\"")]).status == 200)
            }
        }
    }

    @Test("with the tag of any coding or layout of the representation is met, with that of another format is not")
    func forms() throws {
        let desk = try Desk(CodingTests.document)
        for target in ["/levels/", "/detail/first", "/document?format=json"] {
            let layout = target.contains("?") ? "&pretty=true" : "?pretty=true"
            let codings = ["identity", "gzip", "br"]
            let forms = codings.flatMap { coding in
                [target, target + layout].map { ($0, [("Accept-Encoding", coding)]) }
            }
            let tags = forms.map { desk.get($0, $1).entityTag }
            #expect(Set(tags).count == 6)
            for (form, fields) in forms {
                for tag in tags { #expect(desk.get(form, fields + [("If-Match", tag)]).status == 200) }
                let list = desk.get(target.replacing("?format=json", with: "") + "?format=plist").entityTag
                #expect(desk.get(form, fields + [("If-Match", list)]).status == 412)
            }
        }
    }

    @Test("says nothing about what there is not, or what is asked for wrongly")
    func otherProblems() throws {
        let desk = try Desk(Self.document)
        for (target, status) in [
            ("/levels/x", 404), ("/x", 404), ("/levels/?x", 400), ("/levels/%", 400), ("/?x", 400), ("/healthz", 200),
            ("/problems", 200), ("/changes", 200),
        ] {
            for condition in ["\"x\"", "*"] { #expect(desk.get(target, [("If-Match", condition)]).status == status) }
        }
    }

    @Test("is judged once: a request that waits gets the new representation")
    func wait() throws {
        let desk = try Desk(Self.document)
        let tag = desk.get("/levels/").entityTag
        let fields = [("If-Match", tag), ("If-None-Match", tag), ("Prefer", "wait=30")]
        let waiter = try #require(desk.api.respond(to: Request(target: "/levels/", fields: fields)).waiter)
        desk.api.publish(Desk.snapshot(try Document.tree(#"["new"]"#), revision: "k3-2"))
        #expect(Answer(try #require(waiter.response)).body == desk.get("/levels/").body)
    }
}

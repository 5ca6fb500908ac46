import HTTPServer
import LevelsAPI
import Testing

@testable import TestDocuments

/// The conditions of edits (RFC 9110, section 13.1).
@Suite struct EditConditionTests {
    private static let document = #"{"Rows":["One",{"Title":"Branch","Rows":["Only"]}]}"#
    private static let stale = #""AAAAAAAAAAAAAAAAAAAAAA""#

    /// An edit, and the target whose tag its condition is about.
    private static let edits: [(method: HTTPServer.Method, target: String, body: String?, subject: String)] = [
        (.post, "/levels/Branch", #""x""#, "/levels/Branch"), (.put, "/detail/One", #"{"Title":"One"}"#, "/detail/One"),
        (.patch, "/detail/One", #"{"a":1}"#, "/detail/One"), (.delete, "/detail/One", nil, "/detail/One"),
        (.post, "/moves", #"{"from":"/detail/One","to":"/levels/Branch"}"#, "/detail/One"),
        (.put, "/document", #"["x"]"#, "/document"),
    ]

    @Test("If-Match holds with any tag of the edit's target, in any format and coding, and with an asterisk")
    func holds() throws {
        for edit in Self.edits {
            for fields in [
                [], [("Accept", "application/x-plist")], [("Accept", "application/json")],
                [("Accept", "application/x-bplist")], [("Accept", "text/csv")],
            ] as [[(String, String)]] {
                let desk = try EditDesk(Self.document)
                let tag = desk.get(edit.subject, fields).entityTag
                for value in [tag, "*", "\"x\", \(tag)", "\(tag.dropLast())-gzip\"", "\(tag.dropLast())-pretty-br\""] {
                    let desk = try EditDesk(Self.document)
                    let answer = desk.send(edit.method, edit.target, edit.body, [("If-Match", value)])
                    #expect((200...204).contains(answer.status), "\(edit.target) \(value)")
                }
            }
        }
    }

    @Test("Without any of them it is 412 with the current tag, and nothing is done")
    func fails() throws {
        for edit in Self.edits {
            let desk = try EditDesk(Self.document)
            let tag = desk.get(edit.subject).entityTag
            let fields = Self.fieldsVersion(desk.get(edit.subject).text).map { #","currentFields":"\#($0)""# } ?? ""
            for value in [Self.stale, "W/\(tag)", "unquoted", "", "\"half", "\(tag.dropLast())-x\""] {
                let answer = desk.send(edit.method, edit.target, edit.body, [("If-Match", value)])
                #expect(answer.status == 412)
                let quoted = tag.replacing("\"", with: "\\\"")
                let hint = value == "unquoted" ? #" A tag is written in quotes: \"unquoted\"."# : ""
                #expect(
                    answer.line == """
                        {"type":"/problems/precondition-failed","title":"Precondition failed","status":412,\
                        "detail":"If-Match does not contain the current entity tag of the request's target, \(quoted).\(hint)",\
                        "instance":"\(edit.target)","current":"\(quoted)"\(fields)}
                        """)
            }
            #expect(desk.get("/").text.contains(#""revision":"k3-1""#))
        }
    }

    private static func fieldsVersion(_ text: String) -> String? {
        text.firstMatch(of: /"fieldsVersion":"([A-Za-z0-9_-]{8})"/).map { String($0.output.1) }
    }

    @Test("The version of the fields holds for edits of the item, though its place, neighbours and children change")
    func fieldsVersion() throws {
        for edit in Self.edits where edit.subject == "/detail/One" {
            for form in [{ "\"\($0)\"" }, { "\(Self.stale), \"\($0)\"" }] as [(String) -> String] {
                let desk = try EditDesk(Self.document)
                let version = try #require(Self.fieldsVersion(desk.get("/detail/One").text))
                let tag = desk.get("/detail/One").entityTag
                #expect(desk.send(.post, "/levels/?at=first", #""x""#).status == 201)
                #expect(desk.send(.post, "/levels/One", #""below""#).status == 201)
                #expect(desk.send(edit.method, edit.target, edit.body, [("If-Match", tag)]).status == 412)
                let answer = desk.send(edit.method, edit.target, edit.body, [("If-Match", form(version))])
                #expect((200...204).contains(answer.status), "\(edit.target) \(answer.text)")
            }
        }
    }

    @Test("It does not hold once a field has changed, nor in another form, nor for a level or the document")
    func otherFields() throws {
        for edit in Self.edits {
            let desk = try EditDesk(Self.document)
            let version = try #require(Self.fieldsVersion(desk.get("/detail/One").text))
            let isDetail = edit.subject == "/detail/One"
            let forms = [version, "W/\"\(version)\"", "\"\(version)-gzip\"", "\"\(version.lowercased())x\""]
            for value in forms + (isDetail ? [] : ["\"\(version)\""]) {
                #expect(desk.send(edit.method, edit.target, edit.body, [("If-Match", value)]).status == 412)
            }
            #expect(desk.send(.patch, "/detail/One", #"{"b":2}"#).status == 200)
            let now = try #require(Self.fieldsVersion(desk.get("/detail/One").text))
            #expect(now != version)
            let answer = desk.send(edit.method, edit.target, edit.body, [("If-Match", "\"\(version)\"")])
            #expect(answer.status == 412)
            if isDetail { #expect(answer.line.hasSuffix(#""currentFields":"\#(now)"}"#)) }
        }
        let desk = try EditDesk(Self.document)
        let version = try #require(Self.fieldsVersion(desk.get("/detail/Branch").text))
        let insert = desk.send(.post, "/levels/Branch", #""x""#, [("If-Match", "\"\(version)\"")])
        #expect(insert.status == 412 && !insert.text.contains("currentFields"))
        #expect(desk.get("/detail/One", [("If-Match", "\"\(version)\"")]).status == 412)
    }

    @Test("A step's condition may be the version of the fields, with quotes or without")
    func fieldsVersionOfSteps() throws {
        for form in [{ $0 }, { "\\\"\($0)\\\"" }] as [(String) -> String] {
            let desk = try EditDesk(Self.document)
            let version = try #require(Self.fieldsVersion(desk.get("/detail/One").text))
            #expect(desk.send(.post, "/levels/?at=first", #""x""#).status == 201)
            let steps = { (value: String) in
                #"""
                {"edits":[{"patch":{"a":1},"of":"/detail/One","ifMatch":"\#(value)"},\#
                {"move":"/detail/One","to":"/levels/Branch","ifMatch":"\#(value)"},\#
                {"delete":"/detail/Branch/One","ifMatch":"*"}]}
                """#
            }
            let wrong = desk.send(.post, "/edits", steps(form("AAAAAAAA")))
            #expect(wrong.status == 412)
            #expect(wrong.line.hasSuffix(#","currentFields":"\#(version)","edit":0}"#))
            let gone = desk.send(.post, "/edits", steps(form(version)))
            #expect(gone.status == 412, "the last step's item is not there before all of them")
            let done = desk.send(
                .post, "/edits", steps(form(version)).replacing(#","ifMatch":"*""#, with: ""))
            #expect(done.status == 200)
            #expect(done.line.hasSuffix(#""edits":[null,null,null]}"#))
        }
    }

    @Test("A tag without its quotes is pointed out, on a GET as well")
    func quotes() throws {
        let desk = try EditDesk(Self.document)
        let (text, tag) = (desk.get("/detail/One").text, desk.get("/detail/One").entityTag)
        let bare = [String(tag.dropFirst().dropLast()), try #require(Self.fieldsVersion(text))]
        for value in bare {
            for answer in [
                desk.send(.patch, "/detail/One", "{}", [("If-Match", "\"x\", \(value)")]),
                desk.get("/detail/One", [("If-Match", value)]),
            ] {
                #expect(answer.status == 412)
                #expect(answer.text.contains(#" A tag is written in quotes: \"\#(value)\".","#), "\(answer.text)")
            }
        }
    }

    @Test("An item that does not exist has no tag", arguments: [HTTPServer.Method.put, .patch, .delete])
    func missing(_ method: HTTPServer.Method) throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(method, "/detail/x", "{}", [("If-Match", "*")])
        #expect(answer.status == 412)
        #expect(
            answer.line == """
                {"type":"/problems/precondition-failed","title":"Precondition failed","status":412,\
                "detail":"If-Match is a condition on an item that does not exist.","instance":"/detail/x"}
                """)
    }

    @Test("A failed condition comes before an error of a later step, and before the step's own item")
    func order() throws {
        let desk = try EditDesk(Self.document)
        for later in [
            #"{"insert":"x","to":"/levels/","at":"middle"}"#, #"{"insert":{"Text":"x"},"to":"/levels/"}"#,
        ] {
            let body = #"{"edits":[{"patch":{},"of":"/detail/One","ifMatch":"AAAA"},\#(later)]}"#
            let answer = desk.send(.post, "/edits", body)
            #expect(answer.status == 412)
            #expect(answer.line.hasSuffix(#","edit":0}"#))
        }
        let untitled = desk.send(.put, "/detail/Nowhere", #"{"Text":"x"}"#, [("If-Match", "*")])
        #expect(untitled.status == 412)
        let existing = desk.send(.put, "/detail/One", "5", [("If-None-Match", "*")])
        #expect(existing.status == 412)
    }

    @Test("If-None-Match: * only creates an item, and otherwise names the current tag")
    func onlyIfNew() throws {
        let desk = try EditDesk(Self.document)
        let any = [(name: "If-None-Match", value: "*")]
        #expect(desk.send(.put, "/detail/new", #"{"Title":"new"}"#, any).status == 201)
        let tag = desk.get("/detail/new").entityTag
        let answer = desk.send(.put, "/detail/new", #"{"Title":"new"}"#, any)
        #expect(answer.status == 412)
        let fields = Self.fieldsVersion(desk.get("/detail/new").text) ?? ""
        #expect(
            answer.line.hasSuffix(#""current":"\#(tag.replacing("\"", with: "\\\""))","currentFields":"\#(fields)"}"#))
        #expect(desk.send(.patch, "/detail/new", "{}", [("If-None-Match", tag)]).status == 412)
        #expect(desk.send(.patch, "/detail/new", "{}", [("If-None-Match", Self.stale)]).status == 200)
    }

    @Test("A step's condition is an ETag or a version, of the state before all steps")
    func steps() throws {
        for form in ["quoted", "bare", "list", "any"] {
            let desk = try EditDesk(Self.document)
            let tag = desk.get("/detail/One").entityTag
            let value =
                switch form {
                case "quoted": tag
                case "bare": String(tag.dropFirst().dropLast())
                case "list": "\(Self.stale), \(tag)"
                default: "*"
                }
            let text = value.replacing("\"", with: "\\\"")
            let body = #"""
                {"edits":[{"patch":{"a":1},"of":"/detail/One"},{"patch":{"a":2},"of":"/detail/One","ifMatch":"\#(text)"}]}
                """#
            #expect(desk.send(.post, "/edits", body).status == 200)
            guard form != "any" else { continue }
            let answer = desk.send(.post, "/edits", body)
            #expect(answer.status == 412)
            #expect(answer.line.hasSuffix(#","edit":1}"#))
            let now = desk.get("/detail/One").entityTag.replacing("\"", with: "\\\"")
            #expect(answer.line.contains(#""current":"\#(now)""#))
        }
    }

    @Test("Steps may have conditions on one level in all its formats; the first that does not hold refuses them all")
    func manySteps() throws {
        let desk = try EditDesk(Self.document)
        let tags = [desk.get("/levels/Branch").entityTag, desk.get("/levels/Branch?format=plist").entityTag]
        func body(_ conditions: [String]) -> String {
            let steps = conditions.map { condition in
                let text = condition.replacing("\"", with: "\\\"")
                return #"{"insert":"x","to":"/levels/Branch","ifMatch":"\#(text)"}"#
            }
            return #"{"edits":[\#(steps.joined(separator: ","))]}"#
        }
        let many = (0..<200).map { tags[$0 % 2] }
        let refused = desk.send(.post, "/edits", body(many.dropLast(2) + [Self.stale, tags[0]]))
        #expect(refused.status == 412)
        #expect(refused.line.hasSuffix(#","edit":198}"#))
        #expect(desk.send(.post, "/edits", body(many)).status == 200)
        #expect(desk.get("/levels/Branch?fields=").text.contains(#""count":201"#))
    }

    @Test("A condition in the header of /edits is refused: no step has it", arguments: ["If-Match", "If-None-Match"])
    func headerOfSteps(_ field: String) throws {
        let desk = try EditDesk(Self.document)
        let steps = #"{"edits":[{"delete":"/detail/One"}]}"#
        let answer = desk.send(.post, "/edits", steps, [(field, desk.get("/document").entityTag)])
        #expect(answer.status == 400)
        #expect(
            answer.line == """
                {"type":"/problems/bad-request","title":"Bad request","status":400,"detail":"If-Match and If-None-Match \
                cannot refer to a single step; give the step the member 'ifMatch' instead.","instance":"/edits"}
                """)
        #expect(desk.get("/detail/One").status == 200)
    }
}

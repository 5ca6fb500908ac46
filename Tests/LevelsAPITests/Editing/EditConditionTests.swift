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

    @Test("If-Match holds with any tag of what the edit is about, in any format and coding, and with an asterisk")
    func holds() throws {
        for edit in Self.edits {
            for fields in [
                [], [("Accept", "application/x-plist")], [("Accept", "application/json")],
                [("Accept", "application/x-bplist")],
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
            for value in [Self.stale, "W/\(tag)", "unquoted", "", "\"half", "\(tag.dropLast())-x\""] {
                let answer = desk.send(edit.method, edit.target, edit.body, [("If-Match", value)])
                #expect(answer.status == 412)
                let quoted = tag.replacing("\"", with: "\\\"")
                #expect(
                    answer.line == """
                        {"type":"/problems/precondition-failed","title":"Precondition failed","status":412,\
                        "detail":"If-Match does not contain the current entity tag of what it is about, \(quoted).",\
                        "instance":"\(edit.target)","current":"\(quoted)"}
                        """)
            }
            #expect(desk.get("/").text.contains(#""revision":"k3-1""#))
        }
    }

    @Test("What does not exist has no tag", arguments: [HTTPServer.Method.put, .patch, .delete])
    func missing(_ method: HTTPServer.Method) throws {
        let desk = try EditDesk(Self.document)
        let answer = desk.send(method, "/detail/x", "{}", [("If-Match", "*")])
        #expect(answer.status == 412)
        #expect(
            answer.line == """
                {"type":"/problems/precondition-failed","title":"Precondition failed","status":412,\
                "detail":"If-Match is about something that does not exist.","instance":"/detail/x"}
                """)
    }

    @Test("A condition that fails comes before what is wrong with a later step, and with the item of its own")
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

    @Test("If-None-Match: * makes an item only if there is none, and names the current tag if there is")
    func onlyIfNew() throws {
        let desk = try EditDesk(Self.document)
        let any = [(name: "If-None-Match", value: "*")]
        #expect(desk.send(.put, "/detail/new", #"{"Title":"new"}"#, any).status == 201)
        let tag = desk.get("/detail/new").entityTag
        let answer = desk.send(.put, "/detail/new", #"{"Title":"new"}"#, any)
        #expect(answer.status == 412)
        #expect(answer.line.hasSuffix(#""current":"\#(tag.replacing("\"", with: "\\\""))"}"#))
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
                cannot tell which step they are about; give the step the member 'ifMatch' instead.","instance":"/edits"}
                """)
        #expect(desk.get("/detail/One").status == 200)
    }
}

import HTTPServer
import LevelsAPI
import Testing

@testable import TestDocuments

/// Edits of items whose natural key a sibling has, too.
@Suite struct SharedKeyTests {
    private static let document =
        #"[{"Title":"Draft","N":1},{"Title":"Draft","N":2},"Other",{"Title":"x","Key":"One"},"One",{"Title":"Branch","Rows":["Draft"]}]"#
    private static let shared = ["Draft", "Draft~2", "One", "One~2"]

    private static func edits(of path: String) -> [(method: HTTPServer.Method, target: String, body: String?)] {
        [
            (.delete, "/detail/\(path)", nil), (.patch, "/detail/\(path)", #"{"Extra":1}"#),
            (.put, "/detail/\(path)", #"{"Title":"new"}"#),
            (.post, "/moves", #"{"from":"/detail/\#(path)","to":"/levels/Branch"}"#),
        ]
    }

    private static func member(_ name: String, of text: String) throws -> String {
        let start = try #require(text.firstRange(of: "\"\(name)\":\"")).upperBound
        return String(text[start...].replacing("\\\"", with: "'").prefix { $0 != "\"" }).replacing("'", with: "\"")
    }

    @Test("need a condition that names the item's tag: 428 names both tags, and nothing is done", arguments: shared)
    func needed(_ path: String) throws {
        for edit in Self.edits(of: path) {
            let desk = try EditDesk(Self.document)
            let (detail, title) = (desk.get("/detail/\(path)"), path.replacing("One~2", with: "One").prefix(9))
            let (tag, version) = (detail.entityTag, try Self.member("fieldsVersion", of: detail.text))
            for fields in [[], [("If-Match", "*")], [("If-None-Match", "\"x\"")]] as [[(String, String)]] {
                let answer = desk.send(edit.method, edit.target, edit.body, fields)
                #expect(answer.status == 428)
                #expect(
                    answer.line.hasSuffix(
                        #""instance":"\#(edit.target)","current":"\#(tag.replacing("\"", with: "\\\""))","currentFields":"\#(version)"}"#
                    ), "\(title) \(answer.line)")
            }
            #expect(desk.get("/").text.contains(#""revision":"k3-1""#))
            let stale = desk.send(edit.method, edit.target, edit.body, [("If-Match", "\"AAAAAAAAAAAAAAAAAAAAAA\"")])
            #expect(stale.status == 412)
            for condition in [tag, "\"\(version)\""] {
                let desk = try EditDesk(Self.document)
                let answer = desk.send(edit.method, edit.target, edit.body, [("If-Match", condition)])
                #expect((200...204).contains(answer.status), "\(edit.target) \(answer.text)")
            }
        }
    }

    @Test("get a problem that says why, and what to send")
    func sentence() throws {
        let desk = try EditDesk(Self.document)
        let text = desk.send(.delete, "/detail/Draft").text
        #expect(
            text.hasPrefix(
                #"{"type":"/problems/precondition-required","title":"Precondition required","status":428,"detail":"/Draft has the same Key or title as another item of its level, and may now have its path. Name the item by its tag: send 'current' or 'currentFields' in the header field If-Match.","#
            ), "\(text)")
        let step = desk.send(.post, "/edits", #"{"edits":[{"delete":"/detail/Draft"}]}"#)
        #expect(step.text.contains("send 'current' or 'currentFields' in the member 'ifMatch' of the step."))
    }

    @Test("are done once if the request is repeated")
    func repeated() throws {
        let desk = try EditDesk(Self.document)
        let version = try Self.member("currentFields", of: desk.send(.delete, "/detail/Draft").text)
        let condition = [(name: "If-Match", value: "\"\(version)\"")]
        #expect(desk.send(.delete, "/detail/Draft", nil, condition).status == 204)
        #expect(desk.send(.delete, "/detail/Draft", nil, condition).status == 412)
        #expect(desk.get("/detail/Draft").text.contains(#""N":2"#))
        // No sibling has the key any more.
        #expect(desk.send(.delete, "/detail/Draft").status == 204)
        #expect(desk.send(.delete, "/detail/Draft").status == 404)
    }

    @Test("need it in each step of a batch, in the order of the steps")
    func steps() throws {
        let desk = try EditDesk(Self.document)
        func send(_ steps: String...) -> Answer {
            desk.send(.post, "/edits", #"{"edits":[\#(steps.joined(separator: ","))]}"#)
        }
        let (insert, patch) = (#"{"insert":"new","to":"/levels/"}"#, #"{"patch":{"Extra":1},"of":"/detail/Draft~2"}"#)
        let refused = send(insert, patch)
        #expect(refused.status == 428)
        #expect(refused.line.hasSuffix(#","edit":1}"#))
        let current = try Self.member("currentFields", of: refused.text)
        #expect(send(#"{"delete":"/detail/nowhere"}"#, patch).status == 404)
        #expect(send(patch, #"{"delete":"/detail/nowhere"}"#).status == 428)
        let condition = #","ifMatch":"\#(current)"}"#
        #expect(send(patch.dropLast() + condition, patch).line.hasSuffix(#","edit":1}"#))
        // An item that shares its key only after an earlier step can be meant by no other request.
        #expect(send(insert, insert, #"{"delete":"/detail/new~2"}"#, patch.dropLast() + condition).status == 200)
    }

    @Test("need it where an earlier step has moved them, too")
    func movedBefore() throws {
        let document =
            #"[{"Title":"Box","Rows":[{"Title":"Dup","N":1},{"Title":"Dup","N":2},"One"]},{"Title":"New","Rows":[]}]"#
        let desk = try EditDesk(document)
        func send(_ path: String, _ member: String = "") -> Answer {
            let move = #"{"move":"/detail/Box","to":"/levels/New"}"#
            return desk.send(.post, "/edits", #"{"edits":[\#(move),{"delete":"/detail/New/Box/\#(path)"\#(member)}]}"#)
        }
        let refused = send("Dup~2")
        #expect(refused.status == 428)
        #expect(
            refused.line.contains(
                #""detail":"/Box/Dup has the same Key or title as another item of its level, and may now have its path. "#
            ),
            "\(refused.line)")
        #expect(refused.line.hasSuffix(#","edit":1}"#))
        #expect(try Self.member("current", of: refused.text) == desk.get("/detail/Box/Dup~2").entityTag)
        #expect(send("One").status == 200)
    }

    @Test("are not changed by a step that names the tag of another item")
    func laterSteps() throws {
        let document = #"["First",{"Title":"Dup","N":1},{"Title":"Dup","N":2},{"Title":"Dup","N":3}]"#
        let keys = ["Dup", "Dup~2", "Dup~3"]
        func send(_ numbers: [Int], last: String = "") throws -> (Answer, left: String) {
            let desk = try EditDesk(document)
            let steps = try numbers.map { number in
                let version = try Self.member("fieldsVersion", of: desk.get("/detail/\(keys[number])").text)
                return #"{"delete":"/detail/\#(keys[number])","ifMatch":"\#(version)"}"#
            }
            let answer = desk.send(
                .post, "/edits", #"{"edits":[\#((steps + [last]).filter { $0 != "" }.joined(separator: ","))]}"#)
            return (answer, desk.get("/levels/?fields=N").text)
        }
        let (refused, all) = try send([0, 1])
        #expect(refused.status == 412)
        #expect(
            refused.line.contains(
                #""detail":"After the steps before it, 'Dup~2' is another item than the one with this tag; change or remove the last of the items with the same Key or title first.""#
            ), "\(refused.line)")
        #expect(refused.line.hasSuffix(#","edit":1}"#))
        #expect(all.contains(#""count":4"#))
        let (done, left) = try send([1, 0])
        #expect(done.status == 200)
        #expect(left.contains(#""fields":{"N":3}"#) && !left.contains(#"{"N":1}"#) && !left.contains(#"{"N":2}"#))
        // The first item is followed while rows before it come and go.
        let (again, none) = try send([2, 1, 0], last: #"{"insert":"new","to":"/levels/","at":"first"}"#)
        #expect(again.status == 200)
        #expect(!none.contains("Dup"))
    }

    @Test(
        "are not changed by a step that names the tag of an item whose path has passed on",
        arguments: [
            #"{"insert":{"Title":"A"},"to":"/levels/","at":"first"}"#,
            #"{"patch":{"Title":"C"},"of":"/detail/A"},{"patch":{"Title":"A"},"of":"/detail/B"}"#,
        ])
    func passedOn(_ steps: String) throws {
        let desk = try EditDesk(#"["A","B"]"#)
        let version = try Self.member("fieldsVersion", of: desk.get("/detail/A").text)
        let answer = desk.send(
            .post, "/edits", #"{"edits":[\#(steps),{"delete":"/detail/A","ifMatch":"\#(version)"}]}"#)
        #expect(answer.status == 412, "\(answer.text)")
    }

    @Test("are the only ones that need a condition")
    func alone() throws {
        let desk = try EditDesk(Self.document)
        for path in ["Other", "Branch", "Branch/Draft"] {
            #expect(desk.send(.patch, "/detail/\(path)", #"{"Extra":1}"#).status == 200)
        }
        #expect(desk.send(.post, "/levels/Draft~2", #""below""#).status == 201)
        #expect(desk.send(.post, "/levels/", #""Draft""#).status == 201)
        #expect(desk.send(.put, "/detail/fresh", #"{"Title":"fresh"}"#).status == 201)
        #expect(desk.send(.delete, "/detail/Other").status == 204)
    }
}

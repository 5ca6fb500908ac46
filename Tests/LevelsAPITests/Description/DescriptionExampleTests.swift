import Foundation
import HTTPServer
import Testing

@testable import LevelsAPI

/// The examples of the description, asked of `Data/Data.plist`.
@Suite("The description's examples") struct DescriptionExampleTests {
    /// An answer without what differs from start to start: revisions.
    private static func compared(_ text: String) -> String {
        text.replacing(/"(revision|since)":"[a-z0-9]+-\d+"/) { #""\#($0.output.1)":"R""# }
            .replacing(/"\\?\/changes\?since=[a-z0-9]+-\d+/, with: "\"/changes?since=R")
            .replacing(#""editable":true"#, with: #""editable":false"#)
    }

    @Test("of paths lead to items, and of answers equal the answers")
    func answers() throws {
        let service = try DescribedService()
        var compared = 0
        for operation in service.operations where operation.method == "GET" && !operation.path.contains("assets") {
            let answer = service.desk.get(operation.target)
            #expect(answer.status == 200, "\(operation.target)")
            let content = service.content(service.responses(of: operation)["200"])
            let examples = content?["examples"] as? [String: [String: Any]]
            guard let example = content?["example"] ?? examples?["level"]?["value"] else { continue }
            let given = try JSONSerialization.jsonObject(with: Data(answer.body))
            #expect(
                Self.compared(try sortedJSON(example)) == Self.compared(try sortedJSON(given)), "\(operation.target)")
            compared += 1
        }
        #expect(compared == 8)
    }

    @Test("of changes and of problems equal the answers after an edit, for a missing item, and for another version")
    func changesAndProblems() throws {
        let service = try DescribedService()
        let level = try #require(service.operations.first { $0.path == "/levels/{key1}" && $0.method == "GET" })
        let content = service.content(service.responses(of: level)["200"])
        let examples = try #require(content?["examples"] as? [String: [String: Any]])
        let changes = try #require(examples["changes"]?["value"] as? [String: Any])
        let since = try #require(changes["since"] as? String)
        let desk = try EditDesk(DescribedService.document(), hasWebClient: true)
        #expect(desk.send(.post, level.target, #"{"Title":"Screen K"}"#).status == 201)
        let given = try JSONSerialization.jsonObject(with: Data(desk.get("\(level.target)?since=\(since)").body))
        #expect(try sortedJSON(changes) == sortedJSON(given))
        var compared: Set<String> = []
        for operation in service.operations {
            for (status, response) in service.responses(of: operation) {
                guard let example = service.content(response, "application/problem+json")?["example"] as? [String: Any]
                else { continue }
                let target = try #require(example["instance"] as? String)
                let answer =
                    status == "404"
                    ? service.desk.get(target)
                    : try EditDesk(DescribedService.document()).send(.patch, target, "{}", [("If-Match", "\"old\"")])
                let given = try JSONSerialization.jsonObject(with: Data(answer.body))
                #expect(try sortedJSON(example) == sortedJSON(given) && status == "\(answer.status)")
                compared.insert(status)
            }
        }
        #expect(compared == ["404", "412"])
    }

    @Test("of query options each give an answer on every path that takes them")
    func options() throws {
        let service = try DescribedService()
        var count = 0
        for operation in service.operations where operation.method == "GET" {
            for parameter in operation.parameters(in: "query") {
                let name = parameter["name"] as? String ?? ""
                // Nothing changes here, so the changes would be waited for.
                guard let example = parameter["example"],
                    operation.path != "/changes" || !["wait", "turn"].contains(name)
                else { continue }
                let value = try sortedJSON((example as? [Any])?.first ?? example).filter { $0 != "\"" }
                let encoded = value.replacing("%", with: "%25")
                // These belong to others.
                let beside = ["in": "&q=screen", "pretty": "&format=json", "turn": "&since=x&wait=1"][name].map {
                    beside in
                    operation.parameters(in: "query").contains { beside.hasPrefix("&\($0["name"] as? String ?? "")=") }
                        ? beside : ""
                }
                let target = "\(operation.target)?\(name)=\(encoded)\(beside ?? "")"
                #expect(service.desk.get(target).status == 200, "\(target)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test("of bodies are edits that are done")
    func edits() throws {
        var compared = 0
        let service = try DescribedService()
        for operation in service.operations {
            let body = operation.node["requestBody"] as? [String: Any]
            for type in ["application/json", "application/merge-patch+json"] {
                guard let example = service.content(body, type)?["example"] else { continue }
                let method = try #require(["POST": Method.post, "PUT": .put, "PATCH": .patch][operation.method])
                let desk = try EditDesk(DescribedService.document(), hasWebClient: true)
                let answer = desk.send(method, operation.target, try sortedJSON(example), type: type)
                #expect(answer.status == (operation.path.hasPrefix("/levels") ? 201 : 200), "\(operation.target)")
                let content = service.content(service.responses(of: operation)["\(answer.status)"])
                guard let expected = content?["example"] else { continue }
                let given = try JSONSerialization.jsonObject(with: Data(answer.body))
                #expect(
                    try Self.compared(sortedJSON(expected)) == Self.compared(sortedJSON(given)), "\(operation.target)")
                compared += 1
            }
        }
        // The two types of PATCH have the same example.
        #expect(compared == 7)
    }

    @Test("of the path's keys lead to a leaf")
    func leaf() throws {
        let service = try DescribedService()
        let path = try #require(service.operations.first { $0.path.hasPrefix("/detail/{") && $0.path.contains("key5") })
        #expect(path.target == "/detail/Item%204/Screen%20G/Screen%20H/Screen%20I/Screen%20J")
        #expect(service.desk.get(path.target).text.contains(#""leaf":true"#))
    }
}

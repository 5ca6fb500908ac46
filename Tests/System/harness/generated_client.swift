// Uses the client for Swift that openapi-generator makes (generated_clients.py), and prints the answers. It is compiled in
// one module with the client.

import Foundation

/// The problem of a refused request.
func problem(_ body: () async throws -> some Any) async throws -> Problem? {
    do {
        _ = try await body()
        return nil
    } catch ErrorResponse.error(_, let data?, _, _) {
        return try JSONDecoder().decode(Problem.self, from: data)
    }
}

let configuration = DrilldownAPIConfiguration.shared
configuration.basePath = CommandLine.arguments[1]
configuration.customHeaders["Authorization"] = "Bearer \(CommandLine.arguments[2])"
let name = CommandLine.arguments[3]

let page = try await LevelsAPI.getLevel(limit: 1)
let level = try await LevelsAPI.getLevel1(key1: "Item 4", fields: "*")
guard let row = level.rows?.first else { fatalError("the level has no rows") }
let detail = try await DetailAPI.getDetail2(key1: "Item 4", key2: row.key)

let tag = "\"\(detail.fieldsVersion)\""
let changed = try await DetailAPI.patchItem2(
    key1: "Item 4", key2: row.key, requestBody: ["Subtitle": .string(name)], ifMatch: tag)
let late = try await problem {
    try await DetailAPI.patchItem2(key1: "Item 4", key2: row.key, requestBody: ["Subtitle": "late"], ifMatch: tag)
}
let delta = try await LevelsAPI.getLevel1(key1: "Item 4", fields: "*", since: level.version)

let leaf = try await LevelsAPI.addItem1(key1: "Item 4", item: .typeString("Leaf"), at: "first")
var fields = ItemFields(title: .typeString("New"))
fields.additionalProperties["Price"] = .int(2)
let added = try await LevelsAPI.addItem1(key1: "Item 4", item: .typeItemFields(fields))
fields.additionalProperties["Price"] = .int(3)
let put = try await DetailAPI.putItem2(key1: "Item 4", key2: "New", item: .typeItemFields(fields))
let moved = try await MovesAPI.moveItem(move: Move(from: leaf.href, to: "/levels/", at: .typeInt(0)))
try await DetailAPI.deleteItem1(key1: "Leaf")
let edits = try await EditsAPI.doEdits(
    editSteps: EditSteps(edits: [
        .typeDeleteStep(DeleteStep(delete: added.href)),
        .typePatchStep(PatchStep(patch: ["Subtitle": .null], of: detail.href)),
    ]))

let missing = try await problem { try await DetailAPI.getDetail1(key1: "Nothing") }
guard case .typeProblemKind(let kind) = try await ProblemsAPI.getProblemsOfKind(kind: .noSuchItem),
    case .typeProblemKinds(let all) = try await ProblemsAPI.getProblems()
else { fatalError("the kinds of problems are of another type") }

func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

var given: [String: [JSONValue]] = [:]
given["page"] = [.array((page.rows ?? []).map { .string($0.key) }), text(page.next)]
given["level"] = [.string(row.key), .bool(row.fieldsVersion == detail.fieldsVersion), text(level.since)]
given["detail"] = [.string(detail.title), detail.fields["Title"] ?? .null, .int(detail.position.of)]
let isCurrent = late?.currentFields == changed.fieldsVersion
given["edit"] = [changed.fields["Subtitle"] ?? .null, .int(late?.status ?? 0), .bool(isCurrent)]
let updated = (delta.updated ?? []).map { $0.row.fields["Subtitle"] ?? .null }
let removed = (delta.removed ?? []).map(JSONValue.string)
given["delta"] = [text(delta.rows.map { "\($0.count) rows" }), .array(updated), .array(removed)]
let links = edits.edits.map { JSONValue.string($0?.href ?? "") }
let prices = [added, put].map { $0.fields["Price"] ?? JSONValue.null }
given["edits"] = prices + [.string(moved.href)] + links
given["missing"] = [text(missing?.type), .int(missing?.status ?? 0), text(missing?.nearest)]
given["kinds"] = [.int(kind.status), .bool(all.problems.count > 1)]
print(String(decoding: try JSONEncoder().encode(given), as: UTF8.self))

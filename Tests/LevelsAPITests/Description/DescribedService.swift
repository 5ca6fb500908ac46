import Foundation
import HTTPServer
import Levels
import Testing

@testable import LevelsAPI
@testable import TestDocuments

/// The description as a client reads it, and the desk that it is about: one that serves `Data/Data.plist`.
struct DescribedService {
    let desk: EditDesk
    let root: [String: Any]

    init() throws {
        desk = try EditDesk(Self.document(), hasWebClient: true)
        let body = Data(desk.get("/openapi.json").body)
        root = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    /// The text of `Data/Data.plist`.
    static func document() throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: "Data/Data.plist"), encoding: .utf8)
    }

    /// One operation of the description, with the parameters of its path.
    struct Operation {
        let path: String
        let method: String
        let node: [String: Any]
        let parameters: [[String: Any]]

        func parameters(in place: String) -> [[String: Any]] { parameters.filter { $0["in"] as? String == place } }

        /// The target that the examples of the path's parameters give.
        var target: String {
            parameters(in: "path").reduce(path) { target, parameter in
                let name = parameter["name"] as? String ?? ""
                let value = (parameter["example"] as? String ?? "").replacing(" ", with: "%20")
                return target.replacing("{\(name)}", with: value)
            }
        }
    }

    var operations: [Operation] {
        let paths = root["paths"] as? [String: [String: Any]] ?? [:]
        return paths.sorted { $0.key < $1.key }.flatMap { path, item in
            let shared = nodes(item["parameters"])
            return item.filter { $0.key != "parameters" }.sorted { $0.key < $1.key }.map { method, node in
                let node = node as? [String: Any] ?? [:]
                return Operation(
                    path: path, method: method.uppercased(), node: node, parameters: shared + nodes(node["parameters"]))
            }
        }
    }

    func responses(of operation: Operation) -> [String: [String: Any]] {
        (operation.node["responses"] as? [String: [String: Any]] ?? [:]).mapValues(resolved)
    }

    /// The content of a response or of a body in a media type.
    func content(_ node: [String: Any]?, _ type: String = "application/json") -> [String: Any]? {
        (node?["content"] as? [String: [String: Any]])?[type]
    }

    private func nodes(_ list: Any?) -> [[String: Any]] { (list as? [[String: Any]] ?? []).map(resolved) }

    /// The node itself, or the one that it refers to.
    private func resolved(_ node: [String: Any]) -> [String: Any] {
        guard let reference = node["$ref"] as? String else { return node }
        return self.node(at: reference) ?? [:]
    }

    /// The node at a reference; nil if it leads nowhere.
    func node(at reference: String) -> [String: Any]? {
        var node: Any? = root
        for step in reference.split(separator: "/").dropFirst() { node = (node as? [String: Any])?[String(step)] }
        return node as? [String: Any]
    }

    /// All references in the description.
    var references: Set<String> { Self.references(in: root) }

    private static func references(in node: Any) -> Set<String> {
        if let list = node as? [Any] { return list.reduce(into: []) { $0.formUnion(references(in: $1)) } }
        guard let object = node as? [String: Any] else { return [] }
        var found: Set<String> = []
        for (name, value) in object {
            if name == "$ref", let reference = value as? String {
                found.insert(reference)
            } else {
                found.formUnion(references(in: value))
            }
        }
        return found
    }
}

/// A JSON value as text with sorted members, to compare it.
func sortedJSON(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
}

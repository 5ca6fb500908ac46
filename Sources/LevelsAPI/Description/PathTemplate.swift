/// A path of an endpoint as OpenAPI describes it.
struct PathTemplate {
    let path: String
    /// The names, meanings and examples of its parameters.
    var parameters: [Parameter] = []
    /// What tells the operations at this path from those at the endpoint's other paths.
    var suffix = ""
    /// The number of keys of an item in it.
    var keys = 0

    /// One segment of a path.
    struct Parameter {
        let name: String
        let summary: String
        let example: String
        /// The values that it can have; nil for any text.
        var values: [String]?

        /// A reference to the components.
        var reference: JSONNode { ["$ref": .string("#/components/parameters/\(name)")] }

        var node: JSONNode {
            let schema: JSONNode = ["type": "string", "minLength": 1]
            return [
                "name": .string(name), "in": "path", "required": true, "description": .string(summary),
                "schema": schema.adding("enum", values.map(JSONNode.strings)), "example": .string(example),
            ]
        }
    }

    /// How many keys of an item's path are described.
    ///
    /// A parameter in a path of OpenAPI is one segment, and a generated client percent-encodes a slash in it, so each
    /// depth needs a path of its own. Five keys lead to every item of `Data/Data.plist`.
    static let mostKeys = 5

    /// The keys that lead to the deepest item of `Data/Data.plist`.
    static let exampleKeys = ["Item 4", "Screen G", "Screen H", "Screen I", "Screen J"]

    /// All paths of an endpoint.
    static func all(of endpoint: Endpoint) -> [PathTemplate] {
        let name = String(describing: endpoint.name)
        guard endpoint.path != .nothing else { return [PathTemplate(path: name)] }
        switch name {
        case "/assets":
            let file = Parameter(
                name: "file", summary: "The name of a file. One in a folder below has more segments.",
                example: "harbour.svg")
            return [PathTemplate(path: "/assets/{file}", parameters: [file])]
        case "/problems":
            let kind = Parameter(
                name: "kind", summary: "The kind of problem.", example: "no-such-item",
                values: ProblemKind.allCases.map(\.name))
            return [
                PathTemplate(path: "/problems/"),
                PathTemplate(path: "/problems/{kind}", parameters: [kind], suffix: "OfKind", keys: 1),
            ]
        // Only the web client's page names its files.
        case "/client": return []
        default: return (0...mostKeys).map { item(name, keys: $0) }
        }
    }

    private static func item(_ name: String, keys: Int) -> PathTemplate {
        guard keys > 0 else { return PathTemplate(path: name == "/document" ? name : name + "/") }
        let parameters = (1...keys).map { number in
            Parameter(
                name: "key\(number)", summary: "The key of the item at depth \(number).",
                example: exampleKeys[number - 1])
        }
        let path = parameters.map { "/{\($0.name)}" }.joined()
        return PathTemplate(path: name + path, parameters: parameters, suffix: "\(keys)", keys: keys)
    }
}

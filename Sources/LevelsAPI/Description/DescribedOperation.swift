import HTTPServer

/// The description of one operation at one path, from the tables of the code that runs it.
struct DescribedOperation {
    let endpoint: Endpoint
    let operation: Endpoint.Operation
    let path: PathTemplate
    /// Whether a request that only reads needs a token.
    let readsNeedToken: Bool
    /// The key of each query option in the components.
    let optionKeys: [ObjectIdentifier: String]

    /// Nil if the table of descriptions lacks it.
    let description: OperationDescription?

    /// The operation object of OpenAPI.
    var node: JSONNode {
        let id = (description?.id ?? operation.method.name.lowercased()) + path.suffix
        var node: JSONNode = [
            "operationId": .string(id), "tags": [.string(tag)], "summary": .string(operation.summary),
        ]
        if let text = description?.text, !text.isEmpty { node = node.adding("description", .string(text)) }
        let parameters =
            operation.options.all.map { Self.reference("parameters", optionKeys[ObjectIdentifier($0)] ?? $0.name) }
            + (description?.fields ?? []).map { Self.reference("parameters", $0.rawValue) }
        if !parameters.isEmpty { node = node.adding("parameters", .list(parameters)) }
        return node.adding("requestBody", requestBody)
            .adding("responses", responses)
            .adding("security", security)
    }

    /// The first segment of the path.
    private var tag: String {
        let name = String(describing: endpoint.name).dropFirst().prefix { $0 != "." }
        return name.isEmpty ? "index" : String(name)
    }

    private static func reference(_ kind: String, _ key: String) -> JSONNode {
        ["$ref": .string("#/components/\(kind)/\(key)")]
    }

    private var requestBody: JSONNode? {
        guard let types = operation.content?.types, !types.isEmpty else { return nil }
        let contents = types.map { type -> JSONNode.Member in
            guard type.hasSuffix("json") else {
                return (type, ["schema": Schema.text("A property list of the same structure, in XML or binary.")])
            }
            let content: JSONNode = ["schema": description?.body ?? [:]]
            guard let example = description?.bodyExample, example.keys == path.keys else { return (type, content) }
            return (type, content.adding("example", .json(example.json)))
        }
        return ["required": true, "content": JSONNode(contents)]
    }

    private var responses: JSONNode {
        let answers = (description?.answers ?? []).map { (String($0.status), $0.node(keys: path.keys)) }
        let refused = ProblemResponse.all(of: problems).map { status, response in
            (String(status), Self.reference("responses", response.key))
        }
        return JSONNode(answers + refused)
    }

    /// All kinds of problems that the operation can give.
    var problems: Set<ProblemKind> {
        var requests: Set<ProblemKind.Requests> = [.all]
        if let content = operation.content {
            requests.insert(.edits)
            if content != .none { requests.insert(.bodies) }
            if content == .document { requests.insert(.documents) }
            if operation.changesDocument { requests.insert(.saves) }
        } else if isReadWithToken {
            requests.insert(.reads)
        }
        let kinds = ProblemKind.allCases.filter { !$0.row.requests.isDisjoint(with: requests) }
        return Set(kinds + (description?.problems ?? []))
    }

    private var security: JSONNode? {
        if operation.content != nil { return [["editToken": []]] }
        return isReadWithToken ? [["readToken": []], ["editToken": []]] : nil
    }

    /// Whether it only reads, and needs a token for that.
    private var isReadWithToken: Bool { operation.content == nil && readsNeedToken && !endpoint.isOpen }
}

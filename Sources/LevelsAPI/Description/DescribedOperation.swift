import HTTPServer
import PropertyLists

/// The description of one operation at one path, from the tables of the code and from `openapi.json`.
struct DescribedOperation {
    let endpoint: Endpoint
    let operation: Endpoint.Operation
    let path: PathTemplate
    /// The operation in `openapi.json`.
    let document: PropertyListValue
    /// Whether a request that only reads needs a token.
    let readsNeedToken: Bool

    private var fields: [String] { document.texts("fields") }
    /// Whether the examples in `openapi.json` are for this path.
    private var hasExample: Bool { (document["keys"] ?? 0) == .integer(PropertyListInteger(Int64(path.keys))) }
    private var isReadWithToken: Bool { operation.content == nil && readsNeedToken && !endpoint.isOpen }

    /// The operation object of OpenAPI.
    var value: PropertyListValue {
        let tag = String(describing: endpoint.name).dropFirst().prefix { $0 != "." }
        let parameters = operation.options.all.map(\.parameter) + fields.map { .reference("parameters", name: $0) }
        var value: PropertyListValue = [
            "operationId": .string(operation.name.rawValue + path.suffix),
            "tags": [.string(tag.isEmpty ? "index" : String(tag))], "summary": .string(operation.summary),
        ]
        value["description"] = document["description"]
        value["externalDocs"] = document["externalDocs"]
        if !parameters.isEmpty { value["parameters"] = .array(parameters) }
        value["requestBody"] = requestBody
        value["responses"] = responses
        if operation.content != nil {
            value["security"] = [["editToken": []]]
        } else if isReadWithToken {
            value["security"] = [["readToken": []], ["editToken": []]]
        }
        return value
    }

    /// The request body, with a schema for JSON only. Generated clients cannot choose between JSON and a property list,
    /// so only the text of the description mentions property lists.
    private var requestBody: PropertyListValue? {
        guard let types = operation.content?.types, !types.isEmpty else { return nil }
        let contents = types.filter { $0.hasSuffix("json") }.map { type -> (String, PropertyListValue) in
            var content: PropertyListValue = ["schema": .reference("schemas", name: document.text("body"))]
            if hasExample { content["example"] = document["bodyExample"] }
            return (type, content)
        }
        var body: PropertyListValue = ["required": true, "content": .object(contents)]
        if contents.count < types.count {
            body["description"] = "A property list of the same shape is read too, as `application/x-plist`."
        }
        return body
    }

    // MARK: Answers

    private var responses: PropertyListValue {
        var responses: PropertyListValue = [:]
        for (status, answer) in document.members where Int(status) != nil {
            responses[status] = response(answer)
            if operation.method == .get, status == "200",
                answer.texts("headers").contains(where: { $0.hasPrefix("ETag") })
            {
                let summary: PropertyListValue = "The client has the current representation."
                let names = answer.texts("headers").filter { Response.isOfNotModified($0.replacing("?", with: "")) }
                responses["304"] = response(["description": summary, "headers": .strings(names)])
            }
        }
        for kinds in problems {
            responses["\(kinds[0].status)"] = .reference("responses", name: Self.key(kinds))
        }
        return responses
    }

    private func response(_ answer: PropertyListValue) -> PropertyListValue {
        var response: PropertyListValue = [
            "description": answer["description"] ?? "",
            "headers": Self.headers(answer.texts("headers"), besideContent: answer["content"] != nil),
        ]
        guard let content = answer["content"] else { return response }
        response["content"] = .object(
            content.members.map { type, schema in
                var content: PropertyListValue = ["schema": schema]
                if hasExample, type == "application/json" {
                    (content["example"], content["examples"]) = (answer["example"], answer["examples"])
                }
                return (type, content)
            })
        return response
    }

    /// The header fields of an answer, including the fields that every answer has. A `?` after a name marks an optional
    /// field.
    private static func headers(_ names: [String], besideContent: Bool = true) -> PropertyListValue {
        let common = ["Drilldown-Request", "Cache-Control"] + (besideContent ? ["X-Content-Type-Options"] : [])
        return .object(
            (common + names).map { name in
                guard name.hasSuffix("?") else { return (name, .reference("headers", name: name + ".required")) }
                let field = String(name.dropLast())
                return (field, .reference("headers", name: field))
            })
    }

    // MARK: Problems

    /// The kinds of problems that the operation can give, grouped by status.
    var problems: [[ProblemKind]] {
        let named = document.texts("problems")
        let kinds = ProblemKind.all.filter { kind in
            !kind.requests.isDisjoint(with: requests) || named.contains(kind.name)
        }
        return Dictionary(grouping: kinds, by: \.status).sorted { $0.key < $1.key }.map(\.value)
    }

    private var requests: Set<ProblemKind.Requests> {
        let (isRead, content) = (operation.content == nil, operation.content)
        let sorts: [(ProblemKind.Requests, Bool)] = [
            (.all, true), (.items, endpoint.path == .item && !operation.isOfRootOnly),
            (.conditional, fields.contains("If-Match")), (.waiting, fields.contains("Prefer")),
            (.coded, isRead && fields.contains("Accept-Encoding")), (.reads, isReadWithToken), (.edits, !isRead),
            (.saves, operation.changesDocument), (.bodies, !isRead && content != EditContent.none),
            (.documents, content == .document),
        ]
        return Set(sorts.filter(\.1).map(\.0))
    }

    /// The key of the response that reports these kinds of problems. Operations with the same kinds refer to the same
    /// response.
    static func key(_ kinds: [ProblemKind]) -> String { kinds.map(\.name).joined(separator: ".") }

    /// - Parameter examples: an example for some kinds, by their names.
    static func response(
        _ kinds: [ProblemKind], under basePath: String, _ examples: PropertyListValue
    ) -> PropertyListValue {
        var content: PropertyListValue = ["schema": .reference("schemas", name: "Problem")]
        content["example"] = kinds.lazy.compactMap { examples[$0.name] }.first
        // The schema is a reference alone, from which generators of clients make one type for all problems. With
        // members beside the reference, they would make a type for each response.
        return [
            "description": .string(kinds.map(\.title).joined(separator: ", or ") + "."),
            "headers": headers(kinds.flatMap { $0.headers.map(\.name) + $0.sometimes }.map { $0 + "?" }),
            "content": ["application/problem+json": content],
            "x-problems": .strings(kinds.map { "\(basePath)/problems/\($0.name)" }),
        ]
    }
}

/// A path of an endpoint in OpenAPI.
struct PathTemplate {
    let path: String
    var parameters: [String] = []
    /// The end of an operation's name, which distinguishes the same operation at different paths of an endpoint.
    var suffix = ""
    /// The number of keys of an item in the path.
    var keys = 0

    /// The maximum number of an item's keys in a path of the description.
    ///
    /// A parameter in a path of OpenAPI is one segment: generated clients percent-encode a slash in a parameter. Each
    /// depth therefore needs a path of its own. Five keys lead to every item of `Data/Data.plist`.
    private static let mostKeys = 5

    static func all(of endpoint: Endpoint) -> [PathTemplate] {
        let name = String(describing: endpoint.name)
        switch name {
        case "/assets": return [PathTemplate(path: "/assets/{file}", parameters: ["file"])]
        case "/problems":
            return [
                PathTemplate(path: "/problems/"),
                PathTemplate(path: "/problems/{kind}", parameters: ["kind"], suffix: "OfKind", keys: 1),
            ]
        // Only the web client's page refers to the files of the web client, so the files are not described.
        case "/client": return []
        default: break
        }
        guard endpoint.path != .nothing else { return [PathTemplate(path: name)] }
        let root = PathTemplate(path: name == "/document" ? name : name + "/")
        return [root]
            + (1...mostKeys).map { count in
                let parameters = (1...count).map { "key\($0)" }
                let path = name + parameters.map { "/{\($0)}" }.joined()
                return PathTemplate(path: path, parameters: parameters, suffix: "\(count)", keys: count)
            }
    }
}

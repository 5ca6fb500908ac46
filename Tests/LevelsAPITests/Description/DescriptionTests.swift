import Bytes
import ContentCodings
import Foundation
import HTTPServer
import PropertyLists
import Testing

@testable import LevelsAPI

/// The description has the same names as the tables of the code: routes, methods, parameters, header fields, problems.
@Suite("The description") struct DescriptionTests {
    /// The files of the web client have paths that only its page knows.
    private static func isFileOfClient(_ endpoint: Endpoint) -> Bool { String(describing: endpoint.name) == "/client" }

    @Test("has a path for each endpoint, and an operation for each method")
    func routes() throws {
        let service = try DescribedService()
        let described = Set(service.operations.map { "\($0.method) \($0.path)" })
        for endpoint in Endpoint.all {
            let templates = PathTemplate.all(of: endpoint)
            #expect(templates.isEmpty == Self.isFileOfClient(endpoint), "\(endpoint.name)")
            for (template, operation) in templates.flatMap({ path in endpoint.operations.map { (path, $0) } }) {
                let isServed = template.keys == 0 || !operation.isOfRootOnly
                let line = "\(operation.method.name) \(template.path)"
                #expect(described.contains(line) == isServed, "\(line)")
            }
        }
        #expect(described.count == 62)
    }

    @Test("lists the answers of each operation, and no others")
    func operations() throws {
        let served = Endpoint.all.filter { !Self.isFileOfClient($0) }.flatMap { endpoint in
            endpoint.operations.map(\.name.rawValue)
        }
        let document = try PropertyListValue(json: ServiceDescription.document)
        let described = document["operations"]?.members ?? []
        #expect(described.map(\.name).sorted() == served.sorted())
        for kind in described.flatMap({ $0.value.texts("problems") }) {
            #expect(ProblemKind.named(kind) != nil, "\(kind)")
        }
    }

    @Test("gives each operation an identifier of its own")
    func identifiers() throws {
        let identifiers = try DescribedService().operations.compactMap { $0.node["operationId"] as? String }
        #expect(identifiers.count == 62)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test("lists the query options of each operation, in the order of their table")
    func options() throws {
        for operation in try DescribedService().operations {
            let endpoint = try #require(Endpoint.match(operation.target.utf8Span.span)?.endpoint)
            let served = try #require(endpoint.operations.first { $0.method.name == operation.method })
            let names = operation.parameters(in: "query").compactMap { $0["name"] as? String }
            #expect(names == served.options.names, "\(operation.method) \(operation.path)")
        }
    }

    @Test("gives the content of the query option's table", arguments: ["limit", "wait"])
    func ranges(_ name: String) throws {
        let option = try #require(QueryOptions.level[name])
        let level = try #require(
            try DescribedService().operations.first { $0.path == "/levels/" && $0.method == "GET" })
        let node = try #require(level.parameters(in: "query").first { $0["name"] as? String == name })
        let schema = try #require(node["schema"] as? [String: Any])
        #expect(schema["type"] as? String == "integer")
        #expect(schema["minimum"] as? Int == option.range?.lowerBound)
        #expect(schema["maximum"] as? Int == option.range?.upperBound)
        let summary = try #require(node["description"] as? String)
        #expect(summary.contains(option.summary))
        #expect(summary.contains("By default `1000`.") == (option.defaultValue == "1000"))
    }

    @Test("has an answer 304 wherever a GET is answered with an entity tag, with the fields of such an answer")
    func notModified() throws {
        let service = try DescribedService()
        var tagged = 0
        for operation in service.operations {
            let responses = service.responses(of: operation)
            let fields = responses["200"]?["headers"] as? [String: Any] ?? [:]
            let isTagged = operation.method == "GET" && fields["ETag"] != nil
            #expect((responses["304"] != nil) == isTagged, "\(operation.method) \(operation.path)")
            guard isTagged else { continue }
            tagged += 1
            let names = Set((responses["304"]?["headers"] as? [String: Any] ?? [:]).keys)
            #expect(names.contains("ETag") && names.isSubset(of: fields.keys), "\(operation.path)")
            #expect(responses["304"]?["description"] as? String == "The client has the current representation.")
        }
        #expect(tagged > 5)
    }

    @Test("makes the type of an option from its grammar")
    func types() throws {
        let service = try DescribedService()
        let operations = service.operations.filter {
            $0.method == "GET" && ["/levels/", "/document"].contains($0.path)
        }
        let schemas = try ["pretty", "format", "start", "where", "sort"].map { name in
            let options = operations.flatMap { $0.parameters(in: "query") }.filter { $0["name"] as? String == name }
            return try options.map { try sortedJSON(try #require($0["schema"])) }
        }
        #expect(
            schemas == [
                [#"{"type":"boolean"}"#, #"{"type":"boolean"}"#],
                [
                    #"{"enum":["plist","xml","json","binary"],"type":"string"}"#,
                    #"{"enum":["json","plist","csv"],"type":"string"}"#,
                ],
                [#"{"minimum":0,"type":"integer"}"#],
                [
                    #"{"items":{"pattern":"^(!(\\\\[!:<=>~]|[^!:<=>~])+|(\\\\[!:<=>~]|[^!:<=>~])+([!:<=>~][\\s\\S]*)?)$","type":"string"},"type":"array"}"#
                ], [#"{"type":"string"}"#],
            ])
    }

    @Test("names every kind of problem that can be given, with its status, and no other")
    func problems() throws {
        let service = try DescribedService()
        var named: Set<ProblemKind> = []
        for operation in service.operations {
            for (status, response) in service.responses(of: operation) where status >= "400" {
                let schema = service.content(response, "application/problem+json")?["schema"] as? [String: String]
                #expect(schema == ["$ref": "#/components/schemas/Problem"])
                let kinds = (response["x-problems"] as? [String] ?? []).compactMap { type in
                    ProblemKind.named(String(type.dropFirst("/problems/".count)))
                }
                #expect(!kinds.isEmpty, "\(operation.method) \(operation.path) \(status)")
                #expect(kinds.allSatisfy { String($0.status) == status })
                named.formUnion(kinds)
            }
        }
        let expected = ProblemKind.all.filter { $0.requests != [.none] }
        #expect(named == Set(expected.filter { $0.requests != [.otherMethods] }))
        let text = try #require(service.node(at: "#/components/schemas/Problem")?["description"] as? String)
        for kind in ProblemKind.all {
            #expect(text.contains("/problems/\(kind.name)`") == expected.contains(kind), "\(kind.name)")
        }
    }

    @Test("names the members of every kind of problem, and no other")
    func members() throws {
        let schema = try #require(try DescribedService().node(at: "#/components/schemas/Problem"))
        let properties = try #require(schema["properties"] as? [String: Any])
        let required = try #require(schema["required"] as? [String])
        let members = Set(ProblemKind.all.flatMap(\.members))
        #expect(members.union(required) == Set(properties.keys))
    }

    @Test("names every request field that a client chooses")
    func requestFields() throws {
        let service = try DescribedService()
        var named = Set(service.operations.flatMap { $0.parameters(in: "header").compactMap { $0["name"] as? String } })
        // OpenAPI has other places for these: the media types and the security scheme.
        named.formUnion(["Accept", "Content-Type", "Authorization"])
        // Fields of HTTP itself, of browsers, and of proxies.
        let others: Set<FieldName> = [
            .accessControlRequestHeaders, .accessControlRequestMethod, .cacheControl, .connection, .contentEncoding,
            .contentLength, .cookie, .expect, .host, .origin, .referer, .requestID, .secFetchSite, .traceparent,
            .transferEncoding, .upgrade, .userAgent, .forwarded, .xForwardedFor,
        ]
        let read = Set(FieldName.allCases).subtracting(others).map { String(describing: $0.lowercased) }
        #expect(Set(named.map { $0.lowercased() }) == Set(read))
    }

    @Test("describes each tag of an operation, and no other")
    func tags() throws {
        let service = try DescribedService()
        let tags = try #require(service.root["tags"] as? [[String: Any]])
        let used = service.operations.flatMap { $0.node["tags"] as? [String] ?? [] }
        #expect(Set(tags.compactMap { $0["name"] as? String }) == Set(used) && tags.count == Set(used).count)
        for tag in tags { #expect((tag["description"] as? String)?.hasSuffix(".") == true, "\(tag)") }
    }

    /// Generators pass over members beside a reference, and make of `anyOf` one type that requires the members of all
    /// alternatives. Apple's generator passes over what has the type `null` alone.
    @Test("has nothing beside a reference, no alternatives that share a type, and no type that is only null")
    func schemas() throws {
        func faults(_ node: Any, _ place: String) -> [String] {
            if let list = node as? [Any] {
                return list.enumerated().flatMap { faults($0.element, "\(place)/\($0.offset)") }
            }
            guard let members = node as? [String: Any] else { return [] }
            let isFault =
                members["$ref"] != nil && members.count > 1 || members["type"] as? String == "null"
                || members["anyOf"] != nil
            return (isFault ? [place] : []) + members.flatMap { faults($0.value, "\(place)/\($0.key)") }
        }
        #expect(faults(try DescribedService().root, "") == [])
    }

    @Test("has no reference that leads nowhere, and no component that nothing refers to")
    func references() throws {
        let service = try DescribedService()
        let references = service.references
        for reference in references { #expect(service.node(at: reference) != nil, "\(reference)") }
        for kind in ["schemas", "parameters", "headers", "responses"] {
            let names = try #require(service.node(at: "#/components/\(kind)")).keys
            for name in names where kind != "headers" {
                #expect(references.contains("#/components/\(kind)/\(name)"), "\(kind)/\(name)")
            }
        }
    }

    @Test("has each header field twice: as one that an answer may have, and as one that it always has")
    func headers() throws {
        let headers = try #require(try DescribedService().node(at: "#/components/headers") as? [String: [String: Any]])
        let names = headers.keys.filter { !$0.hasSuffix(".required") }
        #expect(names.count > 5 && headers.count == 2 * names.count)
        for name in names {
            #expect(headers[name]?["required"] == nil)
            #expect(headers[name + ".required"]?["required"] as? Bool == true, "\(name)")
        }
    }

    @Test("asks for a token exactly where an edit does")
    func security() throws {
        for operation in try DescribedService().operations {
            let security = try operation.node["security"].map(sortedJSON)
            #expect(security == (operation.method == "GET" ? nil : #"[{"editToken":[]}]"#))
        }
    }

    @Test("asks for a token of all but the open routes if reading needs one")
    func readSecurity() throws {
        let made = try ServiceDescription(version: "1", readsNeedToken: true).rendered()
        let body = Data(Array(copying: made.body.span))
        let root = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        let paths = try #require(root["paths"] as? [String: [String: Any]])
        let open = paths.filter { ($0.value["get"] as? [String: Any]).map { $0["security"] == nil } ?? false }.keys
        #expect(open.filter { !$0.hasPrefix("/browse/") }.sorted() == ["/", "/healthz", "/readyz"])
        let level = try #require(paths["/levels/"]?["get"] as? [String: Any])
        #expect(try sortedJSON(try #require(level["security"])) == #"[{"readToken":[]},{"editToken":[]}]"#)
        let responses = try #require(level["responses"] as? [String: Any])
        let unauthorized = responses["401"] as? [String: String]
        #expect(unauthorized == ["$ref": "#/components/responses/unauthorized"])
    }

    @Test("is coded once for all clients", arguments: ["gzip", "br", ""])
    func keptForms(_ coding: String) throws {
        let api = try DescribedService().desk.desk.api
        let bodies = try (0..<2).map { _ in
            let request = Request(target: "/openapi.json", fields: [("Accept-Encoding", coding)])
            return try #require(api.response(to: request).sharedBody)
        }
        #expect(bodies[0] === bodies[1])
    }
}

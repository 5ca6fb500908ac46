import Bytes
import CEmbeddedFiles
import HTTPServer
import Levels
import Locking
import PropertyLists

/// `GET /openapi.json`: the description of the API (OpenAPI 3.1). It is made from the tables that the code runs on; the
/// rest comes from `openapi.json` beside this file.
///
/// That file is OpenAPI, except that a reference is the name of a schema, and that operations have a form of their own.
/// In an operation, `fields` are the request fields. `problems` are kinds of problems, in addition to the kinds that
/// follow from the operation's sort of request (`ProblemKind.Requests`). `keys` is the number of keys in the path of
/// the examples. Each status is an answer; in its `headers`, `?` marks an optional field. `problemExamples` has an example
/// for some kinds of problems.
final class ServiceDescription: Sendable {
    private let version: String
    private let readsNeedToken: Bool
    private let basePath: String
    /// The JSON text, which is made at the first request; nil before.
    private let kept = Guarded<[UInt8]?>(nil)
    /// The bodies in each layout and coding.
    let forms = KeptForms()

    /// - Parameters:
    ///   - readsNeedToken: whether requests that only read need a token.
    ///   - basePath: the path with which all links begin.
    init(version: String, readsNeedToken: Bool = false, basePath: String = "") {
        (self.version, self.readsNeedToken, self.basePath) = (version, readsNeedToken, basePath)
    }

    func rendered() throws(Problem) -> Rendering {
        let vary = "Accept-Encoding, Accept"
        if let body = kept.withLock(\.self) {
            var json = ByteBuffer(capacity: body.count)
            json.append(body.span)
            return Rendering(json: json, vary: vary, isTagged: true)
        }
        let made = try Rendering(vary: vary, isTagged: true) { (writer) throws(PropertyListError) in
            for (name, value) in try description().members {
                writer.key(name.utf8Span.span, at: .byte(offset: 0))
                try value.tell(to: &writer)
            }
        }
        kept.withLock { $0 = Array(copying: made.body.span) }
        return made
    }

    /// The description as its author writes it, without what the tables of the service add.
    static var document: [UInt8] { unsafe Array(String(cString: drilldown_openapi_json()).utf8) }

    /// The author's description, with the base path in its addresses and in the patterns of links.
    private var document: [UInt8] {
        guard !basePath.isEmpty else { return Self.document }
        let pattern = basePath.replacing(".", with: #"\\."#)
        return Array(
            String(decoding: Self.document, as: UTF8.self)
                .replacing(#""url": "/"#, with: #""url": "\#(basePath)/"#)
                .replacing(#""pattern": "^/"#, with: #""pattern": "^(\#(pattern))?/"#).utf8)
    }

    private func description() throws(PropertyListError) -> PropertyListValue {
        var description = try PropertyListValue(json: document).resolved
        let operations = operations(description["operations"] ?? [:])
        let examples = description["problemExamples"] ?? [:]
        (description["operations"], description["problemExamples"]) = (nil, nil)
        description["info"]?["version"] = .string(version)
        description["paths"] = Self.paths(operations)
        for field in description["components"]?["headers"]?.members ?? [] {
            var header = field.value
            header["required"] = true
            description["components"]?["headers"]?[field.name + ".required"] = header
        }
        if !readsNeedToken { description["components"]?["securitySchemes"]?["readToken"] = nil }
        let problems = Set(operations.flatMap(\.problems)).map { (DescribedOperation.key($0), $0) }
        description["components"]?["responses"] = .object(
            problems.sorted { $0.0 < $1.0 }.map { ($0.0, DescribedOperation.response($0.1, under: basePath, examples)) }
        )
        let rows = ProblemKind.all
        description["components"]?["parameters"]?["kind"]?["schema"]?["enum"] = .strings(rows.map(\.name))
        let list = rows.filter { $0.requests != [.none] }
            .map { "- `\(basePath)/problems/\($0.name)` (\($0.status)): \($0.explanation)" }
        description["components"]?["schemas"]?["Problem"]?["description"] = .string(
            "A problem (RFC 9457). `type` is one of these:\n\n" + list.joined(separator: "\n"))
        return description
    }

    private func operations(_ document: PropertyListValue) -> [DescribedOperation] {
        Endpoint.all.flatMap { endpoint in
            PathTemplate.all(of: endpoint).flatMap { path in
                endpoint.operations.filter { path.keys == 0 || !$0.isOfRootOnly }.map { operation in
                    DescribedOperation(
                        endpoint: endpoint, operation: operation, path: path,
                        document: document[operation.name.rawValue] ?? [:],
                        readsNeedToken: readsNeedToken)
                }
            }
        }
    }

    private static func paths(_ operations: [DescribedOperation]) -> PropertyListValue {
        var paths: PropertyListValue = [:]
        for operation in operations {
            let parameters = operation.path.parameters.map { PropertyListValue.reference("parameters", name: $0) }
            var path = paths[operation.path.path] ?? (parameters.isEmpty ? [:] : ["parameters": .array(parameters)])
            path[operation.operation.method.name.lowercased()] = operation.value
            paths[operation.path.path] = path
        }
        return paths
    }
}

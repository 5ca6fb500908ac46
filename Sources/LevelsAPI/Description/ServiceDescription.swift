import Bytes
import ContentCodings
import HTTPServer
import Levels
import Locking
import PropertyLists

/// `GET /openapi.json`: the description of the API (OpenAPI 3.1), made from the tables that the code runs on.
///
/// Each form of it is made when it is first asked for, and kept.
final class ServiceDescription: Sendable {
    private let version: String
    private let readsNeedToken: Bool
    private let kept = Guarded<[Form: Response.Body]>([:])

    private struct Form: Hashable {
        let isIndented: Bool
        let coding: ContentCoding
    }

    /// - Parameters:
    ///   - version: the version of the program.
    ///   - readsNeedToken: whether requests that only read need a token.
    init(version: String, readsNeedToken: Bool = false) {
        self.version = version
        self.readsNeedToken = readsNeedToken
    }

    /// The description in a layout and a coding.
    ///
    /// - Throws: `Problem` (500) if it could not be written.
    func body(isIndented: Bool, _ coding: ContentCoding) throws(Problem) -> Response.Body {
        let form = Form(isIndented: isIndented, coding: coding)
        if let body = kept.withLock({ $0[form] }) { return body }
        let body = try made(form)
        kept.withLock { $0[form] = body }
        return body
    }

    private func made(_ form: Form) throws(Problem) -> Response.Body {
        guard form.coding == .identity else {
            let plain = try body(isIndented: form.isIndented, .identity)
            var coded = ByteBuffer()
            let isWhole = form.coding.encode(plain.span) { coded.append($0) }
            guard isWhole, !coded.isIncomplete else { throw .outOfMemory }
            return Response.Body(coded)
        }
        let compact = try Rendering { (writer) throws(PropertyListError) in
            for (name, value) in node.members {
                writer.key(name.utf8Span.span, at: .byte(offset: 0))
                try value.write(to: &writer)
            }
        }
        let rendering = form.isIndented ? compact.indented() : compact
        return Response.Body(rendering.body)
    }

    /// The whole description.
    var node: JSONNode {
        let paths = paths
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "drilldown", "version": .string(version),
                "summary": "Serves a property list one level at a time.", "description": .string(Self.introduction),
            ],
            "servers": [["url": "/", "description": "The server that gives this description."]],
            "paths": JSONNode(paths.map { ($0.template.path, item($0.template, $0.operations)) }),
            "components": JSONNode(components(of: paths)),
        ]
    }

    private static let introduction = """
        Start with `GET /levels/` and follow the links. A path is the chain of keys from the root, each percent-encoded \
        as one segment. This description names paths of up to \(PathTemplate.mostKeys) keys; deeper ones work alike, \
        and every answer links to them.

        HEAD is answered like GET, and OPTIONS with the allowed methods; any other method that is not described is \
        answered with 405 (`method-not-allowed`) and `Allow`. Pages of the origins in `--cors-origins` get the header \
        fields of CORS beside the described ones. Every edit is answered with 403 (`editing-off`) while the server has \
        no edit token; `editable` of the index tells whether it has.
        """

    // MARK: Paths

    /// A path, with its operations.
    typealias DescribedPath = (template: PathTemplate, operations: [DescribedOperation])

    /// All paths.
    var paths: [DescribedPath] {
        let descriptions = OperationDescription.all
        return Endpoint.all.flatMap { endpoint in
            PathTemplate.all(of: endpoint).map { path in
                let operations = endpoint.operations.filter { path.keys == 0 || !$0.isOfRootOnly }
                let described = operations.map { operation in
                    DescribedOperation(
                        endpoint: endpoint, operation: operation, path: path, readsNeedToken: readsNeedToken,
                        optionKeys: Self.optionKeys,
                        description: descriptions[OperationDescription.key(of: operation, endpoint)])
                }
                return (path, described)
            }
        }
    }

    private func item(_ path: PathTemplate, _ operations: [DescribedOperation]) -> JSONNode {
        let parameters: [JSONNode.Member] =
            path.parameters.isEmpty ? [] : [("parameters", .list(path.parameters.map(\.reference)))]
        return JSONNode(parameters + operations.map { ($0.operation.method.name.lowercased(), $0.node) })
    }

    // MARK: Components

    private func components(of paths: [DescribedPath]) -> [JSONNode.Member] {
        [
            ("schemas", JSONNode(Schema.answers + Schema.service + Schema.edits)),
            ("parameters", JSONNode(Self.parameters(of: paths) + Self.options + RequestField.all)),
            ("headers", JSONNode(AnswerField.components)),
            ("responses", JSONNode(Self.problems(of: paths))),
            ("securitySchemes", JSONNode(readsNeedToken ? [Self.editToken, Self.readToken] : [Self.editToken])),
        ]
    }

    private static func parameters(of paths: [DescribedPath]) -> [JSONNode.Member] {
        sorted(paths.flatMap(\.template.parameters).map { ($0.name, $0.node) })
    }

    private static func problems(of paths: [DescribedPath]) -> [JSONNode.Member] {
        let all = paths.flatMap(\.operations).flatMap { ProblemResponse.all(of: $0.problems) }
        return sorted(all.map { ($0.response.key, $0.response.node) })
    }

    /// Each name once, in alphabetical order.
    private static func sorted(_ members: [JSONNode.Member]) -> [JSONNode.Member] {
        Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }.sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
    }

    private static var editToken: JSONNode.Member { token("editToken", "A token that allows edits.") }
    private static var readToken: JSONNode.Member { token("readToken", "A token that allows reading.") }

    private static func token(_ name: String, _ summary: String) -> JSONNode.Member {
        (name, ["type": "http", "scheme": "bearer", "description": .string(summary)])
    }

    /// The key of each query option: its name, unless another endpoint's option has that.
    private static let optionKeys: [ObjectIdentifier: String] = {
        var keys: [ObjectIdentifier: String] = [:]
        for endpoint in Endpoint.all {
            for option in endpoint.operations.flatMap(\.options.all) where keys[ObjectIdentifier(option)] == nil {
                let isTaken = keys.values.contains(option.name)
                let ending = String(describing: endpoint.name).dropFirst()
                keys[ObjectIdentifier(option)] = isTaken ? "\(option.name)-\(ending)" : option.name
            }
        }
        return keys
    }()

    private static var options: [JSONNode.Member] {
        let all = Endpoint.all.flatMap { $0.operations.flatMap(\.options.all) }
        return sorted(all.map { (optionKeys[ObjectIdentifier($0)] ?? $0.name, $0.parameter) })
    }
}

import Bytes
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// A path that is served, and its methods.
struct Endpoint: Sendable {
    /// The part of the path that may follow the endpoint's name.
    enum Path { case nothing, item, name }

    /// The services that have the endpoint, and the addresses at which it is served.
    enum Audience {
        case everyone
        /// Services with the web client. Messages for API clients do not mention the endpoint.
        case browsers
        /// Everyone, also at the separate address for monitoring.
        case probes
        /// Only the separate address for monitoring, or everyone if there is no separate address.
        case monitoring
    }

    let name: StaticString
    let path: Path
    let audience: Audience
    /// Whether the endpoint is served without a token, even if reading needs a token.
    let isOpen: Bool
    let operations: [Operation]

    private init(
        _ name: StaticString, path: Path = .nothing, for audience: Audience = .everyone, isOpen: Bool = false,
        _ operations: Operation...
    ) {
        self.name = name
        self.path = path
        self.audience = audience
        self.isOpen = isOpen
        self.operations = operations
    }

    /// All endpoints, in the order in which messages list them.
    static let all = [
        Endpoint(
            "/", isOpen: true, .get(.getIndex, summary: "The document, and links to begin with.", options: .layout)),
        Endpoint(
            "/levels", path: .item,
            .get(.getLevel, summary: "The rows of one level.", options: .level),
            .edit(.addItem, method: .post, summary: "Adds an item to a level.", content: .value, options: .insertion)),
        Endpoint(
            "/detail", path: .item,
            .get(.getDetail, summary: "The fields of one item.", options: .detail),
            .edit(
                .putItem, method: .put, summary: "Replaces the fields of an item, or makes the item.", content: .value),
            .edit(.patchItem, method: .patch, summary: "Changes fields of an item.", content: .patch),
            .edit(.deleteItem, method: .delete, summary: "Removes an item with everything below it.", content: .none)),
        Endpoint(
            "/document", path: .item,
            .get(.getDocument, summary: "An item with everything below it.", options: .document),
            .edit(
                .putDocument, method: .put, summary: "Replaces the whole document.", content: .document,
                isOfRootOnly: true)),
        Endpoint(
            "/moves",
            .edit(.moveItem, method: .post, summary: "Moves an item with everything below it.", content: .value)),
        Endpoint(
            "/edits", .edit(.doEdits, method: .post, summary: "Does several edits, all or none.", content: .value)),
        Endpoint(
            "/reload",
            .edit(.reload, method: .post, summary: "Loads the source again.", content: .none, options: .none)),
        Endpoint(
            "/assets", path: .name,
            .get(.getAsset, summary: "A file of the assets folder beside the document.", options: .none)),
        Endpoint("/browse", path: .name, for: .browsers, isOpen: true, .page),
        Endpoint(
            "/client", path: .name, for: .browsers, isOpen: true,
            .get(.getClientFile, summary: "A file of the web client.", options: .none)),
        Endpoint(
            "/problems", path: .name,
            .get(.getProblems, summary: "The explanation of a kind of problem.", options: .none)),
        Endpoint("/values", .get(.getValues, summary: "The values of all controls, by their keys.", options: .layout)),
        Endpoint("/changes", .get(.getChanges, summary: "The changes since a revision.", options: .changes)),
        Endpoint(
            "/healthz", for: .probes, isOpen: true,
            .get(.getHealth, summary: "Whether the service is alive.", options: .layout)),
        Endpoint(
            "/readyz", for: .probes, isOpen: true,
            .get(.getReadiness, summary: "Whether it is ready, and how fresh the tree is.", options: .layout)),
        Endpoint(
            "/metrics", for: .monitoring,
            .get(.getMetrics, summary: "The service's counters, for Prometheus.", options: .none)),
        Endpoint(
            "/openapi.json",
            .get(
                .getDescription, summary: "The description of this API, from which clients can be generated.",
                options: .layout)),
    ]

    /// The names that messages list.
    static var names: [String] { all.filter { $0.audience != .browsers }.map { String(describing: $0.name) } }

    /// The methods of all endpoints.
    static var methods: [String] {
        var methods: [String] = []
        for method in all.flatMap({ $0.methods() }) where !methods.contains(method) { methods.append(method) }
        return methods.filter { $0 != "OPTIONS" } + ["OPTIONS"]
    }

    /// The operation of a method; nil if the method is not allowed. HEAD has the same operation as GET.
    func operation(_ method: HTTPServer.Method, isRoot: Bool = true) -> Operation? {
        let wanted = method == .head ? .get : method
        return operations.first { $0.method == wanted && (isRoot || !$0.isOfRootOnly) }
    }

    /// The names of the methods, as in `Allow`.
    func methods(isRoot: Bool = true) -> [String] {
        operations.filter { isRoot || !$0.isOfRootOnly }
            .flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.name] } + ["OPTIONS"]
    }
}

extension Endpoint {
    /// The operation of a method at an endpoint.
    struct Operation: Sendable {
        /// The name of an operation, and of its function in a generated client.
        enum Name: String, Sendable {
            case getIndex, getLevel, getDetail, getDocument, getAsset, getBrowser, getClientFile, getProblems,
                getValues, getChanges
            case getHealth, getReadiness, getMetrics, getDescription
            case addItem, putItem, patchItem, deleteItem, putDocument, moveItem, doEdits, reload
        }

        let name: Name
        let method: HTTPServer.Method
        /// The effect, in one sentence.
        let summary: String
        let options: QueryOptions
        /// The body of an edit; nil for an operation that only reads.
        var content: EditContent?
        /// Whether no path may follow the name of the endpoint.
        var isOfRootOnly = false

        /// The web client's page, which is also served at `/` to a client that prefers HTML.
        static let page = get(.getBrowser, summary: "The web client, opened at an item.", options: .browser)

        static func get(_ name: Name, summary: String, options: QueryOptions) -> Operation {
            Operation(name: name, method: .get, summary: summary, options: options)
        }

        /// An operation that needs an edit token.
        static func edit(
            _ name: Name, method: HTTPServer.Method, summary: String, content: EditContent,
            options: QueryOptions = .edit, isOfRootOnly: Bool = false
        ) -> Operation {
            Operation(
                name: name, method: method, summary: summary, options: options, content: content,
                isOfRootOnly: isOfRootOnly)
        }

        /// Whether the operation may change the document. A reload needs a token too, but does not change the document
        /// itself.
        var changesDocument: Bool { content.map { $0 != .none || method == .delete } ?? false }
    }
}

extension Endpoint {
    /// A parsed target: its endpoint, the range of the path after the endpoint's name, and the range of the query.
    struct Match {
        let endpoint: Endpoint
        let path: Range<Int>
        let query: Range<Int>

        /// Whether at most a slash follows the endpoint's name.
        private var isRoot: Bool { path.count <= 1 }

        func operation(_ method: HTTPServer.Method) -> Operation? { endpoint.operation(method, isRoot: isRoot) }

        var methods: [String] { endpoint.methods(isRoot: isRoot) }
    }

    /// The endpoint of a target; nil if nothing is served there.
    static func match(_ target: Span<UInt8>) -> Match? {
        let end = pathEnd(of: target)
        guard let number = number(of: target.extracting(0..<end)) else { return nil }
        let endpoint = all[number]
        return Match(
            endpoint: endpoint, path: endpoint.name.utf8CodeUnitCount..<end,
            query: min(end + 1, target.count)..<target.count)
    }

    /// The number of a target's endpoint in the table; nil if nothing is served there.
    static func number(ofTarget target: Span<UInt8>) -> Int? {
        number(of: target.extracting(0..<pathEnd(of: target)))
    }

    private static func pathEnd(of target: Span<UInt8>) -> Int {
        var end = 0
        while end < target.count, target[end] != UInt8(ascii: "?") { end += 1 }
        return end
    }

    /// The data for look-ups, which costs less to copy than the endpoints. The metrics look up the endpoint of each
    /// request.
    private static let places = all.map { (name: $0.name, takesPath: $0.path != .nothing) }

    private static func number(of path: Span<UInt8>) -> Int? {
        places.firstIndex { name, takesPath in
            let length = name.utf8CodeUnitCount
            guard path.count >= length, path.extracting(0..<length).isEqual(to: name) else { return false }
            guard path.count == length || path[length] == UInt8(ascii: "/") else { return false }
            guard takesPath || path.count <= length + 1 else { return false }
            // A slash after a name is ignored. The name of the index is itself a slash, and no second slash may follow.
            return length > 1 || path.count == length
        }
    }
}

/// A request on its way to a handler, with its parsed target, and the publication that answers it.
struct Call {
    let request: Request
    let match: Endpoint.Match
    /// The query, not yet checked.
    let query: Query
    let negotiation: Negotiation
    let publication: Publication
    /// The key of the target in the form that the request's header selects; nil if the key is not known.
    let key: UInt64?
    /// The result of the look-up in the cache; nil if there was no look-up.
    let found: ResponseCache.Found?
    /// The path of the item, if the endpoint is about items; otherwise the root.
    var item = ItemPath.root
    /// The name of the token's holder, for an edit.
    var author: String?
    /// The path after the endpoint's name.
    var path: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = request.target.extracting(match.path)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
}

extension QueryOptions {
    /// `GET /browse/<path>`: the options of the level, and three options of the page itself (manual, Web client). The
    /// page reads them; the service does not.
    static let browser = QueryOptions(
        (level.all.map { ($0.name, $0.isRepeatable) } + [("show", false), ("above", true), ("columns", false)]).map {
            name, isRepeatable in
            QueryOption(
                name: name, grammar: "*CHAR", summary: "An option of the web client's page.", isRepeatable: isRepeatable
            ) { _, _ in }
        })
}

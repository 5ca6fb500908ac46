import Bytes
import HTTPServer
import Levels
import PropertyLists
import TreeStore

/// A path that is served, and what the methods do there.
struct Endpoint: Sendable {
    /// What a method does at an endpoint.
    struct Operation: Sendable {
        typealias Handler = @Sendable (LevelsAPI, Call) throws(Problem) -> Answer

        let method: HTTPServer.Method
        /// What it does, in one sentence.
        let summary: String
        let options: QueryOptions
        /// What the body of an edit may be; nil for an operation that only reads.
        var content: EditContent?
        /// Whether no path may follow the name.
        var isOfRootOnly = false
        let handler: Handler

        /// Whether it may change the document; a reload needs a token too, but changes nothing itself.
        var changesDocument: Bool { content.map { $0 != .none || method == .delete } ?? false }

        static func get(_ summary: String, _ options: QueryOptions, _ handler: @escaping Handler) -> Operation {
            Operation(method: .get, summary: summary, options: options, handler: handler)
        }

        /// An operation that needs an edit token.
        static func edit(
            _ method: HTTPServer.Method, _ summary: String, _ content: EditContent, _ options: QueryOptions = .none,
            isOfRootOnly: Bool = false,
            _ handler: @escaping @Sendable (LevelsAPI, Call, AccessToken) throws(Problem) -> Answer
        ) -> Operation {
            Operation(
                method: method, summary: summary, options: options, content: content, isOfRootOnly: isOfRootOnly
            ) { api, call throws(Problem) in
                try handler(api, call, try api.admission.admit(call.request, content))
            }
        }
    }

    let name: StaticString
    /// Whether a path follows the name.
    var takesPath = false
    /// Whether it is served without a token even if reading needs one.
    var isOpen = false
    /// Whether it serves the web client, so that messages for API clients leave it out.
    var isForBrowsers = false
    let operations: [Operation]

    /// What a method does here; nil if it is not allowed. HEAD does the same as GET.
    ///
    /// - Parameter isRoot: whether no path follows the name.
    func operation(_ method: HTTPServer.Method, isRoot: Bool = true) -> Operation? {
        let wanted = method == .head ? .get : method
        return operations.first { $0.method == wanted && (isRoot || !$0.isOfRootOnly) }
    }

    /// The methods that are allowed here, as in `Allow`.
    ///
    /// - Parameter isRoot: whether no path follows the name.
    func methods(isRoot: Bool = true) -> [String] {
        operations.filter { isRoot || !$0.isOfRootOnly }
            .flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.name] } + ["OPTIONS"]
    }

    /// The methods that change nothing.
    static let readingMethods = ["GET", "HEAD", "OPTIONS"]
}

extension Endpoint {
    /// A parsed target: its endpoint, and the ranges of the path after the endpoint's name and of the query.
    struct Match {
        let endpoint: Endpoint
        /// Its place in the table.
        let number: Int
        let path: Range<Int>
        let query: Range<Int>

        /// Whether nothing but a slash follows the endpoint's name.
        private var isRoot: Bool { path.count <= 1 }

        /// What a method does at the target; nil if it is not allowed.
        func operation(_ method: HTTPServer.Method) -> Operation? { endpoint.operation(method, isRoot: isRoot) }

        /// The methods that are allowed at the target.
        var methods: [String] { endpoint.methods(isRoot: isRoot) }
    }

    /// Finds the endpoint of a target; nil if nothing is served there.
    static func match(_ target: Span<UInt8>) -> Match? {
        let end = pathEnd(of: target)
        guard let number = number(of: target.extracting(0..<end)) else { return nil }
        let endpoint = all[number]
        return Match(
            endpoint: endpoint, number: number, path: endpoint.name.utf8CodeUnitCount..<end,
            query: min(end + 1, target.count)..<target.count)
    }

    /// The place in the table of a target's endpoint; nil if nothing is served there.
    static func number(ofTarget target: Span<UInt8>) -> Int? {
        number(of: target.extracting(0..<pathEnd(of: target)))
    }

    private static func pathEnd(of target: Span<UInt8>) -> Int {
        var end = 0
        while end < target.count, target[end] != UInt8(ascii: "?") { end += 1 }
        return end
    }

    /// What is needed to find an endpoint: each request is looked up for the metrics, and an endpoint costs more to copy.
    private static let places = all.map { (name: $0.name, takesPath: $0.takesPath) }

    private static func number(of path: Span<UInt8>) -> Int? {
        places.firstIndex { name, takesPath in
            let length = name.utf8CodeUnitCount
            guard path.count >= length, path.extracting(0..<length).isEqual(to: name) else { return false }
            guard path.count == length || path[length] == UInt8(ascii: "/") else { return false }
            guard takesPath || path.count <= length + 1 else { return false }
            // A slash after a name is ignored; the index has only its own.
            return length > 1 || path.count == length
        }
    }
}

/// A request on its way to a handler: its parsed target, and the publication that answers it.
struct Call {
    let request: Request
    let match: Endpoint.Match
    /// The query, not yet checked.
    let query: Query
    let negotiation: Negotiation
    let publication: Publication
    /// The path after the endpoint's name.
    var path: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let span = request.target.extracting(match.path)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }
    /// The key that the cache is known to lack; nil if it was not searched.
    let missed: UInt64?
}

extension Endpoint {
    /// All endpoints, in the order in which messages list them. This is their table: readers start here.
    static let all = [
        Endpoint(
            name: "/", isOpen: true,
            operations: [
                .get("What is served, and where to begin.", .index) { api, call throws(Problem) in
                    .now(try api.index(call))
                }
            ]),
        Endpoint(
            name: "/levels", takesPath: true,
            operations: [
                .get("The rows of one level.", .level) { api, call throws(Problem) in
                    try api.answer(.level, call)
                },
                .edit(.post, "Adds an item to a level.", .value, .insertion) { api, call, token throws(Problem) in
                    try api.insert(call, by: token)
                },
            ]),
        Endpoint(
            name: "/detail", takesPath: true,
            operations: [
                .get("The fields of one item.", .detail) { api, call throws(Problem) in
                    try api.answer(.detail, call)
                },
                .edit(.put, "Replaces the fields of an item, or makes the item.", .value) {
                    api, call, token throws(Problem) in
                    try api.put(call, by: token)
                },
                .edit(.patch, "Changes fields of an item.", .patch) { api, call, token throws(Problem) in
                    try api.patch(call, by: token)
                },
                .edit(.delete, "Removes an item with everything below it.", .none) {
                    api, call, token throws(Problem) in
                    try api.delete(call, by: token)
                },
            ]),
        Endpoint(
            name: "/document", takesPath: true,
            operations: [
                .get("An item with everything below it.", .document) { api, call throws(Problem) in
                    try api.answer(.document, call)
                },
                .edit(.put, "Replaces the whole document.", .document, isOfRootOnly: true) {
                    api, call, token throws(Problem) in
                    try api.replaceDocument(call, by: token)
                },
            ]),
        Endpoint(
            name: "/moves",
            operations: [
                .edit(.post, "Moves an item with everything below it.", .value) { api, call, token throws(Problem) in
                    try api.move(call, by: token)
                }
            ]),
        Endpoint(
            name: "/edits",
            operations: [
                .edit(.post, "Does several edits, all or none.", .value) { api, call, token throws(Problem) in
                    try api.editSteps(call, by: token)
                }
            ]),
        Endpoint(
            name: "/reload",
            operations: [
                .edit(.post, "Loads the source again.", .none) { api, call, _ throws(Problem) in
                    try api.reload(call)
                }
            ]),
        Endpoint(
            name: "/assets", takesPath: true,
            operations: [
                .get("A file of the assets folder beside the document.", .none) { api, call throws(Problem) in
                    .now(try api.asset(call))
                }
            ]),
        Endpoint(
            name: "/browse", takesPath: true, isOpen: true, isForBrowsers: true,
            operations: [
                .get("The web client, opened at an item.", .none) { api, call throws(Problem) in
                    .now(try api.browse(call))
                }
            ]),
        Endpoint(
            name: "/client", takesPath: true, isOpen: true, isForBrowsers: true,
            operations: [
                .get("A file of the web client.", .none) { api, call throws(Problem) in
                    .now(try api.webClientFile(call))
                }
            ]),
        Endpoint(
            name: "/problems", takesPath: true,
            operations: [
                .get("What a kind of problem means.", .none) { api, call throws(Problem) in
                    .now(try api.problems(call))
                }
            ]),
        Endpoint(
            name: "/changes",
            operations: [
                .get("What has changed since a revision.", .changes) { api, call throws(Problem) in
                    try api.changes(call)
                }
            ]),
        Endpoint(
            name: "/healthz", isOpen: true,
            operations: [
                .get("Whether the service is alive.", .none) { api, call throws(Problem) in
                    .now(try api.health(call))
                }
            ]),
        Endpoint(
            name: "/readyz", isOpen: true,
            operations: [
                .get("Whether it is ready, and how fresh the tree is.", .none) { api, call throws(Problem) in
                    .now(try api.readinessAnswer(call))
                }
            ]),
        Endpoint(
            name: "/metrics",
            operations: [
                .get("What the service has done, for Prometheus.", .none) { api, call throws(Problem) in
                    .now(try api.metrics(call))
                }
            ]),
        Endpoint(
            name: "/openapi.json",
            operations: [
                .get("The description of this API, from which clients can be generated.", .description) {
                    api, call throws(Problem) in
                    .now(try api.describe(call))
                }
            ]),
    ]

    /// The names that messages list.
    static var names: [String] { all.filter { !$0.isForBrowsers }.map { String(describing: $0.name) } }

    /// The methods that at least one endpoint allows.
    static var methods: [String] {
        var methods: [String] = []
        for method in all.flatMap({ $0.methods() }) where !methods.contains(method) { methods.append(method) }
        return methods.filter { $0 != "OPTIONS" } + ["OPTIONS"]
    }
}

import Bytes
import HTTPServer
import Levels
import PropertyLists

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

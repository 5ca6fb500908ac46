import HTTPServer

extension Endpoint {
    /// All endpoints, in the order in which messages list them. This is their table: readers start here.
    static let all = [
        Endpoint(
            name: "/",
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
                }
            ]),
        Endpoint(
            name: "/detail", takesPath: true,
            operations: [
                .get("The fields of one item.", .detail) { api, call throws(Problem) in
                    try api.answer(.detail, call)
                }
            ]),
        Endpoint(
            name: "/document", takesPath: true,
            operations: [
                .get("An item with everything below it.", .document) { api, call throws(Problem) in
                    try api.answer(.document, call)
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
            name: "/healthz",
            operations: [
                .get("Whether the service is alive.", .none) { api, call throws(Problem) in
                    .now(try api.health(call))
                }
            ]),
        Endpoint(
            name: "/readyz",
            operations: [
                .get("Whether it is ready, and how fresh the tree is.", .none) { api, call throws(Problem) in
                    .now(try api.readinessAnswer(call))
                }
            ]),
    ]

    /// All names, for messages that list them.
    static var names: [String] { all.map { String(describing: $0.name) } }

    /// The methods that at least one endpoint allows.
    static var methods: [String] {
        var methods: [String] = []
        for method in all.flatMap(\.methods) where !methods.contains(method) { methods.append(method) }
        return methods
    }
}

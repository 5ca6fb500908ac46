import HTTPServer

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

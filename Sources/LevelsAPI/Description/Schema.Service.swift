/// The schemas of the answers about the service, its changes and its problems.
extension Schema {
    static var service: [JSONNode.Member] {
        [
            ("Index", index), ("Health", health), ("Readiness", readiness), ("Changes", changes), ("Change", change),
            ("ProblemKind", problemKind), ("ProblemKinds", problemKinds), ("Problem", problem),
        ]
    }

    static var revision: JSONNode {
        text("The name of one published state of the document; opaque.")
    }

    private static var index: JSONNode {
        object(
            "What is served, and where to begin. Without a token that reading needs, the links alone.",
            [
                "links": object(
                    "Where to begin.",
                    JSONNode(IndexAnswer.links.map { (String(describing: $0.name), text("A link.", pattern: "^/")) }))
            ],
            optional: [
                "title": text("The title of the document."), "items": number("The number of items."),
                "revision": revision, "editable": flag("Whether a token could allow edits now."),
            ])
    }

    private static var health: JSONNode {
        object(
            "The process answers.", ["status": choice("Always the same.", ["alive"])])
    }

    private static var readiness: JSONNode {
        object(
            "What is served, and how fresh it is. Without a token that reading needs, the status alone.",
            [
                "status": choice(
                    "`stale` if the latest load was refused, so that an older tree is served.", ["ok", "stale"])
            ],
            optional: [
                "revision": revision, "source": text("A path or a URL."),
                "loadedAt": text("When the tree was loaded.", format: "date-time"),
                "items": number("The number of items."), "lastError": text("Why the latest load was refused."),
            ])
    }

    private static var changes: JSONNode {
        object(
            "The changes after a revision.",
            [
                "revision": revision, "since": text("The revision that the client has."),
                "reset": flag("Always false here; a revision that is gone is a problem with `reset`."),
                "changes": list("One entry for each published change, in order.", of: named("Change")),
            ])
    }

    private static var change: JSONNode {
        object(
            "One reload or one edit.",
            [
                "revision": revision, "at": text("When it was published.", format: "date-time"),
                "by": text("`reload`, `edit`, or `edit` and the name of the token."),
                "levels": list("The levels whose plain answers differ.", of: ["type": "string"]),
                "details": list("The details that differ in more than their place.", of: ["type": "string"]),
            ],
            optional: ["truncated": flag("Whether there were too many to list, so that everything may have changed.")])
    }

    private static var problemKind: JSONNode {
        object(
            "What a kind of problem means.",
            [
                "type": type, "title": text("Its name as words."), "status": number("The status code."),
                "explanation": text("What it means and what to do about it."),
            ])
    }

    private static var problemKinds: JSONNode {
        object(
            "All kinds of problems.", ["problems": list("The kinds.", of: named("ProblemKind"))])
    }

    private static var type: JSONNode {
        text("The kind, as the path of its page.", pattern: "^/problems/[a-z-]+$")
    }

    /// One problem of any kind; its own members are in the table `ProblemMember`.
    private static var problem: JSONNode {
        object(
            "A problem (RFC 9457). `type` is one of these:\n\n" + kinds,
            [
                "type": type, "title": text("The kind as words."), "status": number("The status code."),
                "detail": text("A sentence about this case."), "instance": text("The target of the request."),
            ],
            optional: JSONNode(ProblemMember.allCases.map { ($0.rawValue, $0.schema) }))
    }

    private static var kinds: String {
        ProblemKind.allCases.map(\.row).filter { $0.requests != [.none] }
            .map { "- `/problems/\($0.name)` (\($0.status)): \($0.explanation)" }
            .joined(separator: "\n")
    }
}

/// An answer of an operation that is not a problem, for the description.
struct AnswerDescription: Sendable {
    /// One form of the body.
    struct Content: Sendable {
        let type: String
        let schema: JSONNode

        static func json(_ schema: JSONNode) -> Content { Content(type: "application/json", schema: schema) }

        /// A body whose structure is not described.
        static func bytes(_ type: String, _ summary: String) -> Content {
            Content(type: type, schema: Schema.text(summary))
        }

        static var propertyList: Content { bytes("application/x-plist", "The same structure as an XML property list.") }
    }

    var status = 200
    let summary: String
    var content: [Content] = []
    /// The header fields that the answer always has, beside `Drilldown-Request`.
    var always: [AnswerField] = [.cacheControl]
    /// Those that it can have.
    var sometimes: [AnswerField] = []
    /// The JSON that `Data/Data.plist` gives at the path's example.
    var example: Example?

    /// An example, and how many keys of the item's path it is for.
    struct Example: Sendable {
        let keys: Int
        let json: String
    }

    /// The answer to a client that has the representation: it has the same header fields.
    var notModified: AnswerDescription {
        AnswerDescription(
            status: 304, summary: "The client has the current representation.", always: always, sometimes: sometimes)
    }

    /// - Parameter keys: the number of keys in the path.
    func node(keys: Int) -> JSONNode {
        let required = ([.request] + always).map { $0.named(isRequired: true) }
        let fields = required + sometimes.map { $0.named(isRequired: false) }
        let described: JSONNode = ["description": .string(summary), "headers": JSONNode(fields)]
        guard !content.isEmpty else { return described }
        return described.adding("content", JSONNode(content.map { ($0.type, node(of: $0, keys: keys)) }))
    }

    private func node(of content: Content, keys: Int) -> JSONNode {
        let node: JSONNode = ["schema": content.schema]
        guard let example, example.keys == keys, content.type == "application/json" else { return node }
        return node.adding("example", .json(example.json))
    }
}

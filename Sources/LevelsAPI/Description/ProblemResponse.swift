/// The response that reports the problems of one status, for the description.
///
/// Operations that can give the same kinds refer to one response.
struct ProblemResponse {
    /// The kinds, in the order of their table.
    let kinds: [ProblemKind]

    /// The responses of an operation that can give these kinds: one for each status, in ascending order.
    static func all(of kinds: Set<ProblemKind>) -> [(status: Int, response: ProblemResponse)] {
        Dictionary(grouping: ProblemKind.allCases.filter(kinds.contains), by: \.status).sorted { $0.key < $1.key }
            .map { (status: $0.key, response: ProblemResponse(kinds: $0.value)) }
    }

    /// The key in the components.
    var key: String { kinds.map(\.name).joined(separator: ".") }

    var node: JSONNode {
        let fields = AnswerField.allCases.filter { field in kinds.contains { $0.answerFields.contains(field) } }
        let always = [AnswerField.request, .cacheControl].map { $0.named(isRequired: true) }
        let headers = always + fields.map { $0.named(isRequired: false) }
        let type: JSONNode = ["enum": .strings(kinds.map { "/problems/\($0.name)" })]
        return [
            "description": .string(kinds.map(\.row.title).joined(separator: ", or ") + "."),
            "headers": JSONNode(headers),
            "content": [
                "application/problem+json": [
                    "schema": ["$ref": "#/components/schemas/Problem", "properties": ["type": type]]
                ]
            ],
        ]
    }
}

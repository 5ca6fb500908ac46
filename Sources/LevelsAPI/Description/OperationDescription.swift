import HTTPServer

/// What the table of endpoints does not tell of an operation, for the description.
struct OperationDescription: Sendable {
    /// The name of the function in a generated client.
    let id: String
    /// More than the summary in the table of endpoints tells.
    var text = ""
    /// The request header fields that it reads.
    var fields: [RequestField] = []
    /// The schema of a body in JSON, and an example.
    var body: JSONNode?
    var bodyExample: AnswerDescription.Example?
    let answers: [AnswerDescription]
    /// The problems that it can give beside those of any request.
    let problems: [ProblemKind]

    /// The key of an operation in the table.
    static func key(of operation: Endpoint.Operation, _ endpoint: Endpoint) -> String {
        "\(operation.method.name) \(endpoint.name)"
    }

    /// The table of what operations answer, by `key`.
    ///
    /// It is computed, as the schemas are, because it is needed once for each form of the description.
    static var all: [String: OperationDescription] { reads.merging(edits) { first, _ in first } }
}

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

    /// The description of an operation; nil if the table lacks it.
    static func of(_ endpoint: Endpoint, _ operation: Endpoint.Operation) -> OperationDescription? {
        all["\(operation.method.name) \(endpoint.name)"]
    }

    /// The descriptions by method and endpoint: the table of what operations answer.
    ///
    /// It is computed, as the schemas are, because it is needed once for each form of the description.
    static var all: [String: OperationDescription] { reads.merging(edits) { first, _ in first } }
}

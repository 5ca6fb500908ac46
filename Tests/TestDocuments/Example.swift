import Testing

/// One row of a table of tests: a document, and the expected result.
struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let document: String
    let expected: String

    init(_ name: String, _ document: String, _ expected: String) {
        self.name = name
        self.document = document
        self.expected = expected
    }

    var testDescription: String { name }
}

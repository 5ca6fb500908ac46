internal import PropertyLists

/// The three syntaxes of a property list.
public enum PropertyListSyntax: String, Sendable, CaseIterable {
    /// An XML property list (Apple's DTD `PropertyList-1.0`).
    case xml
    /// A binary property list (`bplist00`).
    case binary
    /// JSON (RFC 8259).
    case json
}

extension PropertyListSyntax {
    /// Reads a document of this syntax into a consumer.
    func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        switch self {
        case .xml: try XMLPropertyListReader.read(input, limits: limits, into: &consumer)
        case .binary: try BinaryPropertyListReader.read(input, limits: limits, into: &consumer)
        case .json: try JSONPropertyListReader.read(input, limits: limits, into: &consumer)
        }
    }
}

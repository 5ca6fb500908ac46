import Bytes
import Levels
import PropertyLists

extension Value {
    /// The value as a property list in one of the three formats.
    enum Format: CaseIterable, Sendable { case xml, json, binary }

    func bytes(as format: Format) throws(PropertyListError) -> [UInt8] {
        switch format {
        case .xml:
            var writer = XMLPropertyListWriter()
            try tell(to: &writer)
            try writer.finish()
            return Array(copying: writer.output.span)
        case .json:
            var writer = JSONPropertyListWriter()
            try tell(to: &writer)
            try writer.finish()
            return Array(copying: writer.output.span)
        case .binary:
            var writer = BinaryPropertyListWriter()
            try tell(to: &writer)
            try writer.finish()
            return Array(copying: writer.output.span)
        }
    }
}

extension Value.Format {
    /// Sends a document in this format to a consumer.
    func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ bytes: [UInt8], into consumer: inout Consumer
    ) throws(PropertyListError) {
        switch self {
        case .xml: try XMLPropertyListReader.read(.memory(bytes), limits: .init(), into: &consumer)
        case .json: try JSONPropertyListReader.read(.memory(bytes), limits: .init(), into: &consumer)
        case .binary: try BinaryPropertyListReader.read(.memory(bytes), limits: .init(), into: &consumer)
        }
    }

    /// The content of a random document that this format preserves.
    var contents: RandomDocument.Contents {
        switch self {
        case .xml: [.xml, .uids]
        case .json: [.json, .uids]
        case .binary: .binary
        }
    }
}

import Bytes
import PropertyLists

/// Makes a `Tree` of the events of a reader, and keeps their positions.
struct TreeRecorder: PropertyListConsumer, ~Copyable {
    private(set) var root: Tree?
    private(set) var positions: [SourcePosition] = []
    /// The warnings, each with its position.
    private(set) var warnings: [String] = []
    private var open: [Tree] = []
    private var keys: [String] = []

    private mutating func add(_ value: Tree) {
        switch open.popLast() {
        case .array(let elements): open.append(.array(elements + [value]))
        case .dictionary(let entries):
            open.append(.dictionary(entries + [Tree.Entry(key: keys.removeLast(), value: value)]))
        default: root = value
        }
    }

    mutating func beginDictionary(at position: SourcePosition) {
        positions.append(position)
        open.append(.dictionary([]))
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        positions.append(position)
        keys.append(String(utf8: name))
    }

    mutating func endDictionary() { end() }

    mutating func beginArray(at position: SourcePosition) {
        positions.append(position)
        open.append(.array([]))
    }

    mutating func endArray() { end() }

    private mutating func end() {
        if let value = open.popLast() { add(value) }
    }

    mutating func string(_ text: Span<UInt8>) { add(.string(String(utf8: text))) }
    mutating func data(_ bytes: Span<UInt8>) { add(.data(bytes.indices.map { bytes[$0] })) }
    mutating func scalar(_ value: PropertyListScalar) {
        switch value {
        case .integer(let value): add(.integer(value))
        case .real(let value): add(.real(value))
        case .boolean(let value): add(.boolean(value))
        case .date(let seconds): add(.date(seconds))
        case .uid(let value): add(.uid(value))
        }
    }

    mutating func warning(_ message: String, at position: SourcePosition) { warnings.append("\(position): \(message)") }

    func currentPath() -> String? { keys.isEmpty ? nil : "/" + keys.joined(separator: "/") }
}

/// The formats that are both read and written.
enum Format: CaseIterable {
    case binary, xml, json

    /// The document that the writer makes of a value.
    func write(_ tree: Tree) throws(PropertyListError) -> [UInt8] {
        switch self {
        case .binary:
            var writer = BinaryPropertyListWriter()
            try tree.tell(&writer)
            try writer.finish()
            return bytes(writer.output.span)
        case .xml:
            var writer = XMLPropertyListWriter()
            try tree.tell(&writer)
            try writer.finish()
            return bytes(writer.output.span)
        case .json:
            var writer = JSONPropertyListWriter()
            try tree.tell(&writer)
            try writer.finish()
            return bytes(writer.output.span)
        }
    }

    /// The value that the reader makes of a document.
    func read(
        _ document: [UInt8], limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) -> Tree? {
        var recorder = TreeRecorder()
        try read(.memory(document), limits: limits, into: &recorder)
        return recorder.root
    }

    func read(
        _ input: DocumentInput, limits: PropertyListLimits, into recorder: inout TreeRecorder
    ) throws(PropertyListError) {
        switch self {
        case .binary: try BinaryPropertyListReader.read(input, limits: limits, into: &recorder)
        case .xml: try XMLPropertyListReader.read(input, limits: limits, into: &recorder)
        case .json: try JSONPropertyListReader.read(input, limits: limits, into: &recorder)
        }
    }

    /// The sentence with which a document is refused; nil if it is read.
    func refusal(of document: [UInt8], limits: PropertyListLimits = PropertyListLimits()) -> String? {
        do {
            _ = try read(document, limits: limits)
            return nil
        } catch {
            return error.description
        }
    }

    private func bytes(_ span: Span<UInt8>) -> [UInt8] { span.indices.map { span[$0] } }
}

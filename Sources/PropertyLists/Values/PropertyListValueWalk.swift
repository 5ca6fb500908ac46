/// Sends a value as the events of a reader, without recursion.
///
/// If the consumer throws an error, `pointer` is the position of the refused value.
public struct PropertyListValueWalk {
    private enum Frame {
        case array([PropertyListValue], next: Int)
        case dictionary([PropertyListDictionary.Entry], next: Int)
    }

    private var start: PropertyListValue?
    private var stack: [Frame] = []
    private static let nowhere = SourcePosition.byte(offset: 0)

    /// Creates a walk over a value.
    public init(_ value: PropertyListValue) { start = value }

    /// The position of the value that was sent last, as a JSON pointer (RFC 6901); empty for the whole value.
    public var pointer: String {
        stack.map { frame in
            switch frame {
            case .array(_, let next): JSONPointer.step(next - 1)
            case .dictionary(let entries, let next): JSONPointer.step(entries[next - 1].key)
            }
        }.joined()
    }

    /// Sends all events.
    public mutating func finish<Consumer: PropertyListConsumer & ~Copyable>(
        to consumer: inout Consumer
    ) throws(PropertyListError) {
        if let value = start.take() { try send(value, to: &consumer) }
        while let top = stack.popLast() {
            switch top {
            case .array(let values, let next):
                guard next < values.count else {
                    try consumer.endArray()
                    continue
                }
                stack.append(.array(values, next: next + 1))
                try send(values[next], to: &consumer)
            case .dictionary(let entries, let next):
                guard next < entries.count else {
                    try consumer.endDictionary()
                    continue
                }
                stack.append(.dictionary(entries, next: next + 1))
                var key = entries[next].key
                key.makeContiguousUTF8()
                try consumer.key(key.utf8Span.span, at: Self.nowhere)
                try send(entries[next].value, to: &consumer)
            }
        }
    }

    private mutating func send<Consumer: PropertyListConsumer & ~Copyable>(
        _ value: PropertyListValue, to consumer: inout Consumer
    ) throws(PropertyListError) {
        switch value {
        case .string(var text):
            text.makeContiguousUTF8()
            try consumer.string(text.utf8Span.span, at: Self.nowhere)
        case .integer, .real, .boolean, .date, .uid:
            if let scalar = value.scalar { try consumer.scalar(scalar) }
        case .data(let bytes): try consumer.data(bytes.span)
        case .null: try consumer.null()
        case .array(let values):
            try consumer.beginArray(at: Self.nowhere)
            stack.append(.array(values, next: 0))
        case .dictionary(let dictionary):
            try consumer.beginDictionary(at: Self.nowhere)
            stack.append(.dictionary(dictionary.entries, next: 0))
        }
    }
}

extension PropertyListValue {
    /// Sends the value as the events of a reader.
    public func tell<Consumer: PropertyListConsumer & ~Copyable>(
        to consumer: inout Consumer
    ) throws(PropertyListError) {
        var walk = PropertyListValueWalk(self)
        try walk.finish(to: &consumer)
    }
}

/// The steps of a JSON pointer (RFC 6901).
public enum JSONPointer {
    /// The step to an entry, by its key.
    public static func step(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return "/" + key }
        var step = "/"
        for scalar in key.unicodeScalars {
            switch scalar {
            case "~": step += "~0"
            case "/": step += "~1"
            default: step.unicodeScalars.append(scalar)
            }
        }
        return step
    }

    /// The step to an element, counted from 0.
    public static func step(_ index: Int) -> String { "/\(index)" }
}

import Bytes
import PropertyLists

/// Puts the events of a document together to a value.
struct ValueReader: PropertyListConsumer {
    private enum Container {
        case array([Value])
        case dictionary([Value.Entry], key: String)
    }

    private var open: [Container] = []
    private(set) var values: [Value] = []

    private mutating func add(_ value: Value) {
        switch open.popLast() {
        case .array(let values): open.append(.array(values + [value]))
        case .dictionary(let entries, let key): open.append(.dictionary(entries + [Value.Entry(key, value)], key: ""))
        case nil: values.append(value)
        }
    }

    private mutating func close() {
        switch open.popLast() {
        case .array(let values): add(.array(values))
        case .dictionary(let entries, _): add(.dictionary(entries))
        case nil: break
        }
    }

    mutating func beginDictionary(at position: SourcePosition) { open.append(.dictionary([], key: "")) }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        guard case .dictionary(let entries, _) = open.popLast() else { return }
        open.append(.dictionary(entries, key: String(utf8: name)))
    }

    mutating func endDictionary() { close() }
    mutating func beginArray(at position: SourcePosition) { open.append(.array([])) }
    mutating func endArray() { close() }
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

}

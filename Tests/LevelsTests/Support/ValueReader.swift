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
    mutating func integer(_ value: PropertyListInteger) { add(.integer(value)) }
    mutating func real(_ value: Double) { add(.real(value)) }
    mutating func boolean(_ value: Bool) { add(.boolean(value)) }
    mutating func date(_ seconds: Double) { add(.date(seconds)) }
    mutating func data(_ bytes: Span<UInt8>) { add(.data(bytes.indices.map { bytes[$0] })) }
    mutating func uid(_ value: UInt64) { add(.uid(value)) }
}

extension Value {
    /// The same value if both are told, bit for bit: `==` takes texts for equal that are only canonically so, and
    /// `nan` for unequal to itself.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.string(let one), .string(let two)): one.utf8.elementsEqual(two.utf8)
        case (.real(let one), .real(let two)): one.bitPattern == two.bitPattern
        case (.date(let one), .date(let two)): one.bitPattern == two.bitPattern
        case (.array(let one), .array(let two)):
            one.count == two.count && zip(one, two).allSatisfy { $0.isSame(as: $1) }
        case (.dictionary(let one), .dictionary(let two)):
            one.count == two.count
                && zip(one, two).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.isSame(as: $1.value) }
        default: self == other
        }
    }

    /// The value as every reader of dictionaries has it: the last of each key, and no order of entries.
    var canonical: Value {
        switch self {
        case .array(let values): return .array(values.map(\.canonical))
        case .dictionary(let entries):
            var last: [[UInt8]: Value] = [:]
            for entry in entries { last[Array(entry.key.utf8)] = entry.value.canonical }
            let sorted = last.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            return .dictionary(sorted.map { Value.Entry(String(decoding: $0.key, as: UTF8.self), $0.value) })
        default: return self
        }
    }
}

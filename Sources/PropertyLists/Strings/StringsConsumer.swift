import Bytes

/// Collects the texts of a property list that is one dictionary of them.
struct StringsConsumer: PropertyListConsumer {
    private(set) var texts: [String: String] = [:]
    private var depth = 0
    /// The key in the outermost dictionary.
    private var key: String?

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) { depth += 1 }

    mutating func endDictionary() throws(PropertyListError) { depth -= 1 }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        guard depth > 0 else { throw Self.noDictionary }
        depth += 1
    }

    mutating func endArray() throws(PropertyListError) { depth -= 1 }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        if depth == 1 { key = String(utf8: name) }
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        guard depth > 0 else { throw Self.noDictionary }
        if depth == 1, let key { texts[key] = String(utf8: text) }
    }

    mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) { try pass() }
    mutating func real(_ value: Double) throws(PropertyListError) { try pass() }
    mutating func boolean(_ value: Bool) throws(PropertyListError) { try pass() }
    mutating func date(_ seconds: Double) throws(PropertyListError) { try pass() }
    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) { try pass() }
    mutating func uid(_ value: UInt64) throws(PropertyListError) { try pass() }

    private func pass() throws(PropertyListError) { if depth == 0 { throw Self.noDictionary } }

    private static let noDictionary = PropertyListError("a property list of strings must be a dictionary")
}

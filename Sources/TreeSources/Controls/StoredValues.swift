internal import Bytes
internal import PropertyLists

/// The content of a values document.
struct StoredValues {
    /// The values by key.
    var values = PropertyListDictionary()
    /// Where the keys are in the file.
    var positions: [String: SourcePosition] = [:]
    /// The syntax of the file; nil if it does not exist.
    var syntax: PropertyListSyntax?
    /// The state of the file when it was read; nil if it does not exist.
    var identity: FileIdentity?

    /// The state of the file as a source.
    var fingerprint: Fingerprint { identity.map(Fingerprint.init) ?? .missing }
}

/// Reads a values document, which is a dictionary.
struct StoredValuesReader: PropertyListConsumer {
    private var builder = PropertyListValueBuilder()
    private var depth = 0
    private(set) var positions: [String: SourcePosition] = [:]

    /// The entries of the dictionary.
    var values: PropertyListDictionary {
        if case .dictionary(let values) = builder.value { values } else { PropertyListDictionary() }
    }

    /// - Throws: `PropertyListError` if the document is not a dictionary.
    private func checkIsInside(at position: SourcePosition? = nil) throws(PropertyListError) {
        guard depth == 0 else { return }
        throw PropertyListError("a values document must be a dictionary of values by the controls' keys", at: position)
    }

    mutating func beginDictionary(at position: SourcePosition) throws(PropertyListError) {
        depth += 1
        try builder.beginDictionary(at: position)
    }

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) {
        if depth == 1 { positions[String(utf8: name)] = position }
        builder.key(name, at: position)
    }

    mutating func endDictionary() {
        depth -= 1
        builder.endDictionary()
    }

    mutating func beginArray(at position: SourcePosition) throws(PropertyListError) {
        try checkIsInside(at: position)
        depth += 1
        try builder.beginArray(at: position)
    }

    mutating func endArray() {
        depth -= 1
        builder.endArray()
    }

    mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        try checkIsInside()
        try builder.string(text)
    }

    mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        try checkIsInside()
        try builder.integer(value)
    }

    mutating func real(_ value: Double) throws(PropertyListError) {
        try checkIsInside()
        try builder.real(value)
    }

    mutating func boolean(_ value: Bool) throws(PropertyListError) {
        try checkIsInside()
        try builder.boolean(value)
    }

    mutating func date(_ seconds: Double) throws(PropertyListError) {
        try checkIsInside()
        try builder.date(seconds)
    }

    mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        try checkIsInside()
        try builder.data(bytes)
    }

    mutating func uid(_ value: UInt64) throws(PropertyListError) {
        try checkIsInside()
        try builder.uid(value)
    }
}

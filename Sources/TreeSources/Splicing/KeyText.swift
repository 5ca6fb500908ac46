internal import Bytes
internal import PropertyLists

/// Reads the keys of a document, as the readers do.
struct KeyText {
    private let syntax: FragmentWriter.Syntax

    init(_ syntax: FragmentWriter.Syntax) { self.syntax = syntax }

    /// The name that a key, with its tags or quotes, is for.
    func name(_ key: Range<Int>, in text: DocumentText) throws(PropertyListError) -> [UInt8] {
        let bytes = try text.utf8(key)
        if let plain = plainName(bytes) { return plain }
        var name = KeyCollector()
        let limits = PropertyListLimits()
        switch syntax {
        case .xml:
            let input = DocumentInput.memory(Array("<dict>".utf8) + bytes + Array("<true/></dict>".utf8))
            try XMLPropertyListReader.read(input, limits: limits, into: &name)
        case .json:
            let input = DocumentInput.memory(Array("{".utf8) + bytes + Array(":1}".utf8))
            try JSONPropertyListReader.read(input, limits: limits, into: &name)
        }
        return name.name
    }

    /// The name of a key without entities, escapes and markup; nil for others.
    private func plainName(_ key: [UInt8]) -> [UInt8]? {
        switch syntax {
        case .json:
            guard key.count >= 2, key.first == UInt8(ascii: "\""), key.last == UInt8(ascii: "\"") else { return nil }
            let name = key[1..<key.count - 1]
            return name.contains(UInt8(ascii: "\\")) ? nil : Array(name)
        case .xml:
            guard key.starts(with: Self.start), key.count >= Self.start.count + Self.end.count else { return nil }
            let name = key[Self.start.count..<key.count - Self.end.count]
            let isPlain = !name.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") || $0 == 13 }
            return isPlain && key.suffix(Self.end.count).elementsEqual(Self.end) ? Array(name) : nil
        }
    }

    private static let start = Array("<key>".utf8)
    private static let end = Array("</key>".utf8)
}

/// Takes the one key of a document.
private struct KeyCollector: PropertyListConsumer {
    private(set) var name: [UInt8] = []

    mutating func key(_ name: Span<UInt8>, at position: SourcePosition) { self.name = Array(copying: name) }
    mutating func beginDictionary(at position: SourcePosition) {}
    mutating func endDictionary() {}
    mutating func beginArray(at position: SourcePosition) {}
    mutating func endArray() {}
    mutating func string(_ text: Span<UInt8>) {}
    mutating func integer(_ value: PropertyListInteger) {}
    mutating func real(_ value: Double) {}
    mutating func boolean(_ value: Bool) {}
    mutating func date(_ seconds: Double) {}
    mutating func data(_ bytes: Span<UInt8>) {}
    mutating func uid(_ value: UInt64) {}
}

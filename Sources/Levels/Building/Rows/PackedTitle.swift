internal import Bytes
internal import PropertyLists

/// The title or the key of a row: a text in its fields, or the JSON text of a value in them.
struct PackedTitle {
    /// The offset of the value.
    let source: Int
    let text: Text

    enum Text {
        case range(Range<Int>)
        case made(String)
    }

    /// The title of a dictionary under the first of several names that it has; nil if it has none of them, or if the value
    /// is no title.
    ///
    /// - Parameter names: names, or paths with dots.
    init?(under names: [[UInt8]], of fields: Range<Int>, in bytes: Span<UInt8>) {
        guard let value = PackedDictionary(bytes: bytes, fields: fields).value(underFirstOf: names) else { return nil }
        self.init(titleAt: value, in: bytes)
    }

    /// The title of a dictionary; nil if the value under the path is missing or no title.
    ///
    /// - Parameter path: one name, or the name of an inner dictionary and a name in it.
    init?(path: [[UInt8]], of fields: Range<Int>, in bytes: Span<UInt8>) {
        guard let value = Self.value(path, of: fields, in: bytes) else { return nil }
        self.init(titleAt: value, in: bytes)
    }

    /// The offset of the value under a path of one or two names; nil if it is missing, and for the second name in a map.
    static func value(_ path: [[UInt8]], of fields: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        guard let first = path.first,
            let value = PackedDictionary(bytes: bytes, fields: fields).firstValue(first.span)
        else { return nil }
        guard path.count > 1, let second = path.last else { return value }
        guard !isMap(fields, in: bytes), let inner = PackedReader(bytes: bytes, at: value).fields else { return nil }
        return PackedDictionary(bytes: bytes, fields: inner).firstValue(second.span)
    }

    private init?(titleAt value: Int, in bytes: Span<UInt8>) {
        source = value
        let reader = PackedReader(bytes: bytes, at: value)
        if let range = reader.text {
            guard range.count > 0, range.count <= ShortText.mostBytes else { return nil }
            text = .range(range)
        } else if let made = reader.scalarText {
            text = .made(made)
        } else {
            return nil
        }
    }

    /// The key of a dictionary under the first of several names that it has: a short text, or an integer; otherwise nil.
    ///
    /// - Parameter names: names, or paths with dots.
    init?(key names: [[UInt8]], of fields: Range<Int>, in bytes: Span<UInt8>) {
        guard let value = PackedDictionary(bytes: bytes, fields: fields).value(underFirstOf: names) else { return nil }
        source = value
        let reader = PackedReader(bytes: bytes, at: value)
        if let range = reader.text {
            guard Self.isKey(bytes.extracting(range)) else { return nil }
            text = .range(range)
        } else {
            var value = reader
            let tag = PackedTag(rawValue: value.byte())
            guard tag == .positive || tag == .negative, let made = value.scalar(tag)?.text else { return nil }
            text = .made(made)
        }
    }

    private static func isMap(_ fields: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        PackedField.all(in: fields, of: bytes).allSatisfy { [.hole, .array, .dictionary].contains($0.tag) }
    }

    /// The range of the title in the bytes, to which a text is appended.
    func range(in bytes: inout ByteBuffer) -> Range<Int> {
        switch text {
        case .range(let range): return range
        case .made(let text):
            let start = bytes.count
            bytes.append(text)
            return start..<bytes.count
        }
    }

    /// The range of the title in bytes that are followed by loose texts.
    ///
    /// - Parameter end: the number of the bytes before the loose texts.
    func range(appendingTo loose: inout ByteBuffer, at end: Int) -> Range<Int> {
        let range = range(in: &loose)
        if case .range = text { return range }
        return range.moved(by: end)
    }

    /// The hash of the text in Unicode NFC.
    func hash(in bytes: Span<UInt8>) -> UInt64 {
        switch text {
        case .made(let text): return TableHash.of(text.utf8Span.span)
        case .range(let range):
            let text = bytes.extracting(range)
            guard !ItemKey.isPlain(text) else { return TableHash.of(text) }
            let normalized = ItemKey.normalized(text)
            return TableHash.of(normalized.span)
        }
    }

    /// Whether a text can be a key: it has 1 to 256 bytes in Unicode NFC.
    static func isKey(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return false }
        let length = ItemKey.isPlain(text) ? text.count : ItemKey.normalized(text).count
        return length <= ShortText.mostBytes
    }
}

/// The fields that may contain the titles and the keys of the dictionaries in one list or map.
struct RowTitles: Hashable, Sendable {
    /// The path of names that leads to the title: one name, or two; empty if no field gives titles.
    var title: [[UInt8]] = []
    /// The names of fields that enough of the dictionaries have, the first choice first. Whether their values differ is
    /// decided when the list is complete.
    var keys: [[UInt8]] = []
}

/// What was decided about a document that is read as it is. A later reading of the same document keeps it as long as it
/// fits, so that one odd record moves no path but its own (manual, Documents as they are).
public struct KeptReading: Sendable {
    /// The document. The fields that title and key its rows are those that do so in its levels.
    public let document: Level
    /// The names of arrays that hold children.
    let childrenNames: [String]
    /// Whether the document itself is a map, whose dictionaries have titles.
    let isRootMap: Bool
    /// The sentence about the reading.
    let sentence: String?
    /// The fields of lists that have no rows at the moment, by path.
    let emptied: [[[UInt8]]: RowTitles]

    /// The same decisions for a later state of the document.
    public func following(_ document: Level) -> KeptReading {
        KeptReading(
            document: document, childrenNames: childrenNames, isRootMap: isRootMap, sentence: sentence,
            emptied: emptied)
    }
}

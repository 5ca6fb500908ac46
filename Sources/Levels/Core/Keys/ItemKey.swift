internal import Bytes
internal import PropertyLists

/// The rules of an item's natural key: its `Key` or title in Unicode NFC, but never a segment that URLs drop.
enum ItemKey {
    /// Whether a text is certainly in NFC: all characters below U+0300 are, and those from U+4000 to U+9FFF.
    @inline(__always)
    static func isPlain(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] >= 0xCC && !(0xE4...0xE9).contains(text[index]) { return false }
        return true
    }

    /// Whether `~1` must follow, because a URL cannot contain the segment (RFC 3986, section 5.2.4).
    @inline(__always)
    static func needsMark(_ text: Span<UInt8>) -> Bool {
        switch text.count {
        case 0: true
        case 1: text[0] == UInt8(ascii: ".")
        case 2: text[0] == UInt8(ascii: ".") && text[1] == UInt8(ascii: ".")
        default: false
        }
    }

    /// A text in NFC.
    static func normalized(_ text: Span<UInt8>) -> [UInt8] {
        isPlain(text) ? Array(copying: text) : NormalizationFormC.text(of: text)
    }

    /// The natural key of a text.
    static func natural(_ text: Span<UInt8>) -> [UInt8] {
        var key = normalized(text)
        if needsMark(key.span) { key += [UInt8(ascii: "~"), UInt8(ascii: "1")] }
        return key
    }
}

/// What a row's key would be without its siblings (manual, Paths and keys), and what that implies for their keys.
extension Level {
    /// A row's key before siblings with the same key made a number necessary.
    ///
    /// - Parameter names: the names of the field that holds a key.
    func naturalKey(of number: Int, _ names: StructuralNames) -> [UInt8] {
        let bytes = bytes
        let row = row(number)
        let key = bytes.span.extracting(row.key)
        guard row.flags.contains(.hasOwnKey) else { return Array(copying: key) }
        guard row.flags.contains(.hasExplicitKey) else { return ItemKey.natural(bytes.span.extracting(row.title)) }
        guard ItemKey.numberedBase(of: key) != nil else { return Array(copying: key) }
        for name in names[.key] {
            guard let value = PackedFieldList.value(named: name, in: bytes.span, row.fields) else { continue }
            var reader = PackedReader(bytes.span, at: value)
            guard reader.byte() == PackedTag.string.rawValue else { break }
            return ItemKey.natural(bytes.span.extracting(reader.run()))
        }
        return Array(copying: key)
    }

    /// Whether a row can be removed or moved without changing the key of any other row.
    func isAlone(_ number: Int, _ names: StructuralNames) -> Bool {
        let natural = naturalKey(of: number, names)
        let bytes = bytes
        guard bytes.span.extracting(row(number).key).isEqual(to: natural.span), !isShared(natural, names) else {
            return false
        }
        // Among rows that share the key `a`, one may have skipped `a~2` because this row has it.
        guard let base = ItemKey.numberedBase(of: natural.span) else { return true }
        return !isShared(Array(natural[..<base]), names)
    }

    /// Whether several rows have this natural key; the second of them then has a number after it.
    private func isShared(_ natural: [UInt8], _ names: StructuralNames) -> Bool {
        guard row(withKey: natural.span) != nil else { return false }
        var number = 2
        while true {
            let numbered = natural + Array("~\(number)".utf8)
            guard let found = row(withKey: numbered.span) else { return false }
            guard naturalKey(of: found, names) == numbered else { return true }
            number += 1
        }
    }

    /// The hash of a row's key.
    func keyHash(_ number: Int) -> UInt64 {
        let bytes = bytes
        return ContentHash.short(of: bytes.span.extracting(row(number).key))
    }
}

extension ItemKey {
    /// Where the numeric suffix of a key begins: `~` and a number from 2 on; nil without one.
    static func numberedBase(of key: Span<UInt8>) -> Int? {
        var start = key.count
        while start > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(key[start - 1]) { start -= 1 }
        guard start > 0, start < key.count, key[start - 1] == UInt8(ascii: "~"), key[start] != UInt8(ascii: "0") else {
            return nil
        }
        let isOne = key.count - start == 1 && key[start] == UInt8(ascii: "1")
        return isOne ? nil : start - 1
    }
}

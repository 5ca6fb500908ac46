import Bytes
internal import PropertyLists

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

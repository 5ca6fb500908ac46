internal import Bytes
internal import PropertyLists

extension Level {
    /// The maximum number of children for `rowsHash`, which visits all of them.
    private static let rowsHashLimit = 4_096

    /// The hash of the rows, the sections, the number of rows below each row and why a level below could not be read, but
    /// nothing else of the levels below; nil for a level with very many children.
    ///
    /// Time is linear in the children, not in the bytes of the rows.
    package var rowsHash: ContentHash? {
        guard children.count <= Self.rowsHashLimit else { return nil }
        var summary = ByteBuffer(capacity: 32 + children.count * 8)
        summary.append(form.rawValue)
        summary.append(littleEndian: ownHash.high)
        summary.append(littleEndian: ownHash.low)
        summary.append(littleEndian: UInt64(count))
        for child in children {
            summary.append(littleEndian: UInt64(child?.count ?? 0))
            guard let child, child.refusal != nil else { continue }
            summary.append(littleEndian: child.hash.high)
            summary.append(littleEndian: child.hash.low)
        }
        for section in allSections { section.summarize(into: &summary) }
        return ContentHash(of: summary.span)
    }
}

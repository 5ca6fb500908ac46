internal import Bytes
internal import PropertyLists

extension Level {
    /// The maximum number of children for `rowsHash`, which visits all of them.
    private static let rowsHashLimit = 4_096

    /// The hash of the rows, the sections and the number of rows below each row, but nothing else of the levels below;
    /// nil for a level with very many children.
    ///
    /// Time is linear in the children, not in the bytes of the rows.
    package var rowsHash: ContentHash? {
        guard children.count <= Self.rowsHashLimit else { return nil }
        var summary = ByteBuffer(capacity: 32 + children.count * 8)
        summary.append(form.rawValue)
        summary.append(littleEndian: ownHash.high)
        summary.append(littleEndian: ownHash.low)
        summary.append(littleEndian: UInt64(count))
        for row in children.indices { summary.append(littleEndian: UInt64(childCount(row))) }
        for section in allSections { section.summarize(into: &summary) }
        return ContentHash(of: summary.span)
    }
}

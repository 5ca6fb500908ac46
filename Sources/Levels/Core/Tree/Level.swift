import Bytes
internal import PropertyLists

/// The ordered list of an item's children: the unit of serving, caching, comparing and replacing.
///
/// Its rows are packed in one block. It is immutable, does not know its parent, and many snapshots may share it.
///
/// The document of a tree is a level with one row, the root. `child` returns the level below a row:
///
///     let level = tree.document.child(0)
///     for row in 0..<(level?.count ?? 0) { print(level?.title(row) ?? "") }
public final class Level: Sendable {
    /// The packed level. It begins with the offsets of the rows and of the end, four bytes each. In a short level, a
    /// byte of each key's hash follows. The rows come last. See `Row` and `KeyIndex`.
    public let bytes: [UInt8]
    /// The levels below the rows; empty if all rows are leaves.
    let children: [Level?]
    /// All sections, the hidden ones last; empty for a plain list.
    let allSections: [Section]
    let keyIndex: KeyIndex
    /// The number of shown rows. Hidden rows follow the shown rows.
    public let count: Int
    /// The number of shown items in and below this level.
    public let itemCount: Int
    /// The hash of the content of this level and of all levels below it.
    public let hash: ContentHash
    /// The hash of `bytes` alone, so that a new level below a row does not require hashing the rows again.
    let ownHash: ContentHash
    /// The number of hidden items in and below this level, which `itemCount` excludes.
    let hiddenItemCount: UInt32
    /// The number of levels in the deepest branch, this level included; 0 without rows.
    let height: UInt16
    /// The form of the rows in the document.
    public let form: LevelForm
    /// Whether XML cannot represent some text or date in or below this level.
    public let holdsTextBeyondXML: Bool
    /// Whether XML cannot represent some text or date in the rows and sections themselves.
    let rowsHoldTextBeyondXML: Bool
    /// Whether the level of some row in or below this level comes from another file; see `PartReference`.
    public let holdsParts: Bool
    /// Whether the level of a row in this level itself comes from another file.
    let rowsHoldParts: Bool
    /// Whether an item in or below this level may order the item's own level (`Item.Step.order`). The value stays true
    /// after the item is removed.
    public let mayHoldOrders: Bool
    // With this order of properties, an object fits into a block of 128 bytes; a large tree has a million levels.

    /// - Parameter mayHoldOrders: whether an item of this level itself may order the item's own level. The initializer
    ///   examines the levels below.
    init(
        bytes: [UInt8], children: [Level?], sections: [Section], keyIndex: KeyIndex, form: LevelForm,
        ownHash: ContentHash, rowsHoldTextBeyondXML: Bool, rowsHoldParts: Bool, mayHoldOrders: Bool
    ) {
        self.bytes = bytes
        self.children = children
        self.keyIndex = keyIndex
        self.form = form
        self.ownHash = ownHash
        self.rowsHoldTextBeyondXML = rowsHoldTextBeyondXML
        self.rowsHoldParts = rowsHoldParts
        allSections = sections
        let hidden = Section.hiddenRows(in: sections)
        let totals = LevelTotals(rows: keyIndex.rowCount, hidden: hidden, children: children)
        count = keyIndex.rowCount - hidden
        itemCount = totals.items
        hiddenItemCount = UInt32(clamping: totals.hiddenItems)
        height = UInt16(clamping: totals.height)
        holdsTextBeyondXML = rowsHoldTextBeyondXML || totals.holdTextBeyondXML
        holdsParts = rowsHoldParts || totals.holdParts
        self.mayHoldOrders = mayHoldOrders || totals.mayHoldOrders
        hash = Self.hash(ownHash, children: children, sections: sections, form: form)
    }

    /// - Parameter mayHoldTextBeyondXML: whether the rows must be searched for text that XML cannot represent.
    convenience init(
        bytes: [UInt8], children: [Level?], sections: [Section], keyIndex: KeyIndex, form: LevelForm,
        mayHoldTextBeyondXML: Bool, rowsHoldParts: Bool = false, mayHoldOrders: Bool = false
    ) {
        self.init(
            bytes: bytes, children: children, sections: sections, keyIndex: keyIndex, form: form,
            ownHash: ContentHash(of: bytes.span),
            rowsHoldTextBeyondXML: mayHoldTextBeyondXML
                && TextBeyondXML.isIn(rowsOf: bytes, count: keyIndex.rowCount, sections: sections, form: form),
            rowsHoldParts: rowsHoldParts, mayHoldOrders: mayHoldOrders)
    }

    /// The number of rows, including hidden ones.
    package var rowCount: Int { keyIndex.rowCount }

    /// The sections that are shown; empty for a plain list.
    public var sections: ArraySlice<Section> { allSections.prefix { !$0.isHidden } }

    /// Whether the level is a settings page of sections without rows, such as acknowledgements: it is not a leaf.
    public var showsOnlySections: Bool { form == .specifiers && count == 0 && !sections.isEmpty }

    /// The approximate memory use without the levels below, in bytes.
    public var residentBytes: Int {
        bytes.count + children.count * 8 + keyIndex.residentBytes + allSections.reduce(256) { $0 + $1.residentBytes }
    }

    /// The level below a row; nil for a leaf.
    @inline(__always)
    public func child(_ row: Int) -> Level? { children.isEmpty ? nil : children[row] }

    /// The number of rows that the level below a row shows.
    @inline(__always)
    public func childCount(_ row: Int) -> Int { child(row)?.count ?? 0 }

    /// The parts of a row, as ranges of `bytes`.
    @inline(__always)
    public func row(_ number: Int) -> Row {
        precondition(number >= 0 && number < rowCount)
        let bytes = bytes
        return Row(in: bytes.span, number: number)
    }

    /// The shown row with this key, if any.
    public func row(withKey key: Span<UInt8>) -> Int? {
        let bytes = bytes
        let found = keyIndex.row(hash: ContentHash.short(of: key), in: bytes.span) { candidate in
            bytes.span.extracting(row(candidate).key).isEqual(to: key)
        }
        return found.flatMap { $0 < count ? $0 : nil }
    }

    /// The shown row whose key has this XXH3-64 hash, if any.
    public func row(withKeyHash hash: UInt64) -> Int? {
        let bytes = bytes
        let found = keyIndex.row(hash: hash, in: bytes.span) { candidate in
            ContentHash.short(of: bytes.span.extracting(row(candidate).key)) == hash
        }
        return found.flatMap { $0 < count ? $0 : nil }
    }

    /// The range of some rows in the bytes.
    func packed(_ rows: Range<Int>) -> Range<Int> {
        let bytes = bytes
        var start = PackedReader(bytes: bytes.span, at: rows.lowerBound * 4)
        var end = PackedReader(bytes: bytes.span, at: rows.upperBound * 4)
        return start.halfWord()..<end.halfWord()
    }

    public func key(_ number: Int) -> String { text(row(number).key) }

    public func title(_ number: Int) -> String { text(row(number).title) }

    func keyHash(_ number: Int) -> UInt64 {
        let bytes = bytes
        return ContentHash.short(of: bytes.span.extracting(row(number).key))
    }

    private func text(_ range: Range<Int>) -> String {
        let bytes = bytes
        return String(utf8: bytes.span.extracting(range))
    }

    private static func hash(
        _ own: ContentHash, children: [Level?], sections: [Section], form: LevelForm
    ) -> ContentHash {
        if children.isEmpty, sections.isEmpty, form == .rows { return own }
        var summary = ByteBuffer(capacity: 32 + children.count * 17)
        summary.append(form.rawValue)
        summary.append(own)
        for child in children {
            summary.append(child == nil ? 0 : 1 as UInt8)
            if let child { summary.append(child.hash) }
        }
        for section in sections { section.summarize(into: &summary) }
        return ContentHash(of: summary.span)
    }
}

extension Section {
    func summarize(into summary: inout ByteBuffer) {
        for text in [title, index, footer] {
            summary.append(littleEndian: text.map { UInt64($0.utf8.count) } ?? .max)
            summary.append(text ?? "")
        }
        summary.append(littleEndian: UInt64(count))
        summary.append(isHidden ? 1 : 0 as UInt8)
        summary.append(littleEndian: UInt64(fields.count))
        summary.append(fields.span)
    }
}

extension Level {
    private static let rowsHashLimit = 4_096

    /// The hash of the rows and the sections. For each level below, the hash includes the number of rows. It also
    /// includes the hash of a level below that could not be read, shows only sections or is not in memory. Nil if this
    /// level has more than 4,096 rows, and levels below them.
    package var rowsHash: ContentHash? {
        guard children.count <= Self.rowsHashLimit else { return nil }
        var summary = ByteBuffer(capacity: 32 + children.count * 8)
        summary.append(form.rawValue)
        summary.append(ownHash)
        summary.append(littleEndian: UInt64(count))
        for child in children {
            summary.append(littleEndian: UInt64(child?.count ?? 0))
            guard let child, child.count == 0 else { continue }
            if child.refusal != nil || child.countElsewhere != nil || child.showsOnlySections {
                summary.append(child.hash)
            }
        }
        for section in allSections { section.summarize(into: &summary) }
        return ContentHash(of: summary.span)
    }
}

/// Levels without rows of their own: the empty level, levels that could not be read, and levels whose rows are not in
/// memory.
///
/// The reason why a level could not be read is packed after the empty table of rows, so that the reason counts as
/// content.
extension Level {
    private static let emptyTable: [UInt8] = [4, 0, 0, 0]

    private convenience init(withoutRows bytes: [UInt8], form: LevelForm = .rows) {
        self.init(
            bytes: bytes, children: [], sections: [], keyIndex: KeyIndex(rowCount: 0), form: form,
            mayHoldTextBeyondXML: false)
    }

    /// The empty list of items, as a builder makes it.
    package static let empty = Level(withoutRows: emptyTable)

    /// An empty array in a document that is read as it is.
    package static let emptyList = Level(withoutRows: emptyTable, form: .list)

    /// Makes a level without rows for a part that could not be read.
    ///
    /// - Parameter sentence: the reason, a whole sentence for clients.
    public static func refused(_ sentence: String) -> Level { Level(withoutRows: emptyTable + Array(sentence.utf8)) }

    /// The reason why the level could not be read; nil for every other level.
    @inline(__always)
    public var refusal: String? {
        count == 0 && rowCount == 0 && bytes.count > Self.emptyTable.count && countElsewhere == nil ? sentence : nil
    }

    /// Makes a level without rows in place of rows that are not in memory.
    ///
    /// - Parameter count: the approximate number of the rows; 0 counts as 1.
    public static func elsewhere(count: Int) -> Level {
        let number = UInt64(max(1, count))
        return Level(withoutRows: emptyTable + [0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    /// The approximate number of the rows, if the rows are not in memory; nil for every other level.
    public var countElsewhere: Int? {
        // No sentence begins with the byte 0.
        guard rowCount == 0, bytes.count == Self.emptyTable.count + 9, bytes[Self.emptyTable.count] == 0 else {
            return nil
        }
        return (0..<8).reduce(0) { $0 | Int(bytes[Self.emptyTable.count + 1 + $1]) << ($1 * 8) }
    }

    private var sentence: String {
        let bytes = bytes
        return String(utf8: bytes.span.extracting(Self.emptyTable.count..<bytes.count))
    }
}

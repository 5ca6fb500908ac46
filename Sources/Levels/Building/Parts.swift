internal import Bytes
internal import PropertyLists

/// Parts: items whose level comes from another file, or from a database.
extension TreeBuilder {
    /// Notes the parts that contain the innermost item's level. Returns whether the item has any.
    ///
    /// - Throws: `PropertyListError` if the item has only one of `Records` and `DrillBy`.
    @inline(__always)
    mutating func noteParts() throws(PropertyListError) -> Bool {
        var isPart = false
        if let database {
            note(database)
            isPart = true
        } else if items.levelSlot == .records || items.field(.drillBy) != nil {
            isPart = try noteTable()
        }
        if items.levelSlot == .none, let source, pageField == nil {
            note(.document(String(utf8: tree.fields.bytes.span.extracting(source))))
            isPart = true
        }
        return isPart
    }

    /// Notes a part that contains the innermost item's level, unless it is already noted.
    mutating func note(_ part: PartReference) {
        guard !parts.contains(part) else { return }
        parts.add(
            PartMention(
                reference: part, position: items.innermost.place.position, path: currentPath() ?? "/"))
    }

    /// The text of the innermost item's `Source`; nil unless it is text.
    @inline(__always)
    var source: Range<Int>? {
        guard let field = items.field(.source) else { return nil }
        return tree.fields.textRange(tree.fields.start(field).name.upperBound)
    }

    /// The innermost item's database; nil if the item has a level of its own, or lacks the address of a database.
    @inline(__always)
    var database: PartReference? {
        guard items.field(.database) != nil, items.levelSlot == .none else { return nil }
        let content = items.innermost.base.start..<tree.fields.bytes.count
        return PackedDictionary(bytes: tree.fields.bytes.span, fields: content).database
    }
}

/// The first mention of each part of a document, in document order.
struct PartMentions {
    private(set) var all: [PartMention] = []
    private var known: Set<PartReference> = []

    func contains(_ part: PartReference) -> Bool { known.contains(part) }

    mutating func add(_ mention: PartMention) {
        known.insert(mention.reference)
        all.append(mention)
    }
}

internal import Bytes
public import PropertyLists

/// A row's reference to the file or database that contains the row's level.
public struct PartReference: Hashable, Sendable {
    /// The kind of a part, which determines how the part is read.
    public enum Kind: Hashable, Sendable {
        /// A document; the level of its root is the row's level (`Source`).
        case document
        /// A table; its records, divided by the fields to drill by, are the row's level (`Records`).
        case records(RecordDrilling)
        /// A database, whose rows are read for each answer (`Database`).
        case database(DatabaseReference)
    }

    /// The path as written, relative to the document's folder; for a database, its address.
    public let path: String
    /// The kind of the part.
    public let kind: Kind

    /// A document at a path.
    public static func document(_ path: String) -> PartReference { PartReference(path: path, kind: .document) }

    /// A table at a path.
    public static func records(_ path: String, drilling: RecordDrilling) -> PartReference {
        PartReference(path: path, kind: .records(drilling))
    }

    /// A database at an address, such as `sqlite:Shop.db`.
    static func database(_ address: String, reference: DatabaseReference) -> PartReference {
        PartReference(path: address, kind: .database(reference))
    }

    /// Whether the level is the result of a database query.
    public var holdsQuery: Bool { if case .database(let reference) = kind { reference.query != nil } else { false } }

    var isTable: Bool { kind != .document }

    /// The structural key for an item whose level is another document; `--keys` does not change it.
    static let sourceName = "Source"
    /// The structural key for an item whose level is a table.
    static let recordsName = "Records"
}

extension Level {
    /// A row's reference to another file or a database; nil without a reference.
    ///
    /// A child pane of a settings page does not count, because the rules of settings bundles determine the pane's file.
    public func part(_ number: Int) -> PartReference? {
        let row = row(number)
        guard row.flags.contains(.isPart), form != .specifiers else { return nil }
        let bytes = bytes
        if let table = table(ofRow: number) { return table }
        if let database = PackedDictionary(bytes: bytes.span, fields: row.fields).database { return database }
        return PackedDictionary(bytes: bytes.span, fields: row.fields).text(PartReference.sourceName).map {
            .document($0)
        }
    }
}

/// A reference to a part, and its place in the document.
public struct PartMention: Sendable, Equatable {
    /// The reference.
    public let reference: PartReference
    /// The position of the item; nil if the position is not known.
    public let position: SourcePosition?
    /// The titles from the root to the item with the reference, such as `/Item 4`; `/` at the root.
    public let path: String
}

extension Level {
    public var partReferences: Set<PartReference> { Set(partMentions.map(\.reference)) }

    /// The references of a document, each once, in document order.
    var partMentions: [PartMention] {
        guard holdsParts else { return [] }
        var known: Set<PartReference> = []
        var mentions: [PartMention] = []
        var stack = [(level: self, row: 0, titles: [String]())]
        while let (level, row, titles) = stack.popLast() {
            guard row < level.rowCount else { continue }
            stack.append((level, row + 1, titles))
            if level.rowsHoldParts, let reference = level.part(row), known.insert(reference).inserted {
                let path = titles.isEmpty ? "/" : TitlePath.text(titles)
                mentions.append(PartMention(reference: reference, position: nil, path: path))
            }
            guard let child = level.child(row), child.holdsParts else { continue }
            stack.append((child, 0, level === self ? [] : titles + [level.title(row)]))
        }
        return mentions
    }
}

extension Level {
    /// The titles from the root to an item that has both a `Source` and a level of its own; nil if no item has both.
    ///
    /// Builders keep the `Source` of this item as a plain field. A document that another server has composed
    /// contains items of this kind.
    public var levelBesideSource: String? {
        var stack = [(level: self, row: 0, titles: [String]())]
        while let (level, row, titles) = stack.popLast() {
            guard row < level.rowCount else { continue }
            stack.append((level, row + 1, titles))
            guard let child = level.child(row) else { continue }
            let names = level === self ? [] : titles + [level.title(row)]
            let bytes = level.bytes
            let source = PackedDictionary(bytes: bytes.span, fields: level.row(row).fields).value(
                PartReference.sourceName)
            if source != nil, level.part(row) == nil {
                return TitlePath.text(names)
            }
            stack.append((child, 0, names))
        }
        return nil
    }
}

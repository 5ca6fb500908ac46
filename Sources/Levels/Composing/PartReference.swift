internal import Bytes

/// What a row refers to if its level comes from another file.
public struct PartReference: Hashable, Sendable {
    /// How the file is read.
    public enum Kind: Hashable, Sendable {
        /// As a document, whose root's level is the row's (`Source`).
        case document
        /// As a table, whose records, drilled like this, are the row's level (`Records`).
        case records(RecordDrilling)
    }

    /// The path as the document has it, relative to the document's folder.
    public let path: String
    /// How the file is read.
    public let kind: Kind

    /// A document at a path.
    public static func document(_ path: String) -> PartReference { PartReference(path: path, kind: .document) }

    /// A table at a path.
    public static func records(_ path: String, _ drilling: RecordDrilling) -> PartReference {
        PartReference(path: path, kind: .records(drilling))
    }

    /// Whether the part is a table.
    var isTable: Bool { kind != .document }

    /// The structural key of an item whose level is another document; `--keys` does not change it.
    static let sourceName = "Source"
    /// The structural key of an item whose level is made of a table.
    static let recordsName = "Records"
}

extension Level {
    /// What a row refers to; nil unless its level comes from another file.
    ///
    /// A child pane of a settings page is none of these: what its `File` names is found by the rules of bundles.
    public func part(_ number: Int) -> PartReference? {
        let row = row(number)
        guard row.flags.contains(.isPart), form != .specifiers else { return nil }
        let bytes = bytes
        if let table = table(ofRow: number) { return table }
        guard
            let value = PackedFieldList.value(named: PartReference.sourceName, in: bytes.span, row.fields),
            bytes[value] == PackedTag.string.rawValue
        else { return nil }
        var reader = PackedReader(bytes.span, at: value + 1)
        return .document(String(utf8: bytes.span.extracting(reader.run())))
    }
}

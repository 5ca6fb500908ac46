import Levels
import TreeStore

/// The entity tags of an item's level, detail or document in one state: one for each format and language.
struct ItemTags {
    let subject: Inquiry.Subject
    let path: ItemPath
    private let snapshot: Snapshot
    private let selection: Selection

    init(_ subject: Inquiry.Subject, at path: ItemPath, in snapshot: Snapshot, _ selection: Selection) {
        self.subject = subject
        self.path = path
        self.snapshot = snapshot
        self.selection = selection
    }

    /// The tag of the answer to a plain GET; nil if there is no such item.
    var current: String? {
        guard let item = Self.item(path, snapshot.document) else { return nil }
        return selection.entityTag(subject, of: item, subject == .document ? .plist : .json)
    }

    /// The version of the item's own fields; nil if there is no such item, and for levels and documents.
    var fieldsVersion: String? {
        guard subject == .detail, let own = Self.item(path, snapshot.document)?.own else { return nil }
        let bytes = own.level.bytes
        return Version.short(RowFields.hash(of: own.level.row(own.row), in: bytes.span))
    }

    /// The first tag that is wanted; they are made one after the other, until one is.
    func first(where isWanted: (String) -> Bool) -> String? {
        for item in items {
            for format in formats {
                if let tag = selection.entityTag(subject, of: item, format), isWanted(tag) { return tag }
            }
        }
        return nil
    }

    private var formats: [Format] { subject == .document ? [.plist, .json, .binary] : [.json, .plist] }

    /// The item in the document as it is written, as its own file has it, and in each language.
    private var items: [Item] {
        guard let item = Self.item(path, snapshot.document) else { return [] }
        if subject == .document {
            return [item] + (snapshot.composition.map { [$0.origin(of: item).item] } ?? [])
        }
        let variants = snapshot.translations?.variants ?? []
        return [item] + variants.compactMap { Self.item(path, $0.document) }
    }

    private static func item(_ path: ItemPath, _ document: Level) -> Item? {
        if case .found(let item) = Item.find(path, in: document) { item } else { nil }
    }
}

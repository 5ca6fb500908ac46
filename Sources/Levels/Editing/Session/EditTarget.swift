/// An item to be edited: as clients see it in the whole document, and as it is in its file.
struct EditTarget {
    /// The item as clients see it.
    let shown: Item
    /// The number of the item's file in the session.
    let file: Int
    /// The item in the file's own document, without gathered edits.
    let item: Item
    /// The item's current path in the file.
    let path: [Int]

    /// The row numbers from the root's level to the row where the file is mounted; empty for the root's own file.
    var mount: [Int] { Array(shown.rowPath.prefix(shown.depth - item.depth)) }
}

extension EditTarget {
    /// Throws an `EditRefusal` if the item cannot be edited.
    ///
    /// - Parameter asOwner: whether the edit changes the level below the item instead of the item itself.
    func checkEditable(asOwner: Bool) throws(EditRefusal) {
        let level = item.level
        let forms = [shown.own.level.form, item.own.level.form] + (asOwner ? [level?.form, shown.level?.form] : [])
        for case let form? in forms {
            switch form {
            case .elements, .entries: throw EditRefusal(.anyShape)
            case .facets, .records: throw EditRefusal(.records)
            case .specifiers: throw Self.settingsPage
            case .rows, .arraysOfRows, .sections, .namedSections: continue
            }
        }
        if item.depth == 0, level?.form == .specifiers { throw Self.settingsPage }
        if asOwner, item.own.level.part(item.own.row)?.isTable == true { throw EditRefusal(.records) }
    }

    private static var settingsPage: EditRefusal {
        .conflict("a settings page cannot be edited; only the values of its controls can be set")
    }
}

/// The item of a step. Its path is kept up to date during the later steps.
struct FollowedItem {
    /// The row numbers from the root's level to the row where the file is mounted; empty for the root's own file.
    let mount: [Int]
    /// The item's path in the file; nil once the item is removed.
    private(set) var path: [Int]?
    let isNew: Bool

    /// Updates the path for an edit of a later step.
    mutating func take(_ edit: RowEdit) { path = path.flatMap(edit.place(of:)) }

    func item(in document: Level) -> EditedItem {
        guard let path, let item = Item(rowPath: mount + path, in: document) else { return .deleted }
        return .present(item, isNew: isNew)
    }
}

/// A file of the document, with its edits.
struct EditedFile: Sendable {
    /// The compositions of the file: before the edits, and with the edits so far. Nil for a document of one file.
    let original: Composition?
    var current: Composition?
    var draft: DocumentDraft
    let syntax: FileSyntax
}

/// An edited file, with everything that a writer of the file needs.
public struct ChangedFile: Sendable {
    /// The file's composition before the edits; nil for a document of one file.
    public let original: Composition?
    /// The file's document before and after the edits.
    public let old, new: Level
    /// The provenance of the rows of `new`.
    public let provenance: Provenance

    package init(original: Composition? = nil, old: Level, new: Level, provenance: Provenance) {
        (self.original, self.old, self.new, self.provenance) = (original, old, new, provenance)
    }
}

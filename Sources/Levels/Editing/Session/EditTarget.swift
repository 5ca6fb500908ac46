/// An item that an edit concerns, in the whole document and in its file.
struct EditTarget {
    /// The item as clients see it.
    let shown: Item
    /// The number of its file among those of the session.
    let file: Int
    /// The item in the file's own document, without the edits that are gathered.
    let item: Item
    /// Its path in the file now.
    let path: [Int]

    /// The rows that lead to the place where the file is mounted.
    var mount: [Int] { Array(shown.rowPath.prefix(shown.depth - item.depth)) }
}

extension EditTarget {
    /// Refuses what cannot be edited whatever its content is.
    ///
    /// - Parameter asOwner: whether the level below the item is edited, not the item.
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

/// The item of a step, followed through the later steps of its batch.
struct FollowedItem {
    /// The rows that lead to the place where its file is mounted.
    let mount: [Int]
    /// Its path in the file; nil once it is gone.
    private(set) var path: [Int]?
    let isNew: Bool

    /// Takes over an edit that a later step makes.
    mutating func take(_ edit: RowEdit) { path = path.flatMap(edit.place(of:)) }

    /// What became of it.
    func item(in document: Level) -> EditedItem {
        guard let path, let item = Item(rowPath: mount + path, in: document) else { return .deleted }
        return .present(item, isNew: isNew)
    }
}

/// A file of the document, and what edits have made of it.
struct EditedFile: Sendable {
    /// The file before the edits, and as it was composed last; nil for a document of one file.
    let original: Composition?
    var current: Composition?
    var draft: DocumentDraft
    let syntax: FileSyntax
}

/// A file that edits have changed: what a writer needs to save it.
public struct ChangedFile: Sendable {
    /// The file as it was composed before the edits; nil for a document of one file.
    public let original: Composition?
    /// The document that the file has, and the one that it should have.
    public let old, new: Level
    /// Where the rows of `new` come from.
    public let provenance: Provenance
}

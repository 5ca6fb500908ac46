import Testing

@testable import Levels
@testable import TestDocuments

/// One edit of a document, with the document before and after it, as JSON.
struct EditExample: Sendable, CustomTestStringConvertible {
    let name: String
    let before: String
    let after: String
    /// The document's names for its structure, if not the usual ones.
    let mapping: String?
    let edit: @Sendable (Edited) throws -> Level

    init(
        _ name: String, _ before: String, _ after: String, mapping: String? = nil,
        edit: @escaping @Sendable (Edited) throws -> Level
    ) {
        self.name = name
        self.before = before
        self.after = after
        self.mapping = mapping
        self.edit = edit
    }

    var testDescription: String { name }

    /// Does the edit; the tree must be the one that is built of the document after it.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let names = try mapping.map { try StructuralNames(mapping: $0) } ?? StructuralNames()
        let built = try Document.tree(after, names: names).document
        let edited = try edit(Edited(before, names: names))
        let difference = LevelComparison.difference(edited, built)
        #expect(difference == nil, "\(name)", sourceLocation: sourceLocation)
    }
}

/// A tree and its editing session, with items named by the keys on their paths.
struct Edited {
    let tree: Level
    let editor: TreeEditor
    private let names: StructuralNames

    init(_ document: String, names: StructuralNames = .init(), limits: TreeLimits = .init()) throws {
        self.names = names
        tree = try Document.tree(document, names: names).document
        editor = TreeEditor(names: names, limits: limits)
    }

    /// The item at a path such as `/Item%204`; the root for an empty one.
    func item(_ path: String) throws -> Item {
        guard case .found(let item) = Item.find(try ItemPath(Array(path.utf8).span), in: tree) else {
            throw Missing(path: path)
        }
        return item
    }

    private struct Missing: Error { let path: String }

    /// The rows that items, written as a JSON array, are.
    func rows(_ items: String) throws -> [Item.Step] {
        let level = try #require(try Document.tree(items, names: names).document.child(0))
        return (0..<level.rowCount).map { Item.Step(level: level, row: $0) }
    }

    /// The document with edits of rows.
    func document(_ edits: [RowEdit], of tree: Level? = nil) throws -> Level {
        try editor.document(edits, of: tree ?? self.tree)
    }

    func inserting(_ items: String, below path: String, section: Int = 0, at offset: Int) throws -> Level {
        let place = RowPlace(below: try item(path), section: section, offset: offset)
        return try document(
            rows(items).enumerated().map { number, row in
                .insert(row, at: RowPlace(owner: place.owner, section: section, row: place.row + number))
            })
    }

    func removing(_ path: String) throws -> Level { try document([.remove(item(path).rowPath)]) }

    func replacing(_ path: String, _ new: String, keepsLevel: Bool = false) throws -> Level {
        try document([.replace(item(path).rowPath, with: rows("[\(new)]")[0], keepsLevel: keepsLevel)])
    }

    func moving(_ path: String, below target: String, section: Int = 0, at offset: Int) throws -> Level {
        let item = try item(path)
        let place = RowPlace(below: try self.item(target), section: section, offset: offset, without: item)
        return try document([.move(item.rowPath, to: place)])
    }
}

extension TreeEditor {
    /// The document with edits of rows.
    func document(_ edits: [RowEdit], of document: Level) throws(TreeError) -> Level {
        var draft = DocumentDraft(document: document, editor: self)
        for edit in edits { try draft.make(edit) }
        try draft.settle()
        return draft.document
    }
}

extension RowPlace {
    /// The place in a section below an item.
    ///
    /// - Parameter moved: the item that moves there, which is not counted.
    init(below item: Item, section: Int, offset: Int, without moved: Item? = nil) {
        var start = 0
        if let level = item.level, level.form != .rows {
            start = level.allSections[..<min(section, level.allSections.count)].reduce(0) { $0 + $1.count }
        }
        var owner = item.rowPath
        if let moved {
            if owner == moved.rowPath.dropLast(), moved.own.row < start { start -= 1 }
            owner = RowEdit.removing(moved.rowPath, from: owner) ?? owner
        }
        self.init(owner: owner, section: section, row: start + offset)
    }
}

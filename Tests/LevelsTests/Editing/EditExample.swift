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

/// A tree to edit, with items named by the keys on their paths.
struct Edited {
    let tree: Level
    private let names: StructuralNames
    private let limits: TreeLimits

    init(_ document: String, names: StructuralNames = .init(), limits: TreeLimits = .init()) throws {
        (self.names, self.limits) = (names, limits)
        tree = try Document.tree(document, names: names).document
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

    /// The document with edits of a draft.
    func document(of tree: Level? = nil, _ edit: (inout LevelDraft) throws(TreeError) -> Void) throws -> Level {
        try (tree ?? self.tree).edited(names: names, limits: limits, edit)
    }

    func inserting(_ items: String, below path: String, section: Int = 0, at offset: Int) throws -> Level {
        let place = RowPlace(below: try item(path), section: section, offset: offset)
        let rows = try rows(items)
        return try document { (draft) throws(TreeError) in
            for (number, row) in rows.enumerated() {
                let place = RowPlace(owner: place.owner, section: section, row: place.row + number)
                try draft.insert(ItemDraft(new: row), at: place)
            }
        }
    }

    func removing(_ path: String) throws -> Level {
        let path = try item(path).rowPath
        return try document { (draft) throws(TreeError) in _ = try draft.remove(path) }
    }

    func replacing(_ path: String, _ new: String, keepsLevel: Bool = false) throws -> Level {
        let (path, row) = (try item(path).rowPath, try rows("[\(new)]")[0])
        return try document { (draft) throws(TreeError) in
            try draft.replace(path, with: row, keepsLevel: keepsLevel)
        }
    }

    func moving(_ path: String, below target: String, section: Int = 0, at offset: Int) throws -> Level {
        let item = try item(path)
        let place = RowPlace(below: try self.item(target), section: section, offset: offset, without: item)
        return try document { (draft) throws(TreeError) in try draft.move(item.rowPath, to: place) }
    }
}

extension Level {
    /// The document with edits of its draft.
    func edited(
        names: StructuralNames = .init(), limits: TreeLimits = .init(),
        _ edit: (inout LevelDraft) throws(TreeError) -> Void
    ) throws(TreeError) -> Level {
        var draft = LevelDraft(document: self, names: names)
        try edit(&draft)
        let level = try draft.level()
        try limits.check(level)
        return level
    }
}

extension LevelDraft {
    /// Takes another level below an item.
    mutating func exchangeLevel(below path: [Int], with level: Level) throws(TreeError) {
        try withLevel(below: ([0] + path).dropLast()) { (rows) throws(TreeError) in
            try rows.withItem(at: path.last ?? 0) { (item) throws(TreeError) in (item.below, item.draft) = (level, nil)
            }
        }
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
            owner = owner.afterRemoval(of: moved.rowPath)
        }
        self.init(owner: owner, section: section, row: start + offset)
    }
}

internal import PropertyLists

/// The result of building a tree: the document's levels, and the warnings.
///
/// A `TreeBuilder` makes a tree from a document; a `Snapshot` publishes the tree's `document`.
///
///     var builder = TreeBuilder()
///     try JSONPropertyListReader.read(.memory(bytes), limits: .init(), into: &builder)
///     let tree = try builder.finish()
///     print("\(tree.itemCount) items")
public struct Tree: Sendable {
    /// A level with one row, which is the root item. The root thus has fields and a title like any other item.
    public internal(set) var document: Level
    /// The fields whose rows are not served; see `StrayRows`.
    public var strayRows: [StrayRows] = []
    /// The first mention of each part of the document.
    public let parts: [PartMention]
    /// The rows of a settings page that lead to other pages, in order.
    public let childPanes: [SettingsPage.ChildPane]
    /// The document in other languages; nil without translations.
    public private(set) var translations: Translations?
    /// Whether the document is a table that cannot be edited.
    public var isTable = false
    /// How the document was read, as a sentence without its full stop; nil for a document of items.
    public var reading: String?
    /// Why a document that is read as it is, but resembles a document of items, is none; otherwise nil.
    public var refusalAsItems: String?
    /// What was decided about a document that is read as it is; nil for other documents.
    public internal(set) var kept: KeptReading?
    private var remarks: DocumentWarnings

    /// - Parameter warnings: the warnings, except for `strayRows`.
    init(
        document: Level, warnings: DocumentWarnings, strayRows: [StrayRows] = [], parts: [PartMention] = [],
        childPanes: [SettingsPage.ChildPane] = []
    ) {
        self.document = document
        self.childPanes = childPanes
        self.strayRows = strayRows
        self.parts = parts
        remarks = warnings
    }

    /// Returns a copy of the tree with these translations and another level below the root. The new level must have the
    /// same form as the old one.
    public func replacing(level: Level, translations: Translations?) -> Tree {
        var tree = Tree(
            document: document.placing([0: level]), warnings: remarks, strayRows: strayRows, childPanes: childPanes)
        tree.translations = translations
        return tree
    }

    /// All warnings; the warnings about `strayRows` come first.
    public var warnings: DocumentWarnings {
        var all = DocumentWarnings()
        for stray in strayRows { all.add(stray.warning) }
        for remark in remarks.first { all.add(remark) }
        all.omit(remarks.omitted)
        return all
    }

    mutating func addWarning(_ warning: DocumentWarning) { remarks.add(warning) }

    /// Returns a copy of the tree with another document: the same document with its parts in place.
    public func composed(as document: Level) -> Tree {
        var tree = self
        tree.document = document
        return tree
    }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

extension Tree {
    /// The item above the deepest level with rows; of several items, the first. The root if all levels are empty.
    ///
    /// - Complexity: O(rows on the levels that lead to the item).
    public var deepestLevel: Item {
        var steps = [Item.Step(level: document, row: 0)]
        while let level = steps[steps.count - 1].below, level.height > 1 {
            let row = (0..<level.count).first { (level.child($0)?.height ?? 0) + 1 == level.height }
            guard let row else { break }
            steps.append(Item.Step(level: level, row: row))
        }
        return Item(steps)
    }
}

extension Tree {
    /// Returns a copy of the tree with an edited document and the parts that this document mentions.
    ///
    /// - Complexity: O(levels with parts in or below them).
    public func edited(to document: Level) -> Tree {
        var tree = Tree(
            document: document, warnings: warnings, parts: document.partMentions, childPanes: childPanes)
        tree.strayRows = []
        (tree.reading, tree.isTable, tree.kept) = (reading, isTable, kept?.following(document))
        return tree
    }
}

internal import PropertyLists

/// The result of building a tree: the document's levels, and the warnings.
///
/// A `TreeBuilder` makes it from a document; a `Snapshot` publishes its `document`.
///
///     var builder = TreeBuilder()
///     try JSONPropertyListReader.read(.memory(bytes), limits: .init(), into: &builder)
///     let tree = try builder.finish()
///     print("\(tree.itemCount) items")
public struct Tree: Sendable {
    /// A level with one row, the root item, so that the root has fields and a title like any other item.
    public private(set) var document: Level
    /// Fields with rows that are not served; see `StrayRows`.
    public var strayRows: [StrayRows] = []
    /// The parts of the document, each once, at its first mention.
    public let parts: [PartMention]
    /// The rows of a settings page that lead to other pages, in order.
    public let childPanes: [SettingsPage.ChildPane]
    /// The document in other languages; nil without translations.
    public private(set) var translations: Translations?
    /// The division of the document into levels, if it is a table; otherwise nil.
    public internal(set) var recordChoice: RecordChoice?
    private let remarks: DocumentWarnings

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

    /// Returns the tree with another level of the same form below the root, and with its translations.
    public func replacing(level: Level, translations: Translations?) -> Tree {
        var tree = Tree(
            document: document.placing([0: level]), warnings: remarks, strayRows: strayRows, childPanes: childPanes)
        tree.translations = translations
        return tree
    }

    /// The warnings, `strayRows` first.
    public var warnings: DocumentWarnings {
        var all = DocumentWarnings()
        for stray in strayRows { all.add(stray.warning) }
        for remark in remarks.first { all.add(remark) }
        all.omit(remarks.omitted)
        return all
    }

    /// Returns the tree with `document`, in which its parts are in place.
    public func composed(as document: Level) -> Tree {
        var tree = self
        tree.document = document
        return tree
    }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

extension Tree {
    /// The item with the deepest level of rows, the first of several; the root if all levels are empty.
    ///
    /// - Complexity: O(rows on the levels that lead to it).
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

/// Fields that contain rows under a name that is not structural, so that the rows are not served.
public struct StrayRows: Sendable, Equatable {
    /// The fields' name.
    public let name: String
    /// The position of the first field, and the titles from the root to it.
    let position: SourcePosition
    let path: String
    /// The structural name that is one typing error away, if any.
    public let meant: String?
    /// The names under which rows are read.
    let structural: [String]
    /// The number of these fields; fields within the rows of others do not count.
    public internal(set) var count = 1
    /// Advice on serving the rows, for the end of the warning, if any.
    public var advice: String?

    static let mostNames = 20

    var warning: DocumentWarning {
        let others = count == 1 ? "" : ", here and in \(count - 1) more \(count == 2 ? "place" : "places")"
        if let meant { return warning("'\(name)' is kept as a field\(others); did you mean '\(meant)'?") }
        let list = structural.map { "'\($0)'" }.joined(separator: " or ")
        let ending = advice.map { "; \($0)" } ?? ""
        return warning(
            "'\(name)' holds dictionaries with a title but is kept as a field\(others); rows are read from \(list)\(ending)"
        )
    }

    private func warning(_ message: String) -> DocumentWarning {
        DocumentWarning(position: position, path: path, message: message)
    }
}

extension Tree {
    /// The tree with an edited document and its current parts; O(levels with parts in or below them).
    public func edited(to document: Level) -> Tree {
        var tree = Tree(
            document: document, warnings: warnings, parts: document.partMentions, childPanes: childPanes)
        tree.strayRows = []
        return tree
    }
}

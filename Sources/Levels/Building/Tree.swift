internal import PropertyLists

/// The result of building a tree: a document's levels and its warnings.
public struct Tree: Sendable {
    /// A level whose one row is the root item, so that the root has fields and a title like any other.
    public private(set) var document: Level
    /// The fields with rows that are not served; see `StrayRows`.
    public var strayRows: [StrayRows] = []
    /// The parts that the document refers to, each once, where it is mentioned first.
    public let parts: [PartMention]
    /// The rows of a settings page whose levels are other pages, in the order of the page.
    public let childPanes: [SettingsPage.ChildPane]
    /// The document in other languages; nil if it has no translations.
    public private(set) var translations: Translations?
    private let remarks: DocumentWarnings

    /// - Parameter warnings: those that do not concern `strayRows`.
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

    /// The same tree with another level below the root, and its translations.
    ///
    /// - Parameter level: one of the same form.
    public func replacing(level: Level, translations: Translations?) -> Tree {
        var tree = Tree(
            document: document.placing([0: level]), warnings: remarks, strayRows: strayRows, childPanes: childPanes)
        tree.translations = translations
        return tree
    }

    /// The warnings; those about rows that are not served come first.
    public var warnings: DocumentWarnings {
        var all = DocumentWarnings()
        for stray in strayRows { all.add(stray.warning) }
        for remark in remarks.first { all.add(remark) }
        all.omit(remarks.omitted)
        return all
    }

    /// The same tree after its parts were put in place.
    public func composed(as document: Level) -> Tree {
        var tree = self
        tree.document = document
        return tree
    }

    /// The number of items, not counting the root.
    public var itemCount: Int { document.itemCount - 1 }
}

extension Tree {
    /// The item whose level is the deepest one that has rows, the first of several; the root if there is none.
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
    /// The position of the first of them, and the titles from the root to it.
    let position: SourcePosition
    let path: String
    /// The structural name that is one typing error away; nil if there is none.
    public let meant: String?
    /// The names under which rows are read.
    let structural: [String]
    /// The number of these fields; a field within another's rows is not counted.
    public internal(set) var count = 1
    /// Advice on how to serve the rows, for the end of the warning; nil if there is none.
    public var advice: String?

    /// The maximum number of names to distinguish.
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
    /// The tree after its document was edited, with the parts that the document refers to now.
    ///
    /// O(levels with parts in or below them).
    public func edited(to document: Level) -> Tree {
        var tree = Tree(
            document: document, warnings: warnings, parts: document.partMentions, childPanes: childPanes)
        tree.strayRows = []
        return tree
    }
}

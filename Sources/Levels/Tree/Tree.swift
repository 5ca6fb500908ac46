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

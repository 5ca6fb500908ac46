/// Where the rows of an edited document come from in the document as it was before.
///
/// The edited tree has the content; this has what a tree does not tell: which items are the same as before, in which
/// place they were, and below which of them something has changed. A writer that copies the author's text needs both.
public indirect enum Provenance: Sendable, Equatable {
    /// The item was made by an edit, and so was everything below it.
    case new
    /// An item of the document before the edits, unchanged with everything below it; the row numbers from the root's
    /// level down, none for the root.
    case same([Int])
    /// An item of the document before the edits, or a new one, whose own fields may have changed.
    ///
    /// - Parameters:
    ///   - origin: the row numbers of the item before the edits; nil for a new one.
    ///   - rows: where its rows come from, in their order in the edited level, over all sections; nil if its level is
    ///     the same as before.
    case changed(origin: [Int]?, rows: [Run]?)

    /// Rows that follow each other.
    public enum Run: Sendable, Equatable {
        /// Rows of the item's own level before the edits, unchanged, in their old order; only below an item with an
        /// origin.
        case same(Range<Int>)
        case row(Provenance)

        /// The number of rows.
        public var count: Int { if case .same(let rows) = self { rows.count } else { 1 } }
    }
}

extension LevelQuery {
    /// How the rows are divided into sections.
    public enum Grouping: Hashable, Sendable {
        /// By the first letter of the title; the rows are sorted by title unless another order is asked for.
        case initial
        /// By the text of a field, in order of first appearance.
        case field(String)
        /// As in the document, even if the item itself has another grouping.
        case ungrouped
    }
}

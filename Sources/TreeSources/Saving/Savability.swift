/// What edits of a source's tree can be saved to it.
public enum Savability: Sendable, Equatable {
    /// Every edit of an item.
    case items
    /// No edit.
    case nothing(SaveRefusal)
}

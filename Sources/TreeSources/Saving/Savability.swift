/// What edits of a source's tree can be saved to it.
public enum Savability: Sendable, Equatable {
    /// Every edit of an item.
    case items
    /// The values of the controls of a settings page.
    case controls
    /// No edit.
    case nothing(SaveRefusal)
}

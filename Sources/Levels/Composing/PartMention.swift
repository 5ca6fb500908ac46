public import PropertyLists

/// A reference to a part, and where the document has it.
public struct PartMention: Sendable, Equatable {
    /// What is referred to.
    public let reference: PartReference
    /// The position of the item; nil if it is not known.
    public let position: SourcePosition?
    /// The titles from the root to the item that contains it, as `/Item 4`; `/` at the root.
    public let path: String
}

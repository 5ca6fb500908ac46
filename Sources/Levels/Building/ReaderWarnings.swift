public import PropertyLists

extension TreeBuilder {
    /// Keeps a warning of the reader among the warnings of the tree.
    public mutating func warning(_ message: String, at position: SourcePosition) { warn(message, at: position) }
}

internal import PropertyLists

/// Warnings: what is unusual, but no reason to refuse a document.
extension TreeBuilder {
    mutating func warn(_ message: @autoclosure () -> String, at position: SourcePosition) {
        guard !tree.warnings.isFull else { return tree.warnings.omit() }
        tree.warnings.add(DocumentWarning(position: position, path: currentPath() ?? "/", message: message()))
    }

    mutating func warnAboutRepeatedKey(_ name: Span<UInt8>, at position: SourcePosition, after earlier: Int) {
        let first = tree.fields.start(earlier).place.position
        warn(RepeatedKey.message(QuotedText(utf8: name), first: first, second: position), at: position)
    }

    /// - Parameter table: the names that are valid where the key occurs.
    mutating func warnAboutNearMiss(_ name: Span<UInt8>, in table: SlotTable, at position: SourcePosition) {
        guard !tree.warnings.isFull else { return tree.warnings.omit() }
        guard let near = table.nearMiss(of: name) else { return }
        warn("'\(quoted: name)' is kept as a field; did you mean '\(quoted: near)'?", at: position)
    }

    mutating func warnAboutEmptyChildren(at position: SourcePosition) {
        warn("the list of children is empty, so the item is a leaf; omit the key if that is intended", at: position)
    }

    mutating func warnAboutRepeatedTitle(at position: SourcePosition) {
        guard let repeated = tree.repeatedTitle else { return }
        warn(repeated.message, at: repeated.second ?? position)
    }
}

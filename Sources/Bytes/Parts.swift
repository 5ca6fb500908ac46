extension Span<UInt8> {
    /// The index of a byte's first occurrence; the count if there is none.
    @inlinable
    public func index(of byte: UInt8) -> Int {
        var index = 0
        while index < count, self[index] != byte { index += 1 }
        return index
    }

    /// Passes each part between separators that is not empty, whatever it contains.
    @inlinable
    public func forEachPart<Failure: Error>(
        dividedBy separator: UInt8, _ visit: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var start = 0
        for index in indices where self[index] == separator {
            if index > start { try visit(extracting(start..<index)) }
            start = index + 1
        }
        if count > start { try visit(extracting(start..<count)) }
    }
}

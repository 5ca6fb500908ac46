extension Span<UInt8> {
    /// The bytes from one index up to another, without the blank ones at either end.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public func trimmed(from start: Int, to end: Int, _ isBlank: (UInt8) -> Bool) -> Span<UInt8> {
        var start = start
        var end = end
        while start < end, isBlank(self[start]) { start += 1 }
        while end > start, isBlank(self[end - 1]) { end -= 1 }
        return extracting(start..<end)
    }
}

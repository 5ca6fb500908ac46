extension Span<UInt8> {
    /// Whether two runs of bytes are the same.
    @inlinable
    public func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }

    /// Compares with ASCII text in lower case, ignoring the case of this one.
    @inlinable
    public func isEqual(ignoringCase lowercased: StaticString) -> Bool {
        guard count == lowercased.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let byte = self[index]
            let letter = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            if unsafe letter != lowercased.utf8Start[index] { return false }
        }
        return true
    }
}

internal import Glibc

/// The counts are compared first, so the loops need no check of the index.
extension Span<UInt8> {
    /// Whether two runs of bytes are the same.
    @inlinable
    public func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // For short runs, such as keys, a call costs more than the loop.
        guard count < 24 else { return hasSameBytes(as: other) }
        for index in 0..<count { if unsafe self[unchecked: index] != other[unchecked: index] { return false } }
        return true
    }

    /// Compares as many bytes as this run has (`memcmp(3)`).
    @usableFromInline
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { others in
                guard let first = own.baseAddress, let second = others.baseAddress else { return true }
                return unsafe memcmp(first, second, own.count) == 0
            }
        }
    }

    /// Whether these are the bytes of a literal.
    @inlinable
    public func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count { if unsafe self[unchecked: index] != text.utf8Start[index] { return false } }
        return true
    }

    /// Compares with ASCII text in lower case, ignoring the case of this one.
    @inlinable
    public func isEqual(ignoringCase lowercased: StaticString) -> Bool {
        count == lowercased.utf8CodeUnitCount && begins(ignoringCase: lowercased)
    }

    /// Whether these bytes begin with ASCII text, given in lower case; their own case is ignored.
    @inlinable
    public func begins(ignoringCase lowercased: StaticString) -> Bool {
        let length = lowercased.utf8CodeUnitCount
        guard count >= length else { return false }
        for index in 0..<length {
            let byte = unsafe self[unchecked: index]
            let letter = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            if unsafe letter != lowercased.utf8Start[index] { return false }
        }
        return true
    }
}

extension String {
    /// Whether two texts have the same UTF-8; `==` also holds for canonical equivalents (UAX #15).
    @inlinable
    public func hasSameUTF8(as other: String) -> Bool { utf8Span.span.isEqual(to: other.utf8Span.span) }
}

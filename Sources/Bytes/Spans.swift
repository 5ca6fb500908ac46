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

    /// Compares the bytes of two runs of the same length (`memcmp(3)`).
    @usableFromInline
    func hasSameBytes(as other: Span<UInt8>) -> Bool {
        unsafe withUnsafeBytes { own in
            unsafe other.withUnsafeBytes { others in
                guard let first = own.baseAddress, let second = others.baseAddress else { return true }
                return unsafe memcmp(first, second, own.count) == 0
            }
        }
    }

    /// Whether the bytes equal a literal.
    @inlinable
    public func isEqual(to text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count { if unsafe self[unchecked: index] != text.utf8Start[index] { return false } }
        return true
    }

    /// Whether the bytes equal ASCII text, ignoring the case of the bytes. The text must be in lower case.
    @inlinable
    public func isEqual(ignoringCase lowercased: StaticString) -> Bool {
        count == lowercased.utf8CodeUnitCount && begins(ignoringCase: lowercased)
    }

    /// Whether the bytes begin with ASCII text, ignoring the case of the bytes. The text must be in lower case.
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
    public func hasSameUTF8(as other: String) -> Bool {
        // A count costs less than a span, and most texts that are compared differ in it.
        utf8.count == other.utf8.count && utf8Span.span.isEqual(to: other.utf8Span.span)
    }
}

extension Span<UInt8> {
    /// The index of a byte's first occurrence; the count if the byte does not occur.
    @inlinable
    public func index(of byte: UInt8) -> Int {
        var index = 0
        while index < count, self[index] != byte { index += 1 }
        return index
    }

    /// Visits each nonempty part between separators.
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

extension Span<UInt8> {
    /// The bytes from one index up to another, without blank bytes at either end.
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

extension String {
    /// Creates a string from UTF-8; an invalid sequence becomes U+FFFD.
    public init(utf8 bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    /// An array of a span's bytes.
    public init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Appends a span's bytes.
    public mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

import CSearch

/// A run of bytes to search for, prepared once.
public struct BytePattern: Sendable {
    /// The bytes; never empty.
    public let bytes: [UInt8]
    private let first: SIMD16<UInt8>
    private let last: SIMD16<UInt8>
    /// For each prefix of the bytes, the length of the longest shorter prefix with which this prefix ends.
    private let borders: [Int]

    /// The maximum length of a run that `scan` searches for. `memmem` searches for longer runs, because it takes linear
    /// time for any bytes.
    private static let longestScanned = 64

    /// Prepares the search; nil if `bytes` is empty.
    public init?(_ bytes: [UInt8]) {
        guard let first = bytes.first, let last = bytes.last else { return nil }
        self.bytes = bytes
        self.first = SIMD16(repeating: first)
        self.last = SIMD16(repeating: last)
        borders = Self.borders(of: bytes)
    }

    /// The number of bytes.
    @inline(__always)
    public var count: Int { bytes.count }

    /// The offset of the first occurrence that begins at or after `start`, if any.
    public func offset(in text: Span<UInt8>, from start: Int = 0) -> Int? {
        guard start <= text.count - count else { return nil }
        return unsafe text.withUnsafeBytes { text in
            unsafe bytes.withUnsafeBytes { bytes in
                if count > Self.longestScanned { return unsafe Self.memmem(text, bytes, from: start) }
                return unsafe scan(text, bytes: bytes, from: start)
            }
        }
    }

    /// Whether an occurrence at or after `start` is wanted: `isWanted` returns true for its offset. Occurrences may
    /// overlap.
    ///
    /// Takes linear time (Knuth, Morris and Pratt).
    public func occurs(
        in text: Span<UInt8>, from start: Int, where isWanted: (_ offset: Int) -> Bool
    ) -> Bool {
        var matched = 0
        for index in start..<max(start, text.count) {
            while matched > 0, bytes[matched] != text[index] { matched = borders[matched - 1] }
            if bytes[matched] == text[index] { matched += 1 }
            guard matched == bytes.count else { continue }
            if isWanted(index + 1 - bytes.count) { return true }
            matched = borders[matched - 1]
        }
        return false
    }

    private static func borders(of bytes: [UInt8]) -> [Int] {
        var borders = [Int](repeating: 0, count: bytes.count)
        var matched = 0
        for index in 1..<bytes.count {
            while matched > 0, bytes[matched] != bytes[index] { matched = borders[matched - 1] }
            if bytes[matched] == bytes[index] { matched += 1 }
            borders[index] = matched
        }
        return borders
    }

    private static func memmem(
        _ text: UnsafeRawBufferPointer, _ bytes: UnsafeRawBufferPointer, from start: Int
    ) -> Int? {
        guard let base = text.baseAddress, let wanted = bytes.baseAddress,
            let found = unsafe CSearch.memmem(base + start, text.count - start, wanted, bytes.count)
        else { return nil }
        return unsafe base.distance(to: UnsafeRawPointer(found))
    }

    /// Compares the first and the last byte at sixteen offsets in one step. Compares all bytes only at the offsets at
    /// which both bytes match.
    @inline(__always)
    private func scan(_ text: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let base = text.baseAddress, let wanted = bytes.baseAddress else { return nil }
        let gap = bytes.count - 1
        var index = start
        while index <= text.count - gap - 16 {
            let heads = unsafe base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
            let tails = unsafe base.loadUnaligned(fromByteOffset: index &+ gap, as: SIMD16<UInt8>.self)
            let marks = (Self.equal(heads, first) & Self.equal(tails, last)).words
            if marks.x | marks.y != 0 {
                if let found = unsafe Self.match(marks.x, at: index, base: base, wanted: wanted, gap: gap) {
                    return found
                }
                if let found = unsafe Self.match(marks.y, at: index &+ 8, base: base, wanted: wanted, gap: gap) {
                    return found
                }
            }
            index &+= 16
        }
        while index <= text.count - bytes.count {
            if unsafe Self.isEqual(base + index, wanted, gap + 1) { return index }
            index &+= 1
        }
        return nil
    }

    /// The first offset that is marked in a word and at which all bytes match, if any.
    @inline(__always)
    private static func match(
        _ marks: UInt64, at offset: Int, base: UnsafeRawPointer, wanted: UnsafeRawPointer, gap: Int
    ) -> Int? {
        var marks = marks
        while marks != 0 {
            let bit = marks.trailingZeroBitCount & ~7
            let index = offset &+ bit &>> 3
            if gap < 2 { return index }
            if unsafe isEqual(base + index + 1, wanted + 1, gap - 1) { return index }
            marks &= ~(0xFF &<< UInt64(truncatingIfNeeded: bit))
        }
        return nil
    }

    @inline(__always)
    private static func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Bool {
        for index in 0..<count {
            let byte = unsafe one.load(fromByteOffset: index, as: UInt8.self)
            if unsafe byte != other.load(fromByteOffset: index, as: UInt8.self) { return false }
        }
        return true
    }

    @inline(__always)
    private static func equal(_ one: SIMD16<UInt8>, _ other: SIMD16<UInt8>) -> SIMD16<UInt8> {
        unsafe unsafeBitCast(one .== other, to: SIMD16<UInt8>.self)
    }
}

extension Span<UInt8> {
    /// Whether the span contains a run of bytes; true for an empty run (C function `memmem`).
    public func contains(_ wanted: Span<UInt8>) -> Bool {
        guard !wanted.isEmpty else { return true }
        return unsafe withUnsafeBytes { bytes in
            unsafe wanted.withUnsafeBytes { wanted in
                guard let text = bytes.baseAddress, let first = wanted.baseAddress else { return false }
                return unsafe memmem(text, bytes.count, first, wanted.count) != nil
            }
        }
    }
}

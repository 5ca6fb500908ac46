public import Bytes

/// The keys from the root to an item, as in the segments of a URL.
///
/// Each segment is percent-decoded, so a key may contain any character:
///
///     let path = try ItemPath("Music/AC%2FDC".utf8Span.span)
///     print(path.count, path.key(1))  // 2 AC/DC
public struct ItemPath: Sendable, Hashable, CustomStringConvertible {
    /// All keys in Unicode NFC, concatenated, outermost first.
    let bytes: [UInt8]
    /// The end of each key in `bytes`.
    let ends: [Int]
    /// The written forms of the keys, by number. Only a key that may have been written in another form than Unicode NFC
    /// is included.
    private let written: [Int: [UInt8]]

    /// The root's path.
    public static let root = ItemPath(bytes: [], ends: [])

    private init(bytes: [UInt8], ends: [Int]) {
        self.bytes = bytes
        self.ends = ends
        written = [:]
    }

    /// The number of keys; 0 for the root.
    public var count: Int { ends.count }

    /// Parses the part of a target after `/levels`, such as `/Item%204/Screen%20G`. An empty text is the path of the
    /// root.
    ///
    /// - Throws: `ItemPathError` for a segment that is not percent-encoded UTF-8.
    public init(_ text: Span<UInt8>) throws(ItemPathError) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        var written: [Int: [UInt8]] = [:]
        var index = 0
        var end = text.count
        if end > 0, text[end - 1] == UInt8(ascii: "/") { end -= 1 }
        if end > 0, text[0] == UInt8(ascii: "/") { index = 1 }
        bytes.reserveCapacity(end)
        ends.reserveCapacity(8)
        while index < end {
            let start = index
            while index < end, text[index] != UInt8(ascii: "/") { index += 1 }
            if let key = try Self.append(text.extracting(start..<index), to: &bytes) { written[ends.count] = key }
            ends.append(bytes.count)
            index += 1
        }
        self.bytes = bytes
        self.ends = ends
        self.written = written
    }

    /// The path of the item above; nil for the root.
    var parent: ItemPath? { count > 0 ? prefix(count - 1) : nil }

    /// The path of the first keys, in NFC.
    func prefix(_ count: Int) -> ItemPath {
        let ends = Array(ends.prefix(count))
        return ItemPath(bytes: Array(bytes.prefix(ends.last ?? 0)), ends: ends)
    }

    /// A key in NFC.
    func bytes(_ number: Int) -> [UInt8] { Array(bytes[range(number)]) }

    /// The path as part of a target, without outer slashes: `Item%204/Screen%20G`.
    public var description: String {
        var text = ByteBuffer(capacity: bytes.count * 2)
        for number in 0..<count {
            if number > 0 { text.append(UInt8(ascii: "/")) }
            PercentEncoding.append(bytes.span.extracting(range(number)), to: &text)
        }
        return String(utf8: text.span)
    }

    /// Appends a key in NFC. Returns the key as it was written if the written form may not be in NFC; otherwise nil.
    private static func append(
        _ segment: Span<UInt8>, to bytes: inout [UInt8]
    ) throws(ItemPathError) -> [UInt8]? {
        let start = bytes.count
        guard PercentEncoding.decode(segment, into: &bytes) else { throw ItemPathError(segment: String(utf8: segment)) }
        if ByteScan.isASCII(bytes.span.extracting(start..<bytes.count)) { return nil }
        let key = Array(bytes[start...])
        guard isUTF8(key) else { throw ItemPathError(segment: String(utf8: segment)) }
        guard !ItemKey.isPlain(key.span) else { return nil }
        bytes.replaceSubrange(start..., with: NormalizationFormC.text(of: key.span))
        return key
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    func range(_ number: Int) -> Range<Int> { (number == 0 ? 0 : ends[number - 1])..<ends[number] }

    /// The UTF-8 of a key as it was written, for a source that does not compare keys in NFC.
    public func writtenKey(_ number: Int) -> [UInt8] { written[number] ?? Array(bytes[range(number)]) }

    /// A key as text.
    public func key(_ number: Int) -> String { String(utf8: bytes.span.extracting(range(number))) }
}

/// A path segment that is not percent-encoded UTF-8.
public struct ItemPathError: Error, Equatable, Sendable {
    /// The segment as it was sent.
    public let segment: String
}

/// Path segments in URLs (RFC 3986, section 2).
public enum PercentEncoding {
    /// Appends a key as one segment: unreserved characters unchanged, others as `%` and upper-case hexadecimal digits.
    @inlinable
    public static func append(_ key: Span<UInt8>, to buffer: inout ByteBuffer) {
        // Storing whole words and counting some of their bytes avoids a branch for each byte.
        guard buffer.reserve(key.count &* 3 &+ 8) else { return }
        for index in key.indices {
            let byte = key[index]
            let isPlain = AsciiSet.unreserved.contains(byte)
            buffer.store(isPlain ? UInt64(byte) : encoded(byte), counting: isPlain ? 1 : 3)
        }
    }

    /// Returns the three characters that encode a byte, `%` and two digits, with the first in the lowest byte.
    @inlinable @inline(__always)
    static func encoded(_ byte: UInt8) -> UInt64 {
        UInt64(UInt8(ascii: "%")) | UInt64(hexDigit(byte &>> 4)) &<< 8 | UInt64(hexDigit(byte & 15)) &<< 16
    }

    /// The decoded bytes of a segment; nil if a `%` is not followed by two digits.
    public static func decode(_ segment: Span<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(segment.count)
        return decode(segment, into: &bytes) ? bytes : nil
    }

    /// Appends the decoded bytes of a segment. Returns false if a `%` is not followed by two digits.
    static func decode(_ segment: Span<UInt8>, into bytes: inout [UInt8]) -> Bool {
        var index = 0
        while index < segment.count {
            if segment[index] != UInt8(ascii: "%") {
                bytes.append(segment[index])
                index += 1
            } else {
                guard index + 2 < segment.count, let high = segment[index + 1].hexadecimalValue,
                    let low = segment[index + 2].hexadecimalValue
                else { return false }
                bytes.append(high << 4 | low)
                index += 3
            }
        }
        return true
    }

    @inlinable @inline(__always)
    static func hexDigit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 48 : 55) }
}

extension AsciiSet {
    /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.3).
    @inlinable @inline(__always)
    static var unreserved: AsciiSet { AsciiSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }
}

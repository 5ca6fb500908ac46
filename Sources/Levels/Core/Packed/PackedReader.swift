public import Bytes
internal import PropertyLists

/// Reads the packed form of rows and fields; see `PackedTag` for the format.
///
/// Only this module writes these bytes, so an invalid byte is a bug of this module; spans check every access.
public struct PackedReader: ~Escapable {
    /// The packed bytes, usually of a whole level.
    public let bytes: Span<UInt8>
    /// The offset of the next byte to be read.
    public var offset: Int

    @inlinable
    @_lifetime(copy bytes)
    public init(bytes: Span<UInt8>, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    @inlinable
    @_lifetime(self: copy self)
    public mutating func byte() -> UInt8 {
        let value = bytes[offset]
        offset += 1
        return value
    }

    /// Reads an unsigned number in groups of seven bits, the lowest group first (LEB128).
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    public mutating func number() -> UInt64 { bytes.leb128(at: &offset) }

    /// Reads eight bytes, the lowest first.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func word() -> UInt64 {
        var value: UInt64 = 0
        for step in 0..<8 { value |= UInt64(bytes[offset + step]) &<< UInt64(step * 8) }
        offset += 8
        return value
    }

    /// Reads four bytes, the lowest first.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func halfWord() -> Int {
        let value =
            Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]) << 16 | Int(bytes[offset + 3])
            << 24
        offset += 4
        return value
    }

    /// Reads the length of a text or data, and skips the content; returns the range of the content.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func run() -> Range<Int> {
        let count = Int(number())
        let start = offset
        offset += count
        return start..<offset
    }

    /// Skips one value with its content.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func skipValue() {
        switch PackedTag(rawValue: byte()) {
        case .yes, .no, nil: break
        case .hole: offset += 1
        case .positive, .negative, .uid: _ = number()
        case .real, .date: offset += 8
        case .string, .data: _ = run()
        case .array, .dictionary:
            let size = halfWord()
            offset += size
        case .hidden, .control: skipValue()
        }
    }
}

extension PackedReader {
    /// Reads the content of a number, a Boolean, a date or a UID, after its tag was read; nil for other tags.
    @inline(__always)
    @_lifetime(self: copy self)
    mutating func scalar(_ tag: PackedTag?) -> PropertyListScalar? {
        switch tag {
        case .no: .boolean(false)
        case .yes: .boolean(true)
        case .positive, .negative:
            PropertyListInteger(magnitude: number(), isNegative: tag == .negative).map {
                PropertyListScalar.integer($0)
            }
        case .real: .real(Double(bitPattern: word()))
        case .date: .date(Double(bitPattern: word()))
        case .uid: .uid(number())
        case .string, .data, .array, .dictionary, .hole, .hidden, .control, nil: nil
        }
    }
}

/// Appends values in the packed form; see `PackedTag`.
extension ByteBuffer {
    @inline(__always)
    mutating func append(packed number: UInt64) { append(leb128: number) }

    @inline(__always)
    mutating func append(_ tag: PackedTag) { append(tag.rawValue) }

    /// Appends four bytes, the lowest first.
    @inline(__always)
    mutating func append(halfWord: UInt32) {
        for step in 0..<4 as Range<UInt32> { append(UInt8(truncatingIfNeeded: halfWord >> (step * 8))) }
    }

    @inline(__always)
    mutating func replace(at offset: Int, halfWord: UInt32) {
        for step in 0..<4 { set(UInt8(truncatingIfNeeded: halfWord >> UInt32(step * 8)), at: offset + step) }
    }

    /// Appends the number of the bytes, then the bytes.
    @inline(__always)
    mutating func append(run bytes: Span<UInt8>) {
        append(packed: UInt64(bytes.count))
        append(bytes)
    }

    // MARK: Values

    mutating func append(packed value: PropertyListScalar) {
        switch value {
        case .integer(let value):
            append(value.isNegative ? PackedTag.negative : .positive)
            append(packed: value.magnitude)
        case .real(let value):
            append(PackedTag.real)
            append(littleEndian: value.bitPattern)
        case .boolean(let value): append(value ? PackedTag.yes : .no)
        case .date(let seconds):
            append(PackedTag.date)
            append(littleEndian: seconds.bitPattern)
        case .uid(let value):
            append(PackedTag.uid)
            append(packed: value)
        }
    }

    mutating func append(_ tag: PackedTag, content: Span<UInt8>) {
        append(tag)
        append(run: content)
    }

    /// Begins a container; returns the start of its content. The size is filled in when the container ends.
    mutating func beginContainer(_ tag: PackedTag) -> Int {
        append(tag)
        append(halfWord: 0)
        return count
    }

    mutating func endContainer(at start: Int) throws(PropertyListError) {
        guard UInt32(exactly: count - start) != nil else {
            throw PropertyListError(reason: "one field holds more than 4 GiB; store large data in separate files")
        }
        endSmallContainer(at: start)
    }

    /// Ends a container that is known to be smaller than 4 GiB.
    mutating func endSmallContainer(at start: Int) {
        replace(at: start - 4, halfWord: UInt32(truncatingIfNeeded: count - start))
    }
}

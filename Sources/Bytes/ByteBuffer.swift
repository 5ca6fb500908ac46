import Glibc
internal import Heap

/// A growing block of `malloc` memory that can be handed to C without a copy.
///
/// An array does not suffice: C frees the memory, appending must not zero the memory first, and a lack of memory must
/// not end the process. A buffer that cannot grow keeps its bytes, and drops all later bytes. Check `isIncomplete` at
/// the end.
@safe
public struct ByteBuffer: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer?
    /// Negative once the buffer could not grow. Each append then calls `grow`.
    @usableFromInline var capacity: Int
    @usableFromInline var size: Int
    /// The number of bytes written.
    @inlinable public var count: Int { size }
    /// Whether bytes are missing for lack of memory. The buffer then has the first of all appended bytes.
    @inlinable public var isIncomplete: Bool { capacity < 0 }

    /// - Parameter capacity: the number of bytes that fit without growing.
    public init(capacity: Int = 0) {
        unsafe base = nil
        self.capacity = 0
        size = 0
        if capacity > 0 { _ = grow(by: capacity) }
    }

    deinit { unsafe free(base) }

    /// Makes room for `extra` more bytes.
    ///
    /// - Returns: false for a lack of memory. The buffer is then incomplete, and nothing may be stored.
    @discardableResult
    @inlinable @inline(__always)
    public mutating func reserve(_ extra: Int) -> Bool {
        if size + extra > capacity { return grow(by: extra) }
        return true
    }

    @usableFromInline
    mutating func grow(by extra: Int) -> Bool {
        guard !isIncomplete else { return false }
        let least = size + extra
        let wanted = capacity == 0 ? max(extra, 64) : max(least, capacity * 2)
        guard MemoryBudget.hasRoom(forBuffer: wanted - capacity) else { return giveUp() }
        if let block = unsafe realloc(base, wanted) {
            unsafe base = block
            capacity = wanted
        } else if let block = unsafe realloc(base, least) {
            unsafe base = block
            capacity = least
        } else {
            return giveUp()
        }
        return true
    }

    /// Marks the buffer as incomplete, so that it drops all later bytes. Returns false.
    private mutating func giveUp() -> Bool {
        capacity = -1
        MemoryBudget.noteRefusal()
        return false
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    public mutating func append(_ byte: UInt8) {
        guard reserve(1) else { return }
        unsafe base.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: size, as: UInt8.self)
        size += 1
    }

    /// Appends bytes.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: Span<UInt8>) {
        let added = bytes.count
        guard reserve(added) else { return }
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress, let target = unsafe base?.advanced(by: size) else { return }
            unsafe Self.copy(added, from: start, to: target)
        }
        size += added
    }

    /// Copies bytes. Most runs are a few bytes long. Copying such a run as two overlapping words is faster than a call.
    @inlinable @inline(__always)
    static func copy(_ count: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
        switch count {
        case 0..<4:
            for index in 0..<count {
                let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
                unsafe target.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
            }
        case 4...8: unsafe copy(UInt32.self, count: count, from: source, to: target)
        case 9...16: unsafe copy(UInt64.self, count: count, from: source, to: target)
        case 17...32: unsafe copy(SIMD2<UInt64>.self, count: count, from: source, to: target)
        default: unsafe target.copyMemory(from: source, byteCount: count)
        }
    }

    @inlinable @inline(__always)
    static func copy<Word: BitwiseCopyable>(
        _ word: Word.Type, count: Int, from source: UnsafeRawPointer, to target: UnsafeMutableRawPointer
    ) {
        let last = count - MemoryLayout<Word>.size
        let head = unsafe source.loadUnaligned(as: word)
        let tail = unsafe source.loadUnaligned(fromByteOffset: last, as: word)
        unsafe target.storeBytes(of: head, as: word)
        unsafe target.storeBytes(of: tail, toByteOffset: last, as: word)
    }

    /// Appends a literal's UTF-8.
    @inlinable @inline(__always)
    public mutating func append(_ text: StaticString) {
        guard reserve(text.utf8CodeUnitCount) else { return }
        store(text)
    }

    /// Appends a literal's UTF-8; there must be room for it.
    @inlinable @inline(__always)
    public mutating func store(_ text: StaticString) {
        let added = text.utf8CodeUnitCount
        unsafe Self.copy(added, from: text.utf8Start, to: base.unsafelyUnwrapped.advanced(by: size))
        size &+= added
    }

    /// Appends a string's UTF-8.
    public mutating func append(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        append(text.utf8Span.span)
    }

    /// Overwrites a byte that was written before. Does nothing if the byte is missing because the buffer is incomplete.
    @inlinable
    public mutating func set(_ byte: UInt8, at offset: Int) {
        guard offset >= 0, offset < size else { return precondition(isIncomplete) }
        unsafe base.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
    }

    /// Overwrites bytes that were written before. Does nothing if some of them are missing because the buffer is
    /// incomplete.
    public mutating func replace(at offset: Int, with bytes: Span<UInt8>) {
        guard offset >= 0, bytes.count <= count - offset else { return precondition(isIncomplete) }
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe base.unsafelyUnwrapped.advanced(by: offset).copyMemory(from: start, byteCount: source.count)
        }
    }

    /// Discards everything after the first `newCount` bytes; the memory is kept.
    @inlinable
    public mutating func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= size)
        size = newCount
    }

    /// Discards everything after the first `newCount` bytes, and their memory.
    public mutating func shrink(to newCount: Int) {
        truncate(to: newCount)
        // With a size of 0, the call would free the block.
        let kept = max(newCount, 64)
        guard kept < capacity, let block = unsafe realloc(base, kept) else { return }
        unsafe base = block
        capacity = kept
    }

    /// Removes the first `taken` bytes, and moves the rest to the front.
    public mutating func removeFirst(_ taken: Int) {
        precondition(taken >= 0 && taken <= size)
        guard taken > 0, let start = unsafe base else { return }
        unsafe memmove(start, start + taken, size - taken)
        size -= taken
    }

    /// The bytes written.
    @inlinable
    public var span: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
            let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Appends some of the bytes to another buffer.
    public func copy(_ range: Range<Int>, to other: inout ByteBuffer) { other.append(span.extracting(range)) }

    /// Returns the memory, which is shrunk if much of it is unused. The caller must free the memory with `free`.
    public consuming func release() -> UnsafeMutableRawBufferPointer {
        let size = count
        let block = unsafe size > 0 && size < capacity / 2 ? realloc(base, size) ?? base : base
        // The block now belongs to the caller, so deinit has nothing to free.
        let result = unsafe UnsafeMutableRawBufferPointer(start: block, count: size)
        unsafe base = nil
        return unsafe result
    }
}

/// Stores words as a whole, but counts only some of their bytes. This costs less than a branch for each byte.
extension ByteBuffer {
    /// Stores the eight bytes of a word, the lowest byte first, but counts only the first `counted` bytes. There must
    /// be room for eight bytes.
    @inlinable @inline(__always)
    public mutating func store(_ word: UInt64, counting counted: Int) {
        unsafe base.unsafelyUnwrapped.storeBytes(of: word.littleEndian, toByteOffset: size, as: UInt64.self)
        size &+= counted
    }

    /// Appends the eight bytes of a word, lowest first.
    @inlinable @inline(__always)
    public mutating func append(littleEndian word: UInt64) {
        guard reserve(8) else { return }
        store(word, counting: 8)
    }

    /// Appends the lowest `width` bytes of a word, the highest of these bytes first.
    ///
    /// - Parameter width: 1 … 8.
    @inlinable @inline(__always)
    public mutating func append(bigEndian word: UInt64, width: Int) {
        guard reserve(8) else { return }
        store((word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* width)).byteSwapped, counting: width)
    }

    /// Appends one byte a number of times.
    ///
    /// - Parameter word: the byte eight times.
    @inlinable @inline(__always)
    public mutating func append(_ word: UInt64, repeated count: Int) {
        guard reserve(count &+ 8) else { return }
        var left = count
        while left > 0 {
            store(word, counting: min(left, 8))
            left &-= 8
        }
    }
}

extension ByteBuffer {
    /// Appends a number in decimal digits.
    @inlinable
    public mutating func append(decimal value: UInt64) {
        let (high, low) = value.quotientAndRemainder(dividingBy: 100_000_000)
        if high > 0 { append(decimal: high) }
        guard reserve(8) else { return }
        let digits = Self.eightDigits(low)
        // The last digit is written even if it is zero.
        let zeros = high > 0 ? 0 : min(digits.trailingZeroBitCount / 8, 7)
        store((digits | ByteScan.word(of: 0x30)) &>> UInt64(truncatingIfNeeded: 8 &* zeros), counting: 8 &- zeros)
    }

    /// Returns the decimal digits of a number below 100,000,000, the highest digit in the lowest byte.
    ///
    /// Splits all parts of the number at once, into fours, pairs and single digits. The products and shifts divide by
    /// 100 and by 10.
    @inlinable @inline(__always)
    static func eightDigits(_ value: UInt64) -> UInt64 {
        let fours = value / 10_000 | (value % 10_000) &<< 32
        let hundreds = (fours &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let pairs = hundreds | (fours &- 100 &* hundreds) &<< 16
        let tens = (pairs &* 103) &>> 10 & 0x000F_000F_000F_000F
        return tens | (pairs &- 10 &* tens) &<< 8
    }

    /// Appends the last `digits` decimal digits of a nonnegative number, including leading zeros.
    public mutating func append(_ value: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            append(0x30 + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends bytes as base64 with padding (RFC 4648, section 4), without line breaks.
    public mutating func append(base64 bytes: Span<UInt8>) {
        guard reserve((bytes.count / 3 + 1) * 4) else { return }
        let whole = bytes.count - bytes.count % 3
        var index = 0
        while index < whole {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            appendDigits(of: group, count: 4)
            index += 3
        }
        switch bytes.count - whole {
        case 1:
            appendDigits(of: UInt32(bytes[whole]) << 16, count: 2)
            append("==" as StaticString)
        case 2:
            appendDigits(of: UInt32(bytes[whole]) << 16 | UInt32(bytes[whole + 1]) << 8, count: 3)
            append(UInt8(ascii: "="))
        default: break
        }
    }

    /// Appends the first base64 digits of 24 bits.
    @inline(__always)
    private mutating func appendDigits(of group: UInt32, count: Int) {
        for place in 0..<count {
            let value = UInt8(truncatingIfNeeded: group >> UInt32(18 - 6 * place)) & 0x3F
            switch value {
            case ..<26: append(value + UInt8(ascii: "A"))
            case ..<52: append(value - 26 + UInt8(ascii: "a"))
            case ..<62: append(value - 52 + UInt8(ascii: "0"))
            case 62: append(UInt8(ascii: "+"))
            default: append(UInt8(ascii: "/"))
            }
        }
    }
}

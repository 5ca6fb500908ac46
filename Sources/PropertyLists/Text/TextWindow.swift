import Bytes
import Glibc

/// A sliding window over a text document: checked UTF-8, a cursor, and the cursor's line.
///
/// Offsets are relative to the cursor, so they stay valid when the window slides. The window grows only to hold one
/// token.
@safe
struct TextWindow: ~Copyable {
    private let input: DocumentInput
    private let limits: PropertyListLimits
    private let check: TextCheck
    private var transcoder: Transcoder?
    /// The offset in the document of the next piece to read.
    private var inputOffset: Int
    private var isAtInputEnd = false

    private var block: MemoryBlock
    private var base: UnsafeMutableRawPointer {
        @inline(__always) get { unsafe block.start }
    }
    private var capacity: Int
    /// The cursor, the end of the checked text, and the end of all bytes read, as offsets from `base`.
    private var cursor = 0, checkedEnd = 0, rawEnd = 0

    /// The cursor's line, from 1.
    private(set) var line = 1
    /// The offset from `base` of the first byte of the cursor's line; negative after this byte has left the window.
    private var lineStart = 0

    /// Whether the bytes skipped by the last `find` may contain a line feed. If false, they do not contain a line feed.
    private(set) var foundLineFeed = false

    /// The text of a token that the document writes with references or escapes.
    private(set) var assembled: ByteBuffer

    /// The room after the window. Vectors of sixteen bytes are loaded, which may extend past the window's end.
    private static let padding = 16
    private static let pieceBytes = 1 << 16

    /// Opens a window on the beginning of a document.
    ///
    /// - Parameter known: the encoding; nil to detect it.
    /// - Throws: `PropertyListError` for an unreadable file, an unsupported encoding, or a lack of memory.
    init(
        input: DocumentInput, as kind: TextKind, encoding known: TextEncoding? = nil, limits: PropertyListLimits
    ) throws(PropertyListError) {
        // A small document fits into the window, with room for the read that finds the document's end.
        capacity = min(Self.pieceBytes, max(input.size, 0) + 1024)
        let block = try MemoryBlock(bytes: capacity + Self.padding)
        let head = unsafe UnsafeMutableRawBufferPointer(start: block.start, count: TextEncoding.headBytes)
        let taken = try unsafe input.read(at: 0, into: head)
        let bytes = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: head[..<taken]))
        let (detected, mark) = try TextEncoding.detect(bytes, isXML: kind == .xml)
        let encoding = known ?? detected
        if !encoding.isReadAsUTF8 { transcoder = Transcoder(encoding) }
        inputOffset = mark
        assembled = ByteBuffer()
        check = TextCheck(kind: kind)
        self.block = block
        self.input = input
        self.limits = limits
    }

    /// Begins again with another document, which must be UTF-8 without a byte order mark.
    ///
    /// - Throws: `PropertyListError` for text that is not UTF-8, or a lack of memory.
    mutating func restart(with text: Span<UInt8>) throws(PropertyListError) {
        (cursor, checkedEnd, rawEnd, line, lineStart) = (0, 0, 0, 1, 0)
        while capacity < text.count { try grow() }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base, count: text.count)
        unsafe text.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        rawEnd = text.count
        isAtInputEnd = true
        try checkPiece()
    }

    /// The cursor's position. The column counts characters in the part of the line that is in the window, and bytes
    /// before it.
    var position: SourcePosition { position(at: 0) }

    /// The position of the byte at an offset on the cursor's line.
    func position(at offset: Int) -> SourcePosition {
        let from = max(lineStart, 0)
        var column = cursor + offset - lineStart + 1
        for index in from..<max(from, cursor + offset)
        where unsafe base.load(fromByteOffset: index, as: UInt8.self) & 0xC0 == 0x80 {
            column -= 1
        }
        return .text(line: line, column: column)
    }

    /// The cursor's position, with the column counted in bytes. This costs only a subtraction for each event.
    var roughPosition: SourcePosition { .text(line: line, column: cursor - lineStart + 1) }

    /// Whether the cursor is at the end of the document; false if more must be read to know it.
    @inline(__always)
    var isAtEnd: Bool { isAtInputEnd && cursor == rawEnd }

    /// The byte at an offset; nil past the end of the document.
    @inline(__always)
    mutating func peek(_ offset: Int = 0) throws(PropertyListError) -> UInt8? {
        if cursor + offset >= checkedEnd, try !fill(atLeast: offset + 1) { return nil }
        return unsafe base.load(fromByteOffset: cursor + offset, as: UInt8.self)
    }

    /// The eight bytes at the cursor, as a little-endian number; 0 if fewer than eight bytes have been read.
    @inline(__always)
    var head: UInt64 {
        guard cursor &+ 8 <= checkedEnd else { return 0 }
        return unsafe base.loadUnaligned(fromByteOffset: cursor, as: UInt64.self).littleEndian
    }

    /// Whether the bytes from an offset on equal a text.
    @inline(__always)
    mutating func matches(_ text: StaticString, at offset: Int) throws(PropertyListError) -> Bool {
        let size = text.utf8CodeUnitCount
        if cursor + offset + size > checkedEnd, try !fill(atLeast: offset + size) { return false }
        return unsafe memcmp(base + cursor + offset, text.utf8Start, size) == 0
    }

    /// Moves the cursor over bytes without a line feed.
    @inline(__always)
    mutating func advance(_ count: Int) { cursor += count }

    /// Moves the cursor over any bytes, and counts the lines.
    mutating func advanceCountingLines(_ count: Int) {
        let end = cursor + count
        while cursor < end, let found = unsafe memchr(base + cursor, 10, end - cursor) {
            cursor = unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
            line += 1
            lineStart = cursor
        }
        cursor = end
    }

    /// Moves the cursor over white space: every byte up to 0x20, because `TextCheck` refuses control characters.
    @inline(__always)
    mutating func skipWhitespace() throws(PropertyListError) {
        // Elements are usually separated by a line feed and an indentation. For these, one vector is enough, without a
        // loop.
        if cursor < checkedEnd, unsafe base.load(fromByteOffset: cursor, as: UInt8.self) == 10 { passLineEnd() }
        let lanes = unsafe base.loadUnaligned(fromByteOffset: cursor, as: SIMD16<UInt8>.self)
        let lane = (lanes.atLeast(0x21) | lanes.equal(to: 10)).firstMarked
        guard lane < 16, holds(lane, otherThan: 10) else { return try skipMoreWhitespace() }
        cursor &+= lane
    }

    /// Whether the byte at an offset has been read and checked, and differs from a given byte.
    @inline(__always)
    private func holds(_ offset: Int, otherThan byte: UInt8) -> Bool {
        let index = cursor &+ offset
        return unsafe index < checkedEnd && base.load(fromByteOffset: index, as: UInt8.self) != byte
    }

    @inline(never)
    private mutating func skipMoreWhitespace() throws(PropertyListError) {
        while true {
            let lanes = unsafe base.loadUnaligned(fromByteOffset: cursor, as: SIMD16<UInt8>.self)
            let stop = (lanes.atLeast(0x21) | lanes.equal(to: 10)).firstMarked
            cursor += min(stop, checkedEnd - cursor)
            if stop < 16, cursor < checkedEnd {
                guard unsafe base.load(fromByteOffset: cursor, as: UInt8.self) == 10 else { return }
                passLineEnd()
            } else if cursor >= checkedEnd, try !fill(atLeast: 1) {
                return
            }
        }
    }

    /// Moves the cursor over the byte that ends a line.
    @inline(__always)
    mutating func passLineEnd() {
        cursor &+= 1
        line &+= 1
        lineStart = cursor
    }

    /// The offset of the first byte that ends a run of plain text in XML: `<`, `&` or a carriage return; nil if the
    /// document ends first.
    ///
    /// - Throws: `PropertyListError` if a value's length exceeds the limit before that byte.
    @inline(__always)
    mutating func findTextBreak() throws(PropertyListError) -> Int? {
        let lanes = unsafe base.loadUnaligned(fromByteOffset: cursor, as: SIMD16<UInt8>.self)
        let breaks = lanes.equal(to: UInt8(ascii: "<")) | lanes.equal(to: UInt8(ascii: "&"))
        let lane = (breaks | lanes.equal(to: 13) | lanes.equal(to: 10)).firstMarked
        guard lane < 16, holds(lane, otherThan: 10) else {
            return try find(UInt8(ascii: "<"), UInt8(ascii: "&"), 13, from: 0)
        }
        foundLineFeed = false
        return lane
    }

    /// The offset of the first byte from `offset` on that equals one of three bytes; nil if the document ends first.
    ///
    /// - Throws: `PropertyListError` if a value's length exceeds the limit before that byte.
    mutating func find(
        _ first: UInt8, _ second: UInt8, _ third: UInt8, from offset: Int
    ) throws(PropertyListError) -> Int? {
        var offset = offset
        var lineFeeds = SIMD16<UInt8>()
        while true {
            var index = cursor + offset
            while index < checkedEnd {
                let lanes = unsafe base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
                let found = lanes.equal(to: first) | lanes.equal(to: second) | lanes.equal(to: third)
                let lane = found.firstMarked
                if lane < 16, index + lane < checkedEnd {
                    foundLineFeed = lineFeeds.firstMarked < 16 || lanes.equal(to: 10).firstMarked < lane
                    return index + lane - cursor
                }
                lineFeeds |= lanes.equal(to: 10)
                index += 16
            }
            guard let next = try extend() else { return nil }
            offset = next
        }
    }

    /// The offset of the first byte from `offset` on that ends plain text in a JSON string. This is `"`, `\` or a
    /// control character; nil if the document ends first.
    ///
    /// - Throws: `PropertyListError` if a value's length exceeds the limit before that byte.
    @inline(__always)
    mutating func findStringBreak(from offset: Int) throws(PropertyListError) -> Int? {
        var index = cursor + offset
        while true {
            while index < checkedEnd {
                let lanes = unsafe base.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
                let quotes = lanes.equal(to: UInt8(ascii: "\"")) | lanes.equal(to: UInt8(ascii: "\\"))
                let lane = ((quotes | ~lanes.atLeast(0x20)) & 0x80).firstMarked
                if lane < 16, index + lane < checkedEnd { return index + lane - cursor }
                index += 16
            }
            guard let offset = try extend() else { return nil }
            index = cursor + offset
        }
    }

    /// Reads more, without moving the cursor. Returns the offset of the first new byte, or nil at the document's end.
    @inline(never)
    private mutating func extend() throws(PropertyListError) -> Int? {
        let offset = max(checkedEnd - cursor, 0)
        guard offset <= limits.valueBytes else { throw tooLong }
        return try fill(atLeast: offset + 1) ? offset : nil
    }

    /// The offset just past the first occurrence of a text from `offset` on; nil if the document ends first.
    mutating func findEnd(of text: StaticString, from offset: Int) throws(PropertyListError) -> Int? {
        let first = unsafe text.utf8Start[0]
        var offset = offset
        while let found = try find(first, first, first, from: offset) {
            if try matches(text, at: found) { return found + text.utf8CodeUnitCount }
            offset = found + 1
        }
        return nil
    }

    private var tooLong: PropertyListError {
        PropertyListError(
            reason: "a value is longer than \(limits.valueBytes) bytes; store large data in separate files",
            at: position)
    }

    /// The number of checked bytes from the cursor on. After `find` has returned nil, this is the whole rest of the
    /// document.
    var readAhead: Int { checkedEnd - cursor }

    /// The bytes at a range of offsets from the cursor, which `peek`, `matches` or `find` must have reached.
    @_lifetime(borrow self)
    func text(_ range: Range<Int>) -> Span<UInt8> {
        let bytes = unsafe UnsafeRawBufferPointer(start: base + cursor + range.lowerBound, count: range.count)
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    // MARK: Texts

    @_lifetime(borrow self)
    @inline(__always)
    func span(of text: TokenText) -> Span<UInt8> {
        switch text {
        case .direct(let range, _): self.text(range)
        case .assembled: assembled.span
        }
    }

    /// Moves past a token. Does nothing for an assembled token, because the cursor is already past it.
    @inline(__always)
    mutating func finish(_ text: TokenText) {
        guard case .direct(_, let count) = text else { return }
        if foundLineFeed { advanceCountingLines(count) } else { advance(count) }
    }

    mutating func beginAssembling() { assembled.truncate(to: 0) }

    /// Appends the bytes at a range of offsets from the cursor to the assembled text.
    mutating func assemble(_ range: Range<Int>) {
        let bytes = unsafe UnsafeRawBufferPointer(start: base + cursor + range.lowerBound, count: range.count)
        unsafe assembled.append(Span<UInt8>(_unsafeBytes: bytes))
    }

    mutating func assemble(_ byte: UInt8) { assembled.append(byte) }

    mutating func assemble(_ scalar: Unicode.Scalar) { assembled.append(scalar) }

    // MARK: Sliding

    /// Reads more until `count` checked bytes follow the cursor. Returns false if the document ends too early.
    private mutating func fill(atLeast count: Int) throws(PropertyListError) -> Bool {
        while checkedEnd - cursor < count {
            guard !isAtInputEnd else { return false }
            slide()
            if rawEnd == capacity { try grow() }
            try readPiece()
            try checkPiece()
        }
        return true
    }

    private mutating func slide() {
        guard cursor > 0 else { return }
        unsafe memmove(base, base + cursor, rawEnd - cursor)
        rawEnd -= cursor
        checkedEnd -= cursor
        lineStart -= cursor
        cursor = 0
    }

    private mutating func grow() throws(PropertyListError) {
        let larger = try MemoryBlock(bytes: capacity * 2 + Self.padding)
        unsafe larger.start.copyMemory(from: base, byteCount: rawEnd)
        block = larger
        capacity *= 2
    }

    private mutating func readPiece() throws(PropertyListError) {
        guard transcoder == nil else { return try transcodePiece() }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base + rawEnd, count: capacity - rawEnd)
        let taken = try unsafe input.read(at: inputOffset, into: room)
        inputOffset += taken
        rawEnd += taken
        isAtInputEnd = taken == 0
    }

    private mutating func transcodePiece() throws(PropertyListError) {
        let size = max((capacity - rawEnd) / Transcoder.expansion - 4, 16)
        let raw = try MemoryBlock(bytes: size)
        let taken = try unsafe input.read(
            at: inputOffset, into: UnsafeMutableRawBufferPointer(start: raw.start, count: size))
        inputOffset += taken
        guard taken > 0 else {
            isAtInputEnd = true
            try transcoder?.finish()
            return
        }
        var text = ByteBuffer(capacity: taken * Transcoder.expansion + 4)
        let bytes = unsafe UnsafeRawBufferPointer(start: raw.start, count: taken)
        do {
            try unsafe transcoder?.transcode(Span<UInt8>(_unsafeBytes: bytes), into: &text)
        } catch {
            throw error.located(at: position(at: max(checkedEnd - cursor, 0)))
        }
        guard !text.isIncomplete else { throw .outOfMemory }
        while capacity - rawEnd < text.count { try grow() }
        unsafe text.span.withUnsafeBytes { source in
            if let start = source.baseAddress {
                unsafe (base + rawEnd).copyMemory(from: start, byteCount: source.count)
            }
        }
        rawEnd += text.count
    }

    private mutating func checkPiece() throws(PropertyListError) {
        let fresh = unsafe UnsafeRawBufferPointer(start: base + checkedEnd, count: rawEnd - checkedEnd)
        var fault = 0
        do {
            checkedEnd += try unsafe check.validPrefix(of: fresh, faultAt: &fault)
        } catch {
            // The bytes before the fault are sound. A reader that looks further after the error finds the same one again.
            checkedEnd += fault
            throw located(error, at: checkedEnd)
        }
        if isAtInputEnd, checkedEnd < rawEnd { throw located(TextCheck.cutShort, at: checkedEnd) }
    }

    /// Adds to an error the position of a byte that the cursor has not reached yet. Moves the cursor to the byte, to
    /// find its line.
    private mutating func located(_ error: PropertyListError, at index: Int) -> PropertyListError {
        advanceCountingLines(index - cursor)
        return error.located(at: position)
    }
}

import Bytes
import Glibc

/// A sliding window over the code units of a text document, with one byte for each; see `DocumentText`.
///
/// The window returns only positions, so it never grows, however long a token is.
@safe
struct TokenWindow: ~Copyable {
    private let text: DocumentText
    private let block: MemoryBlock
    private var base: UnsafeMutableRawPointer {
        @inline(__always) get { unsafe block.start }
    }
    /// The cursor and the end of the bytes read, as offsets from `base`.
    private var cursor = 0, end = 0
    /// The number of the code unit at `base`.
    private var origin = 0

    /// The size of the window in bytes; a small document fits as a whole.
    private let capacity: Int
    /// The room after the window. Vectors of sixteen bytes are loaded, which may extend past the window's end.
    private static var padding: Int { 16 }

    /// - Throws: `PropertyListError` for a lack of memory.
    init(_ text: DocumentText) throws(PropertyListError) {
        self.text = text
        capacity = min(text.mostKept, text.count + 256)
        block = try MemoryBlock(bytes: capacity + Self.padding)
    }

    /// The number of the code unit at the cursor.
    var position: Int { origin &+ cursor }

    mutating func seek(_ position: Int) {
        if position >= origin, position <= origin + end {
            cursor = position - origin
        } else {
            (origin, cursor, end) = (position, 0, 0)
        }
    }

    /// The character a few code units after the cursor; 0 past the end of the document.
    @inline(__always)
    mutating func peek(_ offset: Int = 0) throws(PropertyListError) -> UInt8 {
        if cursor &+ offset >= end, try !fill(atLeast: offset &+ 1) { return 0 }
        return unsafe base.load(fromByteOffset: cursor &+ offset, as: UInt8.self)
    }

    @inline(__always)
    mutating func advance(_ count: Int) { cursor &+= count }

    /// Whether the cursor is at the end of the document.
    var isAtEnd: Bool {
        mutating get throws(PropertyListError) {
            if cursor < end { return false }
            return try !fill(atLeast: 1)
        }
    }

    /// Whether the characters at the cursor equal a text.
    mutating func matches(_ text: StaticString) throws(PropertyListError) -> Bool {
        let size = text.utf8CodeUnitCount
        if cursor + size > end, try !fill(atLeast: size) { return false }
        return unsafe memcmp(base + cursor, text.utf8Start, size) == 0
    }

    /// Moves to the next character that equals one of three characters.
    ///
    /// - Throws: `PropertyListError` if the document ends without this character.
    @inline(__always)
    mutating func find(_ first: UInt8, _ second: UInt8, _ third: UInt8) throws(PropertyListError) {
        try find { $0.equal(to: first) | $0.equal(to: second) | $0.equal(to: third) }
    }

    @inline(__always)
    mutating func find(_ character: UInt8) throws(PropertyListError) { try find(character, character, character) }

    /// Moves to the next quotation mark, bracket or brace of JSON, from a position outside of a string.
    @inline(__always)
    mutating func findStructure() throws(PropertyListError) {
        let likeBrackets = SIMD16<UInt8>(repeating: 0x26)
        // With these bits set, brackets and braces become 0x7F. No other character outside of strings does so.
        try find { $0.equal(to: UInt8(ascii: "\"")) | ($0 | likeBrackets).equal(to: 0x7F) }
    }

    /// Moves to the next character that the comparison `mark` marks.
    @inline(__always)
    private mutating func find(_ mark: (SIMD16<UInt8>) -> SIMD16<UInt8>) throws(PropertyListError) {
        while true {
            while cursor < end {
                let lane = mark(unsafe base.loadUnaligned(fromByteOffset: cursor, as: SIMD16<UInt8>.self)).firstMarked
                cursor &+= lane
                if lane < 16 {
                    if cursor < end { return }
                    cursor = end
                }
            }
            cursor = end
            guard try fill(atLeast: 1) else { throw .notWhatWasRead }
        }
    }

    /// Moves past the next occurrence of a text.
    ///
    /// - Throws: `PropertyListError` if the document ends without this text.
    mutating func pass(_ text: StaticString) throws(PropertyListError) {
        let first = unsafe text.utf8Start[0]
        try find(first)
        while try !matches(text) {
            advance(1)
            try find(first)
        }
        advance(text.utf8CodeUnitCount)
    }

    mutating func skipWhitespace() throws(PropertyListError) {
        while try !isAtEnd, try peek() <= 0x20 { advance(1) }
    }

    /// Reads more until at least `count` code units follow the cursor. Returns false if the document ends too early.
    @inline(never)
    private mutating func fill(atLeast count: Int) throws(PropertyListError) -> Bool {
        guard cursor <= end else { throw .notWhatWasRead }
        unsafe memmove(base, base + cursor, end - cursor)
        origin += cursor
        end -= cursor
        cursor = 0
        while end < count {
            let wanted = min(capacity - end, text.count - origin - end)
            guard wanted > 0 else { return false }
            try read(wanted)
        }
        return true
    }

    private mutating func read(_ count: Int) throws(PropertyListError) {
        let start = text.mark + (origin + end) * text.unitBytes
        guard text.unitBytes == 1 else {
            let bytes = try text.input.bytes(start..<start + count * 2)
            for character in text.encoding.narrowed(bytes.span) {
                unsafe base.storeBytes(of: character, toByteOffset: end, as: UInt8.self)
                end += 1
            }
            return
        }
        let room = unsafe UnsafeMutableRawBufferPointer(start: base + end, count: count)
        let taken = try unsafe text.input.read(at: start, into: room)
        guard taken > 0 else { throw .notWhatWasRead }
        end += taken
    }
}

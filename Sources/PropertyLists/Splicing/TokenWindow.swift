import Bytes
import Glibc

/// A sliding window over the code units of a text document, each as a byte; see `DocumentText`.
///
/// Only positions leave it, so that it never grows, however long a token is.
@safe
struct TokenWindow: ~Copyable {
    private let text: DocumentText
    private let base: UnsafeMutableRawPointer
    /// The cursor and the end of what has been read, as offsets from `base`.
    private var cursor = 0, end = 0
    /// The number of the code unit at `base`.
    private var origin = 0

    /// In bytes; a small document fits as a whole.
    private let capacity: Int
    private static var mostBytes: Int { 1 << 17 }
    /// Vectors are loaded sixteen bytes at a time, past the end too.
    private static var padding: Int { 16 }

    init(_ text: DocumentText) {
        self.text = text
        capacity = min(Self.mostBytes, text.count + 256)
        unsafe base = .allocate(byteCount: capacity + Self.padding, alignment: 16)
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: capacity + Self.padding)
    }

    deinit { unsafe base.deallocate() }

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

    /// Whether the characters at the cursor are these few.
    mutating func matches(_ text: StaticString) throws(PropertyListError) -> Bool {
        let size = text.utf8CodeUnitCount
        if cursor + size > end, try !fill(atLeast: size) { return false }
        return unsafe memcmp(base + cursor, text.utf8Start, size) == 0
    }

    /// Moves to the next character that is one of three.
    ///
    /// - Throws: `PropertyListError` if there is none.
    @inline(__always)
    mutating func find(_ first: UInt8, _ second: UInt8, _ third: UInt8) throws(PropertyListError) {
        while true {
            while cursor < end {
                let lanes = unsafe base.loadUnaligned(fromByteOffset: cursor, as: SIMD16<UInt8>.self)
                let found = lanes.equal(to: first) | lanes.equal(to: second) | lanes.equal(to: third)
                let lane = found.firstMarked
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

    @inline(__always)
    mutating func find(_ character: UInt8) throws(PropertyListError) { try find(character, character, character) }

    /// Moves to the next quotation mark, bracket or brace; between JSON's strings no other character is found.
    @inline(__always)
    mutating func findStructure() throws(PropertyListError) {
        let likeBrackets = SIMD16<UInt8>(repeating: 0x26)
        while true {
            while cursor < end {
                let lanes = unsafe base.loadUnaligned(fromByteOffset: cursor, as: SIMD16<UInt8>.self)
                // These bits distinguish brackets and braces from everything that JSON has between strings.
                let found = lanes.equal(to: UInt8(ascii: "\"")) | (lanes | likeBrackets).equal(to: 0x7F)
                let lane = found.firstMarked
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
    /// - Throws: `PropertyListError` if there is none.
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

    /// Reads on until this many code units follow the cursor; false if the document ends before.
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
            for character in text.narrowed(try text.input.bytes(start..<start + count * 2)) {
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

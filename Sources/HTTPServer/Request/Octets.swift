import Glibc

/// Bytes of a request where they lie, mostly in the library's memory: valid until the request has been answered.
@safe
struct Octets {
    let start: UnsafePointer<UInt8>
    let count: Int

    init(start: UnsafePointer<UInt8>, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    /// The bytes of a C string up to its end.
    init(cString text: UnsafePointer<CChar>) {
        unsafe start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        count = unsafe strlen(text)
    }

    init(_ text: UnsafePointer<CChar>, count: Int) {
        unsafe start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        self.count = count
    }

    /// The place behind the last byte.
    var end: UnsafePointer<UInt8> { unsafe start + count }

    var text: String { unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self) }

    subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return unsafe start[index]
    }

    subscript(range: Range<Int>) -> Octets {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return unsafe Octets(start: start + range.lowerBound, count: range.count)
    }

    /// How far this begins behind another.
    static func - (behind: Octets, other: Octets) -> Int { unsafe behind.start - other.start }

    /// This with what lies behind it, up to a count that the caller knows to be there.
    func extended(to count: Int) -> Octets { unsafe Octets(start: start, count: count) }

    /// Where a byte first stands.
    func firstIndex(of byte: UInt8) -> Int? {
        guard let found = unsafe memchr(start, Int32(byte), count) else { return nil }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    /// How many bytes are of a kind.
    func count(where isCounted: (UInt8) -> Bool) -> Int {
        var found = 0
        for index in 0..<count where isCounted(self[index]) { found += 1 }
        return found
    }

    /// Compares byte for byte.
    func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where unsafe start[index] != text.utf8Start[index] { return false }
        return true
    }

    /// Compares with text in lower case, where this one may be in any case.
    func matches(_ lowercased: StaticString) -> Bool {
        count == lowercased.utf8CodeUnitCount && begins(with: lowercased)
    }

    /// Whether this begins with text in lower case, where this one may be in any case.
    func begins(with lowercased: StaticString) -> Bool {
        let length = lowercased.utf8CodeUnitCount
        guard count >= length else { return false }
        for index in 0..<length where unsafe Octets.lowercased(start[index]) != lowercased.utf8Start[index] {
            return false
        }
        return true
    }

    /// Without the white space around it, which is no part of a field's value (RFC 9110 section 5.5).
    var trimmed: Octets {
        var first = 0
        var end = count
        while end > first, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        while first < end, self[first] == 0x20 || self[first] == 0x09 { first += 1 }
        return self[first..<end]
    }

    /// The number that these digits are, or `nil` where there is anything else, nothing, or too many.
    var number: Int? {
        guard count > 0, count < 19 else { return nil }
        var value = 0
        for index in 0..<count {
            let digit = self[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}

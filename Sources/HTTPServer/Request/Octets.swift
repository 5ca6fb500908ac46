import Bytes
import Glibc

/// Bytes of a request in place, mostly in the library's memory; valid until the request has been answered.
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

    /// The address after the last byte.
    var end: UnsafePointer<UInt8> { unsafe start + count }

    /// The same bytes; as long as the octets themselves, they are valid until the request has been answered.
    var span: Span<UInt8> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            let span = unsafe Span<UInt8>(_unsafeStart: start, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    var text: String { String(utf8: span) }

    subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return unsafe start[index]
    }

    subscript(range: Range<Int>) -> Octets {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return unsafe Octets(start: start + range.lowerBound, count: range.count)
    }

    /// The distance from the beginning of another to the beginning of this.
    static func - (behind: Octets, other: Octets) -> Int { unsafe behind.start - other.start }

    /// These bytes and those after them; the caller guarantees that so many exist.
    func extended(to count: Int) -> Octets { unsafe Octets(start: start, count: count) }

    /// The index of a byte's first occurrence.
    func firstIndex(of byte: UInt8) -> Int? {
        guard let found = unsafe memchr(start, Int32(byte), count) else { return nil }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    /// The number of bytes that meet a condition.
    func count(where isCounted: (UInt8) -> Bool) -> Int {
        var found = 0
        for index in 0..<count where isCounted(self[index]) { found += 1 }
        return found
    }

    /// Compares byte for byte.
    func equals(_ text: StaticString) -> Bool { span.isEqual(to: text) }

    /// Compares with text in lower case, ignoring the case of this one.
    func matches(_ lowercased: StaticString) -> Bool { span.isEqual(ignoringCase: lowercased) }

    /// Whether this begins with text in lower case, ignoring the case of this one.
    func begins(with lowercased: StaticString) -> Bool { span.begins(ignoringCase: lowercased) }

    /// Without the white space around it, which is not part of a field's value (RFC 9110, section 5.5).
    var trimmed: Octets {
        var first = 0
        var end = count
        while end > first, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        while first < end, self[first] == 0x20 || self[first] == 0x09 { first += 1 }
        return self[first..<end]
    }

    /// The number with these digits; nil for anything else, and for more than 18 digits.
    var number: Int? { count < 19 ? Int(digits: span) : nil }
}

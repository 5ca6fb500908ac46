import Bytes
import Glibc
import HTTPFields

/// Bytes of a request that are not copied, mostly in the library's memory. They are valid until the request has been
/// answered.
@safe
struct Octets {
    let start: UnsafePointer<UInt8>
    let count: Int

    init(start: UnsafePointer<UInt8>, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    init(cString text: UnsafePointer<CChar>) {
        unsafe start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        count = unsafe strlen(text)
    }

    init(text: UnsafePointer<CChar>, count: Int) {
        unsafe start = UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self)
        self.count = count
    }

    /// The same bytes as a span; like the octets, it is valid until the request has been answered.
    var span: Span<UInt8> {
        @_lifetime(borrow self)
        @inline(__always)
        get {
            let span = unsafe Span<UInt8>(_unsafeStart: start, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    var text: String { String(utf8: span) }

    func append(to bytes: inout [UInt8]) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: start, count: count))
    }

    subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < count)
        return unsafe start[index]
    }

    subscript(range: Range<Int>) -> Octets {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return unsafe Octets(start: start + range.lowerBound, count: range.count)
    }

    /// The number of bytes between the end of another piece of the same memory and the beginning of this piece.
    func gap(after other: Octets) -> Int { unsafe start - (other.start + other.count) }

    func isAt(_ other: Octets) -> Bool { unsafe start == other.start }

    /// The bytes from the beginning of this piece to the end of another. The caller guarantees that the other piece
    /// follows in the same memory.
    func joined(to end: Octets) -> Octets { unsafe Octets(start: start, count: end.start + end.count - start) }

    func firstIndex(of byte: UInt8) -> Int? {
        guard let found = unsafe memchr(start, Int32(byte), count) else { return nil }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    func count(where isCounted: (UInt8) -> Bool) -> Int {
        var found = 0
        for index in 0..<count where isCounted(self[index]) { found += 1 }
        return found
    }

    func equals(_ text: StaticString) -> Bool { span.isEqual(to: text) }

    /// Whether the octets equal a text, ignoring their case. The text must be in lower case.
    func matches(_ lowercased: StaticString) -> Bool { span.isEqual(ignoringCase: lowercased) }

    /// Whether the octets begin with a text, ignoring their case. The text must be in lower case.
    func begins(with lowercased: StaticString) -> Bool { span.begins(ignoringCase: lowercased) }

    /// The octets without the white space around them, which is not part of a field's value (RFC 9110, section 5.5).
    var trimmed: Octets {
        var first = 0
        var end = count
        while end > first, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        while first < end, self[first] == 0x20 || self[first] == 0x09 { first += 1 }
        return self[first..<end]
    }

    /// The octets as a decimal number; nil if there is another character than a digit, or more than 18 digits.
    var number: Int? { count < 19 ? Int(digits: span) : nil }
}

/// The bytes that HTTP allows in each part of a request (RFC 9110, section 5; RFC 9112, section 3).
extension Octets {
    /// Whether this is a token: a method or a field name.
    var isToken: Bool { count > 0 && isMade(of: .token) }

    /// Whether each octet may occur in the value of `Host`: a name or an address, and a port.
    var isHost: Bool { isMade(of: .host) }

    @inline(__always)
    private func isMade(of set: AsciiSet) -> Bool {
        var isMade = true
        for index in 0..<count { isMade = isMade && set.contains(self[index]) }
        return isMade
    }

    /// Whether this contains no control character other than the tab.
    var isFieldValue: Bool {
        hasOnly { word in
            Octets.controls(word) == 0
        } byte: {
            $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F)
        }
    }

    /// Whether this is printable ASCII without spaces.
    var isTarget: Bool {
        hasOnly { word in
            Octets.controls(word) | ByteScan.equal(word, 0x20) | word & ByteScan.highBits == 0
        } byte: {
            $0 > 0x20 && $0 < 0x7F
        }
    }

    /// Whether all bytes pass a test. Tests eight bytes at a time, and each of the eight alone if that test fails.
    @inline(__always)
    private func hasOnly(word test: (UInt64) -> Bool, byte single: (UInt8) -> Bool) -> Bool {
        var index = 0
        while index + 8 <= count {
            let word = unsafe UnsafeRawPointer(start).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if !test(word) {
                for place in index..<index + 8 where !single(self[place]) { return false }
            }
            index += 8
        }
        while index < count {
            if !single(self[index]) { return false }
            index += 1
        }
        return true
    }

    /// Not zero if the word has a control character: a byte below 0x20, or 0x7F.
    private static func controls(_ word: UInt64) -> UInt64 { ByteScan.controls(word) | ByteScan.equal(word, 0x7F) }
}

extension AsciiSet {
    /// `uri-host` with a port (RFC 3986, section 3.2): unreserved, sub-delims and `%:[]`.
    @inline(__always)
    fileprivate static var host: AsciiSet { AsciiSet(low: 0x2FFF_7FF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFE) }
}

/// A copy of bytes that the library will overwrite; the memory is reused from request to request.
@safe
struct OctetBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 256
    private(set) var count = 0

    init() { unsafe start = .allocate(capacity: 256) }

    deinit { unsafe start.deallocate() }

    /// The copied bytes; the result is valid until the bytes change.
    var octets: Octets { unsafe Octets(start: start, count: count) }

    mutating func set(_ octets: Octets) {
        if octets.count > capacity {
            unsafe start.deallocate()
            capacity = octets.count * 2
            unsafe start = .allocate(capacity: capacity)
        }
        unsafe start.update(from: octets.start, count: octets.count)
        count = octets.count
    }

    mutating func shrink() {
        unsafe start.deallocate()
        unsafe start = .allocate(capacity: 0)
        capacity = 0
        count = 0
    }

    func equals(_ octets: Octets) -> Bool {
        unsafe octets.count == count && memcmp(start, octets.start, count) == 0
    }

    mutating func cut(to range: Range<Int>) {
        precondition(range.upperBound <= count)
        unsafe start.update(from: start + range.lowerBound, count: range.count)
        count = range.count
    }

    mutating func prependSlash() {
        precondition(count < capacity)
        unsafe (start + 1).update(from: start, count: count)
        unsafe start[0] = UInt8(ascii: "/")
        count += 1
    }
}

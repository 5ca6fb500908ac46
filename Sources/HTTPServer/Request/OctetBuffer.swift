import Glibc

/// A copy of bytes that the library will overwrite; the memory is reused from request to request.
@safe
struct OctetBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 256
    private(set) var count = 0

    init() { unsafe start = .allocate(capacity: 256) }

    deinit { unsafe start.deallocate() }

    /// Valid until the bytes change.
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

    /// Removes the bytes and frees their memory.
    mutating func shrink() {
        unsafe start.deallocate()
        unsafe start = .allocate(capacity: 0)
        capacity = 0
        count = 0
    }

    func equals(_ octets: Octets) -> Bool {
        unsafe octets.count == count && memcmp(start, octets.start, count) == 0
    }

    /// Keeps only a range of the bytes.
    mutating func cut(to range: Range<Int>) {
        precondition(range.upperBound <= count)
        unsafe start.update(from: start + range.lowerBound, count: range.count)
        count = range.count
    }

    /// Inserts a slash at the beginning.
    mutating func prependSlash() {
        precondition(count < capacity)
        unsafe (start + 1).update(from: start, count: count)
        unsafe start[0] = UInt8(ascii: "/")
        count += 1
    }
}

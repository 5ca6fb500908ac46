import Glibc

/// A copy of bytes that the library will write over; the memory is kept from request to request.
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

    /// Forgets the bytes, and gives up their memory.
    mutating func shrink() {
        unsafe start.deallocate()
        unsafe start = .allocate(capacity: 0)
        capacity = 0
        count = 0
    }

    func equals(_ octets: Octets) -> Bool {
        unsafe octets.count == count && memcmp(start, octets.start, count) == 0
    }

    /// Leaves only a part.
    mutating func cut(to range: Range<Int>) {
        precondition(range.upperBound <= count)
        unsafe start.update(from: start + range.lowerBound, count: range.count)
        count = range.count
    }

    /// Puts a slash first.
    mutating func prependSlash() {
        precondition(count < capacity)
        unsafe (start + 1).update(from: start, count: count)
        unsafe start[0] = UInt8(ascii: "/")
        count += 1
    }
}

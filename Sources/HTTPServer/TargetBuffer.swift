/// A copy of a request's target, since the library writes into its own; the memory is kept from request to request.
@safe
struct TargetBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 256
    private(set) var count = 0

    init() { unsafe start = .allocate(capacity: 256) }

    deinit { unsafe start.deallocate() }

    /// Valid until the target changes.
    var octets: Octets { unsafe Octets(start: start, count: count) }

    mutating func set(_ target: Octets) {
        if target.count > capacity {
            unsafe start.deallocate()
            capacity = target.count * 2
            unsafe start = .allocate(capacity: capacity)
        }
        unsafe start.update(from: target.start, count: target.count)
        count = target.count
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

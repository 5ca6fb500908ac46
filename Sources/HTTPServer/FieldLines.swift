/// The lines of one request's header, in order; the storage is kept from request to request.
@safe
struct FieldLines: ~Copyable {
    private var base: UnsafeMutablePointer<FieldLine>
    private var capacity = 16
    private(set) var count = 0
    /// Which listed fields are present, a bit each.
    private(set) var present: UInt64 = 0

    init() { unsafe base = .allocate(capacity: 16) }

    deinit { unsafe base.deallocate() }

    mutating func append(_ line: FieldLine) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: line)
        count += 1
        if line.kind != FieldLine.unlisted { present |= 1 &<< UInt64(line.kind) }
    }

    mutating func removeAll() {
        count = 0
        present = 0
    }

    subscript(index: Int) -> FieldLine {
        precondition(index < count)
        return unsafe base[index]
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<FieldLine>.allocate(capacity: capacity * 2)
        unsafe larger.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity *= 2
    }
}

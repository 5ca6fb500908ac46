/// The lines of one request's header, in order; the storage is reused from request to request.
@safe
struct FieldLines: ~Copyable {
    private var base: UnsafeMutablePointer<FieldLine>
    private var capacity = 16
    private(set) var count = 0
    /// The listed fields that are present.
    private(set) var present: FieldName.Set = []
    /// Those of them that have several lines.
    private(set) var repeated: FieldName.Set = []

    init() { unsafe base = .allocate(capacity: 16) }

    deinit { unsafe base.deallocate() }

    mutating func append(_ line: FieldLine) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: line)
        count += 1
        guard let field = line.field else { return }
        if present.contains(field) { repeated.insert(field) }
        present.insert(field)
    }

    mutating func removeAll() {
        count = 0
        present = []
        repeated = []
    }

    /// Removes the lines and frees their memory.
    mutating func shrink() {
        removeAll()
        unsafe base.deallocate()
        unsafe base = .allocate(capacity: 0)
        capacity = 0
    }

    subscript(index: Int) -> FieldLine {
        assert(index >= 0 && index < count)
        return unsafe base[index]
    }

    /// Removes the lines from an index on; `present` and `repeated` still count them.
    mutating func removeAll(from first: Int) {
        count = min(count, first)
    }

    /// The first line of a field.
    func first(_ name: FieldName) -> FieldLine? {
        guard present.contains(name) else { return nil }
        for index in 0..<count where self[index].field == name { return self[index] }
        return nil
    }

    private mutating func grow() {
        let room = max(capacity * 2, 16)
        let larger = UnsafeMutablePointer<FieldLine>.allocate(capacity: room)
        unsafe larger.moveInitialize(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        capacity = room
    }
}

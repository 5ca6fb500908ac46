import Bytes

/// The slots of a cache by object number. Object *n* can be in one of the four slots of set *n* mod (number of sets).
struct BinaryCacheSlots {
    private static var ways: Int { 4 }

    private let setMask: Int
    /// For each slot, the number of its object plus one; 0 for an empty slot.
    private var tags: [UInt32]
    /// The position, within a set, of the slot that is overwritten next.
    private var turn = 0

    /// - Parameter objectCount: the number of objects in the document; a small document needs a small cache.
    init(objectCount: Int, mostSets: Int) {
        var sets = 1
        while sets < mostSets, sets * Self.ways < objectCount { sets *= 2 }
        setMask = sets - 1
        tags = Array(repeating: 0, count: sets * Self.ways)
    }

    /// The number of slots.
    var count: Int { tags.count }

    @inline(__always)
    func slot(of object: Int) -> Int? {
        let first = (object & setMask) &* Self.ways
        for slot in first..<first &+ Self.ways where Int(tags[slot]) == object &+ 1 { return slot }
        return nil
    }

    /// Assigns a slot to an object, in place of another object. Returns nil if the object's number is too large for the
    /// cache.
    mutating func assign(_ object: Int) -> Int? {
        guard let tag = UInt32(exactly: object + 1) else { return nil }
        turn = (turn &+ 1) & (Self.ways &- 1)
        let slot = (object & setMask) &* Self.ways &+ turn
        tags[slot] = tag
        return slot
    }
}

/// A cache of decoded short texts. A few keys and values make up most of a document's entries.
@safe
struct BinaryTextCache: ~Copyable {
    private static var mostSets: Int { 512 }
    /// A slot contains the byte offset, the number of text bytes, and the text, in this order.
    private static var countAt: Int { 8 }
    private static var textAt: Int { 9 }
    private static var slotBytes: Int { 64 }
    static var mostText: Int { slotBytes - textAt }

    private var slots: BinaryCacheSlots
    private let block: MemoryBlock

    /// - Throws: `PropertyListError` for a lack of memory.
    init(objectCount: Int) throws(PropertyListError) {
        slots = BinaryCacheSlots(objectCount: objectCount, mostSets: Self.mostSets)
        block = try MemoryBlock(bytes: slots.count * Self.slotBytes)
    }

    @inline(__always)
    func slot(of object: Int) -> Int? { slots.slot(of: object) }

    @inline(__always)
    private func start(of slot: Int) -> UnsafeMutableRawPointer {
        precondition(slot >= 0 && slot < slots.count)
        return unsafe block.start + slot &* Self.slotBytes
    }

    @inline(__always)
    func offset(in slot: Int) -> Int { unsafe start(of: slot).load(as: Int.self) }

    @inline(__always)
    func count(in slot: Int) -> Int { unsafe Int(start(of: slot).load(fromByteOffset: Self.countAt, as: UInt8.self)) }

    @inline(__always)
    @_lifetime(borrow self)
    func text(in slot: Int) -> Span<UInt8> {
        let bytes = unsafe UnsafeRawBufferPointer(start: start(of: slot) + Self.textAt, count: count(in: slot))
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Stores the text of an object, in place of another text.
    ///
    /// - Parameter text: the text, which has at most `mostText` bytes.
    mutating func keep(_ text: borrowing ByteBuffer, of object: Int, at offset: Int) {
        let bytes = text.span
        precondition(bytes.count <= Self.mostText)
        guard let slot = slots.assign(object) else { return }
        let start = unsafe start(of: slot)
        unsafe start.storeBytes(of: offset, as: Int.self)
        unsafe start.storeBytes(of: UInt8(bytes.count), toByteOffset: Self.countAt, as: UInt8.self)
        for index in bytes.indices {
            unsafe start.storeBytes(of: bytes[index], toByteOffset: Self.textAt + index, as: UInt8.self)
        }
    }
}

/// A cache of numbers, dates and Booleans to which more than one container refers.
///
/// Writers store equal values once, so their objects are scattered. Without the cache, each further reference would
/// read a page of the document.
struct BinaryScalarCache {
    /// With half as many sets, 10,000 prices among a million items overflowed their sets.
    private static var mostSets: Int { 8_192 }

    private var slots: BinaryCacheSlots
    private var values: [(value: PropertyListScalar, offset: Int)]

    init(objectCount: Int) {
        slots = BinaryCacheSlots(objectCount: objectCount, mostSets: Self.mostSets)
        values = Array(repeating: (.boolean(false), 0), count: slots.count)
    }

    /// The value of an object and its byte offset in the document; nil if the object is not cached.
    @inline(__always)
    func value(of object: Int) -> (value: PropertyListScalar, offset: Int)? {
        slots.slot(of: object).map { values[$0] }
    }

    /// Stores a value, in place of another value.
    mutating func keep(_ value: PropertyListScalar, of object: Int, at offset: Int) {
        if let slot = slots.assign(object) { values[slot] = (value, offset) }
    }
}

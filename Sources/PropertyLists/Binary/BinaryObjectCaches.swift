import Bytes

/// A cache of decoded short texts, by object number: a few keys and values make up most of a document's entries.
///
/// Object *n* can be in one of the four slots of set *n* mod (number of sets), and only if it fits.
@safe
struct BinaryTextCache: ~Copyable {
    private static var mostSets: Int { 512 }
    private static var ways: Int { 4 }
    /// In a slot: the byte offset, the number of text bytes, the text.
    private static var countAt: Int { 8 }
    private static var textAt: Int { 9 }
    private static var slotBytes: Int { 64 }
    static var mostText: Int { slotBytes - textAt }

    private let setMask: Int
    /// The object number of each slot plus one, stored apart from the texts so that a search stays within a cache line.
    private let tags: UnsafeMutablePointer<UInt32>
    private let slots: UnsafeMutableRawPointer
    /// The way that is overwritten next.
    private var turn = 0

    /// - Parameter objectCount: the number of objects in the document; a small document needs a small cache.
    init(objectCount: Int) {
        var sets = 1
        while sets < Self.mostSets, sets * Self.ways < objectCount { sets *= 2 }
        setMask = sets - 1
        let count = sets * Self.ways
        unsafe tags = .allocate(capacity: count)
        unsafe tags.initialize(repeating: 0, count: count)
        unsafe slots = .allocate(byteCount: count * Self.slotBytes, alignment: Self.slotBytes)
        unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: count * Self.slotBytes)
    }

    deinit {
        unsafe tags.deallocate()
        unsafe slots.deallocate()
    }

    @inline(__always)
    func place(of object: Int) -> Int? {
        let first = (object & setMask) &* Self.ways
        for place in first..<first &+ Self.ways {
            if unsafe Int(tags[place]) == object &+ 1 { return place }
        }
        return nil
    }

    @inline(__always)
    private func slot(_ place: Int) -> UnsafeMutableRawPointer {
        unsafe slots + (place & (setMask &* Self.ways &+ Self.ways &- 1)) &* Self.slotBytes
    }

    @inline(__always)
    func offset(at place: Int) -> Int { unsafe slot(place).load(as: Int.self) }

    @inline(__always)
    func count(at place: Int) -> Int { unsafe Int(slot(place).load(fromByteOffset: Self.countAt, as: UInt8.self)) }

    @inline(__always)
    @_lifetime(borrow self)
    func text(at place: Int) -> Span<UInt8> {
        let bytes = unsafe UnsafeRawBufferPointer(start: slot(place) + Self.textAt, count: count(at: place))
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Stores an object's text, replacing another.
    ///
    /// - Parameter text: at most `mostText` bytes.
    mutating func keep(_ text: borrowing ByteBuffer, of object: Int, at offset: Int) {
        guard let tag = UInt32(exactly: object + 1) else { return }
        let bytes = text.span
        precondition(bytes.count <= Self.mostText)
        turn = (turn &+ 1) & (Self.ways &- 1)
        let place = (object & setMask) &* Self.ways &+ turn
        unsafe tags[place] = tag
        let slot = unsafe slot(place)
        unsafe slot.storeBytes(of: offset, as: Int.self)
        unsafe slot.storeBytes(of: UInt8(bytes.count), toByteOffset: Self.countAt, as: UInt8.self)
        for index in bytes.indices {
            unsafe slot.storeBytes(of: bytes[index], toByteOffset: Self.textAt + index, as: UInt8.self)
        }
    }
}

/// A cache of numbers, dates and Booleans that more than one container refers to, by object number.
///
/// Writers store equal values once, so their objects are all over a document: reading one again would cost a page.
/// Object *n* can be in one of the four slots of set *n* mod (number of sets).
struct BinaryScalarCache {
    private struct Slot {
        /// The object number plus one; 0 for an empty slot.
        var tag: UInt32 = 0
        var offset: UInt32 = 0
        var value = PropertyListScalar.boolean(false)
    }

    /// With half as many, 10,000 prices among a million items overflowed their sets.
    private static var mostSets: Int { 8_192 }
    private static var ways: Int { 4 }

    private let setMask: Int
    private var slots: [Slot]
    /// The way that is overwritten next.
    private var turn = 0

    /// - Parameter objectCount: the number of objects in the document; a small document needs a small cache.
    init(objectCount: Int) {
        var sets = 1
        while sets < Self.mostSets, sets * Self.ways < objectCount { sets *= 2 }
        setMask = sets - 1
        slots = Array(repeating: Slot(), count: sets * Self.ways)
    }

    @inline(__always)
    func place(of object: Int) -> Int? {
        let first = (object & setMask) &* Self.ways
        for place in first..<first &+ Self.ways where Int(slots[place].tag) == object &+ 1 { return place }
        return nil
    }

    /// The value in a place, and where it begins in the document.
    @inline(__always)
    func value(at place: Int) -> (value: PropertyListScalar, offset: Int) {
        (slots[place].value, Int(slots[place].offset))
    }

    /// Stores a value; one that is too far along in a huge document is ignored.
    mutating func keep(_ value: PropertyListScalar, of object: Int, at offset: Int) {
        guard let tag = UInt32(exactly: object + 1), let offset = UInt32(exactly: offset) else { return }
        turn = (turn &+ 1) & (Self.ways &- 1)
        slots[(object & setMask) &* Self.ways &+ turn] = Slot(tag: tag, offset: offset, value: value)
    }
}

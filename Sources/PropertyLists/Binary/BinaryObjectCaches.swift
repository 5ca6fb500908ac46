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
/// Object *n* can be in one of the four slots of set *n* mod (number of sets), which is a cache line.
@safe
struct BinaryScalarCache: ~Copyable {
    /// A value, and 16 bytes however it is laid out: four slots must fit a cache line.
    private struct Slot {
        /// The object number and, in the lowest three bits, the type.
        var tag: UInt32
        var offset: UInt32
        var bits: UInt64
    }

    private enum Kind: UInt32 { case integer, negativeInteger, real, boolean, date, uid }

    /// Half a megabyte in all: with half of that, 10,000 prices among a million items overflowed their sets.
    private static var mostSets: Int { 8_192 }
    private static var ways: Int { 4 }

    private let setMask: Int
    private let slots: UnsafeMutablePointer<Slot>
    /// The way that is overwritten next.
    private var turn = 0

    /// - Parameter objectCount: the number of objects in the document; a small document needs a small cache.
    init(objectCount: Int) {
        var sets = 2
        while sets < Self.mostSets, sets * Self.ways < objectCount { sets *= 2 }
        setMask = sets - 1
        let count = sets * Self.ways
        let block = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Slot>.stride, alignment: 64)
        unsafe slots = block.bindMemory(to: Slot.self, capacity: count)
        for place in 0..<count {
            // An empty slot has the number of an object of the neighbouring set, so that no lookup finds it here.
            let stranger = place / Self.ways ^ 1
            unsafe (slots + place).initialize(to: Slot(tag: UInt32(stranger) << 3, offset: 0, bits: 0))
        }
    }

    deinit { unsafe slots.deallocate() }

    @inline(__always)
    func place(of object: Int) -> Int? {
        let first = (object & setMask) &* Self.ways
        for place in first..<first &+ Self.ways {
            if unsafe Int(slots[place].tag &>> 3) == object { return place }
        }
        return nil
    }

    /// The value in a place, and where it begins in the document.
    @inline(__always)
    func value(at place: Int) -> (event: BinaryDecoder.Event, offset: Int) {
        let slot = unsafe slots[place & (setMask &* Self.ways &+ Self.ways &- 1)]
        return (Self.event(slot), Int(slot.offset))
    }

    @inline(__always)
    private static func event(_ slot: Slot) -> BinaryDecoder.Event {
        switch Kind(rawValue: slot.tag & 7) {
        case .real: .real(Double(bitPattern: slot.bits))
        case .boolean: .boolean(slot.bits != 0)
        case .date: .date(Double(bitPattern: slot.bits))
        case .uid: .uid(slot.bits)
        case .negativeInteger: .integer(PropertyListInteger(Int64(bitPattern: slot.bits)))
        case .integer, nil: .integer(PropertyListInteger(slot.bits))
        }
    }

    /// Stores a value; a value that is not a scalar, or is too far along in a huge document, is ignored.
    mutating func keep(_ event: BinaryDecoder.Event, of object: Int, at offset: Int) {
        let (kind, bits): (Kind, UInt64)
        switch event {
        case .real(let value): (kind, bits) = (.real, value.bitPattern)
        case .boolean(let value): (kind, bits) = (.boolean, value ? 1 : 0)
        case .date(let seconds): (kind, bits) = (.date, seconds.bitPattern)
        case .uid(let value): (kind, bits) = (.uid, value)
        case .integer(let value): (kind, bits) = (value.isNegative ? .negativeInteger : .integer, value.bits)
        default: return
        }
        guard object < 1 << 29, let offset = UInt32(exactly: offset) else { return }
        turn = (turn &+ 1) & (Self.ways &- 1)
        let place = (object & setMask) &* Self.ways &+ turn
        unsafe slots[place] = Slot(tag: UInt32(object) << 3 | kind.rawValue, offset: offset, bits: bits)
    }
}

import Glibc

/// Short texts decoded before, by object number: a few keys name most of a document's entries.
///
/// Object *n* may stand only in slot *n* mod (number of slots), and only if it fits: a slot is a cache line.
@safe
struct BinaryTextCache: ~Copyable {
    /// In a slot: the object number plus one, the byte offset, the number of text bytes, the text.
    private static var offsetAt: Int { 8 }
    private static var countAt: Int { 16 }
    private static var textAt: Int { 17 }
    private static var slotBytes: Int { 64 }
    /// The longest text that fits a slot.
    static var mostText: Int { slotBytes - textAt }

    private let slots: UnsafeMutableRawPointer
    private let mask: Int

    /// - Parameter slotCount: rounded up to a power of two.
    init(slotCount: Int) {
        var count = 1
        while count < slotCount { count *= 2 }
        mask = count - 1
        unsafe slots = .allocate(byteCount: count * Self.slotBytes, alignment: Self.slotBytes)
        unsafe slots.initializeMemory(as: UInt8.self, repeating: 0, count: count * Self.slotBytes)
    }

    deinit { unsafe slots.deallocate() }

    @inline(__always)
    private func slot(of object: Int) -> Int { (object & mask) &* Self.slotBytes }

    /// Whether the object is here, so that the rest may be asked for it.
    @inline(__always)
    func holds(_ object: Int) -> Bool {
        unsafe slots.load(fromByteOffset: slot(of: object), as: Int.self) == object &+ 1
    }

    /// Where the object begins in the document.
    @inline(__always)
    func offset(of object: Int) -> Int {
        unsafe slots.load(fromByteOffset: slot(of: object) &+ Self.offsetAt, as: Int.self)
    }

    /// How many bytes the object's UTF-8 has.
    @inline(__always)
    func count(of object: Int) -> Int {
        unsafe Int(slots.load(fromByteOffset: slot(of: object) &+ Self.countAt, as: UInt8.self))
    }

    /// The object's UTF-8.
    @inline(__always)
    @_lifetime(borrow self)
    func text(of object: Int) -> Span<UInt8> {
        let start = unsafe slots + slot(of: object) + Self.textAt
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count(of: object))
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Puts a text in its object's slot, in place of the one there.
    ///
    /// - Parameter text: at most `mostText` bytes.
    mutating func keep(_ text: borrowing ByteBuffer, of object: Int, at offset: Int) {
        let bytes = text.span
        precondition(bytes.count <= Self.mostText)
        let slot = unsafe slots + slot(of: object)
        unsafe slot.storeBytes(of: object &+ 1, as: Int.self)
        unsafe slot.storeBytes(of: offset, toByteOffset: Self.offsetAt, as: Int.self)
        unsafe slot.storeBytes(of: UInt8(bytes.count), toByteOffset: Self.countAt, as: UInt8.self)
        for index in bytes.indices {
            unsafe slot.storeBytes(of: bytes[index], toByteOffset: Self.textAt + index, as: UInt8.self)
        }
    }
}

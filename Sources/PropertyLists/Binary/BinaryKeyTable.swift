import Bytes

/// Maps dictionary keys to the objects that were written for them, in bounded memory.
///
/// A short key is stored only in the slot of its hash; a new key replaces the previous one.
@safe
struct BinaryKeyTable: ~Copyable {
    private static var slotCount: Int { 1_024 }
    private static var mostBytes: Int { 56 }

    private struct Slot {
        var object: UInt32 = 0
        /// The number of bytes; one beyond the longest for an empty slot.
        var count = UInt32.max
    }

    private var slots = [Slot](repeating: Slot(), count: slotCount)
    private var texts = ByteBuffer(capacity: slotCount * mostBytes)

    init() {
        for _ in 0..<Self.slotCount * Self.mostBytes / 8 { texts.append(littleEndian: 0) }
    }

    /// The object of a key; nil if it is not here.
    func object(for key: Span<UInt8>) -> UInt32? {
        let place = Self.place(of: key)
        guard Int(slots[place].count) == key.count else { return nil }
        let start = place * Self.mostBytes
        let kept = texts.span.extracting(start..<start + key.count)
        for index in key.indices where kept[index] != key[index] { return nil }
        return slots[place].object
    }

    mutating func keep(_ key: Span<UInt8>, as object: UInt32) {
        guard key.count <= Self.mostBytes else { return }
        let place = Self.place(of: key)
        slots[place] = Slot(object: object, count: UInt32(key.count))
        texts.replace(at: place * Self.mostBytes, with: key)
    }

    /// Fowler, Noll and Vo's hash (FNV-1a), its halves folded.
    private static func place(of key: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in key.indices { hash = (hash ^ UInt64(key[index])) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (slotCount - 1)
    }
}

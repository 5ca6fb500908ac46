import Bytes
import Levels
import PropertyLists

/// A set of field names. A look-up compares the bytes of a name in place, and takes the same time for any size of set.
struct FieldNames: Equatable {
    private var names: [[UInt8]] = []
    /// The number of a name plus one, or 0 for an empty slot; the length is a power of two, or 0.
    private var slots: [UInt16] = []
    /// A bit for each length of a name; the last bit stands for all lengths from 63 bytes on.
    private var lengths: UInt64 = 0

    /// The maximum number of names in a request; for more, `*` is the better choice.
    static let limit = 256
    /// Sets of up to this many names have no table.
    private static let searched = 8

    /// - Parameter names: at most `limit`; repeated names count once.
    init(_ names: [[UInt8]]) {
        if names.count > Self.searched { slots = Array(repeating: 0, count: 4 * Self.limit) }
        for name in names { insert(name) }
    }

    /// Whether a name is in the set.
    @inline(__always)
    func contains(_ name: Span<UInt8>) -> Bool { lengths & Self.bit(ofLength: name.count) != 0 && find(name) }

    private func find(_ name: Span<UInt8>) -> Bool {
        slots.isEmpty ? names.contains { $0.span.isEqual(to: name) } : slots[slot(of: name)] != 0
    }

    private mutating func insert(_ name: [UInt8]) {
        if !slots.isEmpty {
            let slot = slot(of: name.span)
            guard slots[slot] == 0 else { return }
            slots[slot] = UInt16(names.count + 1)
        }
        names.append(name)
        lengths |= Self.bit(ofLength: name.count)
    }

    /// The slot of a name, or the empty slot for it.
    ///
    /// The hash is seeded differently in each process, so that no client can choose names that all fall into one slot.
    private func slot(of name: Span<UInt8>) -> Int {
        var hasher = Hasher()
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        let mask = slots.count - 1
        var slot = hasher.finalize() & mask
        while slots[slot] != 0 {
            let known = names[Int(slots[slot]) - 1]
            if known.span.isEqual(to: name) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private static func bit(ofLength length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }
}

extension FieldSelection {
    /// Reads the value of `?fields=`.
    ///
    /// - Throws: `Problem` (400) for more names than `FieldNames.limit`.
    init(_ text: String) throws(Problem) {
        if text == "*" {
            self = .all
            return
        }
        let bytes = text.utf8Span.span
        var names: [[UInt8]] = []
        var count = 0
        bytes.forEachPart(dividedBy: UInt8(ascii: ",")) { name in
            count += 1
            if count <= FieldNames.limit { names.append(Array(copying: name)) }
        }
        guard count <= FieldNames.limit else {
            throw .badParameter(
                "fields",
                "'fields' must name at most \(FieldNames.limit) fields, not \(count); '*' selects all of them.")
        }
        self = .named(FieldNames(names))
    }
}

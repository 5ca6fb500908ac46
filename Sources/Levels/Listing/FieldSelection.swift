public import Bytes

/// The fields of an item that a row shows.
public enum FieldSelection: Hashable, Sendable {
    /// `Subtitle`, `Image`, `Kind`, `View`, `Tag`, `Value` and `Type`.
    case cell
    /// All fields.
    case all
    /// The fields with these names.
    case named(FieldNames)

    /// Whether a field is shown.
    @inlinable
    @inline(__always)
    public func contains(_ name: Span<UInt8>) -> Bool {
        switch self {
        case .cell: Self.isCellField(name)
        case .all: true
        case .named(let names): names.contains(name)
        }
    }

    @inlinable
    @inline(__always)
    static func isCellField(_ name: Span<UInt8>) -> Bool {
        switch (name.count, name.isEmpty ? 0 : name[0]) {
        case (3, UInt8(ascii: "T")): name.isEqual(to: "Tag")
        case (4, UInt8(ascii: "K")): name.isEqual(to: "Kind")
        case (4, UInt8(ascii: "V")): name.isEqual(to: "View")
        case (4, UInt8(ascii: "T")): name.isEqual(to: "Type")
        case (5, UInt8(ascii: "I")): name.isEqual(to: "Image")
        case (5, UInt8(ascii: "V")): name.isEqual(to: "Value")
        case (8, UInt8(ascii: "S")): name.isEqual(to: "Subtitle")
        default: false
        }
    }
}

/// A set of field names. A look-up compares the bytes of a name in place, and takes the same time for any size of set.
public struct FieldNames: Hashable, Sendable {
    /// The names as UTF-8, each once, in the order in which they were given.
    public private(set) var names: [[UInt8]] = []
    /// The number of a name plus one, or 0 for an empty slot; the length is a power of two, or 0.
    private var slots: [UInt16] = []
    /// A bit for each length of a name; the last bit stands for all lengths from 63 bytes on.
    @usableFromInline
    var lengths: UInt64 = 0

    /// The maximum number of names in a request; for more, `*` is the better choice.
    public static let limit = 256
    /// Sets of up to this many names have no table.
    private static let searched = 8

    /// - Parameter names: at most `limit`; repeated names count once.
    public init(_ names: [[UInt8]]) {
        if names.count > Self.searched { slots = Array(repeating: 0, count: 4 * Self.limit) }
        for name in names { insert(name) }
    }

    /// Whether a name is in the set.
    @inlinable
    @inline(__always)
    public func contains(_ name: Span<UInt8>) -> Bool { lengths & Self.bit(ofLength: name.count) != 0 && find(name) }

    @usableFromInline
    func find(_ name: Span<UInt8>) -> Bool {
        slots.isEmpty ? names.contains { $0.span.isEqual(to: name) } : slots[slot(of: name)] != 0
    }

    private mutating func insert(_ name: [UInt8]) {
        guard !find(name.span) else { return }
        if !slots.isEmpty { slots[slot(of: name.span)] = UInt16(names.count + 1) }
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

    @usableFromInline
    static func bit(ofLength length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }
}

extension FieldSelection: CustomStringConvertible {
    /// As in a query: `*`, the names separated by commas, or `cell`.
    public var description: String {
        switch self {
        case .cell: "cell"
        case .all: "*"
        case .named(let names): names.names.map { String(utf8: $0.span) }.joined(separator: ",")
        }
    }
}

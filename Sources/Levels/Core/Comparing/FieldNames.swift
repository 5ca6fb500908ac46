import Bytes

/// A set of field names. A look-up compares the bytes of a name in place.
public struct FieldNames: Hashable, Sendable {
    /// The names as UTF-8, each once, in the order in which they were given.
    public let names: [[UInt8]]
    /// The names in ascending order of their bytes.
    private let sorted: [[UInt8]]
    /// The names with a dot, which can be paths through dictionaries.
    public let paths: [[UInt8]]
    /// A bit for each length that a name has; the last bit stands for all lengths from 63 bytes on.
    @usableFromInline
    let lengths: UInt64

    /// The maximum number of names in a request; for more, use `*`.
    public static let limit = 256

    /// - Parameter names: the names as UTF-8; repeated names count once.
    public init(_ names: [[UInt8]]) {
        var known: Set<[UInt8]> = []
        self.names = names.filter { known.insert($0).inserted }
        sorted = self.names.sorted { $0.lexicographicallyPrecedes($1) }
        paths = self.names.filter { $0.contains(UInt8(ascii: ".")) }
        lengths = names.reduce(0) { $0 | Self.bit(ofLength: $1.count) }
    }

    /// Whether a name is in the set.
    @inlinable
    @inline(__always)
    public func contains(_ name: Span<UInt8>) -> Bool { lengths & Self.bit(ofLength: name.count) != 0 && find(name) }

    /// Whether a name is in the set, or is the first part of a path in the set.
    public func reaches(_ name: Span<UInt8>) -> Bool {
        contains(name)
            || paths.contains { name.isEqual(to: $0.span.extracting(..<$0.span.index(of: UInt8(ascii: ".")))) }
    }

    @usableFromInline
    func find(_ name: Span<UInt8>) -> Bool {
        let next = sorted.partitioningIndex { !Self.precedes($0.span, name) }
        guard next < sorted.count else { return false }
        let found = sorted[next]
        return found.span.isEqual(to: name)
    }

    private static func precedes(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return one[index] < other[index]
        }
        return one.count < other.count
    }

    @usableFromInline
    static func bit(ofLength length: Int) -> UInt64 { 1 &<< UInt64(min(length, 63)) }
}

internal import PropertyLists

/// A document position in one word, because every unfinished row and field has one.
struct PackedPosition {
    /// The highest bit marks a byte offset; for text, the line is in the bits above the column.
    private let bits: UInt64

    private static let byteFlag: UInt64 = 1 << 63
    private static let columnBits: UInt64 = 31
    private static let columnMask: UInt64 = 1 << columnBits - 1

    /// No position, as for the root.
    static let none = PackedPosition(bits: 0)

    private init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ position: SourcePosition) {
        switch position {
        case .byte(let offset): bits = Self.byteFlag | UInt64(bitPattern: Int64(offset))
        case .text(let line, let column):
            bits =
                UInt64(bitPattern: Int64(line)) &<< Self.columnBits
                | UInt64(bitPattern: Int64(column)) & Self.columnMask
        }
    }

    /// The position; nil if there is none.
    var position: SourcePosition? {
        guard bits != 0 else { return nil }
        guard bits & Self.byteFlag == 0 else { return .byte(offset: Int(bits & ~Self.byteFlag)) }
        return .text(line: Int(bits >> Self.columnBits), column: Int(bits & Self.columnMask))
    }
}

extension SourcePosition {
    /// `on line 12` or `at byte 4711`, with the column if `other` is in the same line.
    func phrase(apartFrom other: SourcePosition?) -> String {
        switch (self, other) {
        case (.byte(let offset), _): "at byte \(offset)"
        case (.text(let line, let column), .text(let another, _)) where line == another:
            "on line \(line), column \(column)"
        case (.text(let line, _), _): "on line \(line)"
        }
    }
}

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

    /// Whether a field must be read to show the selected fields.
    public func reaches(_ name: Span<UInt8>) -> Bool {
        if case .named(let names) = self { names.reaches(name) } else { contains(name) }
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

extension FieldSelection: CustomStringConvertible {
    /// The text in a query: `*`, the names separated by commas, or `cell`.
    public var description: String {
        switch self {
        case .cell: "cell"
        case .all: "*"
        case .named(let names): names.names.map { String(utf8: $0.span) }.joined(separator: ",")
        }
    }
}

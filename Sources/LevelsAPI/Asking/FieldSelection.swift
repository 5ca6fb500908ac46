import Bytes

/// Which of an item's fields a row shows (`?fields=`).
enum FieldSelection: Equatable {
    /// Those of `Subtitle`, `Image`, `Kind`, `View`, `Tag`, `Value` and `Type` that the item has.
    case cell
    case all
    case named(FieldNames)

    @inline(__always)
    func contains(_ name: Span<UInt8>) -> Bool {
        switch self {
        case .cell: Self.isCellField(name)
        case .all: true
        case .named(let names): names.contains(name)
        }
    }

    @inline(__always)
    private static func isCellField(_ name: Span<UInt8>) -> Bool {
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

import Bytes
import PropertyLists

/// Which texts of an item a search looks at; a text may also be an element of an array.
public enum SearchedFields: Sendable, Equatable {
    /// The title as it is shown.
    case title
    /// The title and every field.
    case all
    case named(Names)

    /// The names of fields; `Title` is the title, and `Key` the key.
    public struct Names: Sendable, Equatable {
        let hasTitle: Bool
        let hasKey: Bool
        /// In ascending order of their bytes.
        let fields: [[UInt8]]
    }

    /// - Parameter text: names of fields, divided by commas, or `*`; nil is returned if a name is empty, or if there are
    ///   more than `most`.
    public init?(_ text: String) {
        guard text != "*" else {
            self = .all
            return
        }
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        guard names.count <= Self.most, !names.contains(where: \.isEmpty) else { return nil }
        let fields = names.filter { $0 != "Title" && $0 != "Key" }.map { Array($0.utf8) }
        self = .named(
            Names(
                hasTitle: names.contains("Title"), hasKey: names.contains("Key"),
                fields: fields.sorted { $0.lexicographicallyPrecedes($1) }))
    }

    /// The most names; for more, `*` is the better choice.
    public static let most = 256

    /// Passes each text of a row.
    func forEachText(of row: Row, in bytes: Span<UInt8>, _ visit: (Span<UInt8>) -> Void) {
        switch self {
        case .title: visit(bytes.extracting(row.title))
        case .all:
            visit(bytes.extracting(row.title))
            Self.forEachField(of: row, in: bytes, isWanted: { _ in true }, visit)
        case .named(let names):
            if names.hasTitle { visit(bytes.extracting(row.title)) }
            if names.hasKey { visit(bytes.extracting(row.key)) }
            guard !names.fields.isEmpty, !row.isString else { return }
            Self.forEachField(of: row, in: bytes, isWanted: names.contains, visit)
        }
    }

    private static func forEachField(
        of row: Row, in bytes: Span<UInt8>, isWanted: (Span<UInt8>) -> Bool, _ visit: (Span<UInt8>) -> Void
    ) {
        var reader = PackedReader(bytes, at: row.fields.lowerBound)
        while reader.offset < row.fields.upperBound {
            let name = reader.run()
            guard isWanted(bytes.extracting(name)) else {
                reader.skipValue()
                continue
            }
            switch FieldValue(&reader) {
            case .text(let range): visit(bytes.extracting(range))
            case .array(let elements): forEachText(among: elements, in: bytes, visit)
            default: break
            }
        }
    }

    private static func forEachText(
        among elements: Range<Int>, in bytes: Span<UInt8>, _ visit: (Span<UInt8>) -> Void
    ) {
        var reader = PackedReader(bytes, at: elements.lowerBound)
        while reader.offset < elements.upperBound {
            if case .text(let range) = FieldValue(&reader) { visit(bytes.extracting(range)) }
        }
    }
}

extension SearchedFields.Names {
    fileprivate func contains(_ name: Span<UInt8>) -> Bool {
        let next = fields.partitioningIndex { !Self.precedes($0.span, name) }
        guard next < fields.count else { return false }
        let field = fields[next]
        return field.span.isEqual(to: name)
    }

    private static func precedes(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return one[index] < other[index]
        }
        return one.count < other.count
    }
}

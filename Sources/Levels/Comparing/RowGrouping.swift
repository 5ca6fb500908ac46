import Bytes
import PropertyLists

/// How rows are divided into sections.
public enum RowGrouping: Sendable, Equatable {
    /// By the first letter of the folded title, in upper case; titles that begin with no letter are under `#`.
    case initial
    /// By the text of a field.
    case field(RowField)

    /// - Parameter text: `initial`, or the name of a field.
    public init(_ text: String) { self = text == "initial" ? .initial : .field(RowField(text)) }

    /// Divides rows into sections, in O(n).
    ///
    /// - Returns: the positions of the rows, in the order of the sections and within them as before; and the sections.
    func divide(_ listing: Listing) -> (positions: [Int], sections: [Section]) {
        switch self {
        case .initial: Self.divideByInitial(listing)
        case .field(let field): Self.divide(listing, by: field)
        }
    }

    /// The letters in the order of their code points, and what begins with none at the end.
    private static func divideByInitial(_ listing: Listing) -> (positions: [Int], sections: [Section]) {
        var runs = SectionRuns<String>()
        listing.forEachRow { row, bytes in
            let letter = InitialLetter.of(bytes.extracting(row.title))
            runs.append(letter == InitialLetter.other ? nil : letter)
        }
        return runs.divided(
            sorted: { $0.utf8.lexicographicallyPrecedes($1.utf8) },
            heading: { letter, _ in (letter ?? InitialLetter.other, letter ?? InitialLetter.other) })
    }

    /// The values in the order in which they appear first, and the rows without one at the end.
    private static func divide(
        _ listing: Listing, by field: RowField
    ) -> (positions: [Int], sections: [Section]) {
        var runs = SectionRuns<[UInt8]>()
        listing.forEachRow { row, bytes in
            runs.append(field.text(of: row, in: bytes).map { ItemKey.normalized($0.span) })
        }
        return runs.divided { _, first in
            let title = first.flatMap { field.text(of: listing.place(at: $0), in: listing) }
            return (title.map { String(utf8: $0.span) }, nil)
        }
    }
}

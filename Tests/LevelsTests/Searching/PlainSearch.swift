import Bytes
import CUTF8Proc

@testable import Levels

/// A search in the plainest way: every item below a level, its folded title as code points, and its rank.
struct PlainSearch {
    struct Hit: Equatable {
        let trail: [String]
        let title: String
    }

    /// The hits in the order in which they are shown.
    static func hits(of text: String, in level: Level, isRanked: Bool = true) -> [Hit] {
        let wanted = folded(text)
        let found = items(of: level, below: []).compactMap { hit in
            rank(folded(hit.title), wanted).map { (rank: $0, hit: hit) }
        }
        guard isRanked else { return found.map(\.hit) }
        return (0...2).flatMap { rank in found.filter { $0.rank == rank }.map(\.hit) }
    }

    /// The hits that a listing shows.
    static func hits(of listing: Listing) -> [Hit] {
        let located = listing.located(0..<listing.count)
        return (0..<listing.count).compactMap { position in
            let place = located.place(at: position)
            guard let level = located.level(of: place) else { return nil }
            let trail = located.rows(above: place).map { $0.level.title($0.row) }
            return Hit(trail: trail, title: level.title(place.row))
        }
    }

    private static func items(of level: Level, below trail: [String]) -> [Hit] {
        (0..<level.count).flatMap { row in
            let hit = Hit(trail: trail, title: level.title(row))
            guard let below = level.child(row) else { return [hit] }
            return [hit] + items(of: below, below: trail + [hit.title])
        }
    }

    private static func rank(_ title: [Unicode.Scalar], _ wanted: [Unicode.Scalar]) -> Int? {
        let starts = title.indices.filter { title[$0...].starts(with: wanted) }
        guard let first = starts.first else { return nil }
        if first == 0 { return 0 }
        return starts.contains { !isLetterOrDigit(title[$0 - 1]) } ? 1 : 2
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber: true
        default: false
        }
    }

    static func folded(_ text: String) -> [Unicode.Scalar] {
        Array(String(utf8: FoldedText.of(text.utf8Span.span).span).unicodeScalars)
    }
}

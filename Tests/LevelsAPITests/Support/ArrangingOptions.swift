import Levels

@testable import LevelsAPI

/// Options that arrange rows in every way that a listing allows; no endpoint takes them.
extension QueryOptions {
    static let arranging = QueryOptions(
        [.limit, .after, .fields, .format] + ["hits", "keep", "order", "divide"].map(QueryOption.arranging))
}

extension QueryOption {
    fileprivate static func arranging(_ name: String) -> QueryOption {
        QueryOption(name: name, grammar: "*CHAR", summary: "Arranges rows.") { value, values in
            values.rows.rearrangements.append(AnyRowRearrangement(TestRearrangement(name: name, value: value)))
        }
    }
}

/// A rearrangement by the name of its option.
struct TestRearrangement: RowRearrangement {
    let name: String
    let value: String

    var description: String { "\(name) \(value)" }

    func apply(to listing: inout Listing) {
        switch name {
        case "keep": keep(&listing)
        case "order": order(&listing)
        case "divide": divide(&listing)
        default: search(&listing)
        }
    }

    /// `hits=text`: rows of all levels below whose title contains a letter.
    private func search(_ listing: inout Listing) {
        guard let search = ItemSearch(text: value, isRanked: false) else { return }
        listing.search(search, texts: SearchTexts(bytes: 0))
    }

    /// `keep=text`: only rows whose title contains a letter.
    private func keep(_ listing: inout Listing) {
        listing.filter { place, level in level.title(place.row).contains(value) }
    }

    /// `order=up` or `order=down`: by title.
    private func order(_ listing: inout Listing) {
        let titles = listing.titles
        listing.arrange(
            titles.indices.sorted {
                titles[$0] == titles[$1] ? $0 < $1 : (titles[$0] < titles[$1]) == (value == "up")
            })
    }

    /// `divide=initial`: sections by the first letter of the title, in the order of the letters.
    private func divide(_ listing: inout Listing) {
        let titles = listing.titles
        let groups = Dictionary(grouping: titles.indices) { String(titles[$0].prefix(1)) }
        let letters = groups.keys.sorted()
        var sections: [Section] = []
        var positions: [Int] = []
        for letter in letters {
            let rows = groups[letter] ?? []
            sections.append(Section(title: letter, index: letter, start: positions.count, count: rows.count))
            positions += rows
        }
        listing.arrange(positions, into: sections)
    }
}

extension Listing {
    /// The title of each row.
    fileprivate var titles: [String] {
        let located = located(0..<count)
        return (0..<count).map { located.step(at: $0).map { $0.level.title($0.row) } ?? "" }
    }
}

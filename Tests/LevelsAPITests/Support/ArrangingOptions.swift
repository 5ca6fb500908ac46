import Levels

@testable import LevelsAPI

/// Options that arrange rows in every way that a listing allows; no endpoint takes them.
extension QueryOptions {
    static let arranging = QueryOptions(
        [.limit, .after, .fields, .format] + ["flat", "hits", "keep", "order", "divide"].map(QueryOption.arranging))
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
        case "flat": listing.show(listing.descendants { _ in true }, with: .outline)
        default: listing.show(listing.descendants { $0.contains(value) }, with: .trail)
        }
    }

    /// `keep=text`: only rows whose title contains a letter.
    private func keep(_ listing: inout Listing) {
        listing.filter { place, level in level.title(place.row).contains(value) }
    }

    /// `order=up` or `order=down`: by title.
    private func order(_ listing: inout Listing) {
        let titles = (0..<listing.count).map(listing.title)
        listing.arrange(
            titles.indices.sorted {
                titles[$0] == titles[$1] ? $0 < $1 : (titles[$0] < titles[$1]) == (value == "up")
            })
    }

    /// `divide=initial`: sections by the first letter of the title, in the order of the letters.
    private func divide(_ listing: inout Listing) {
        let groups = Dictionary(grouping: 0..<listing.count) { String(listing.title($0).prefix(1)) }
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
    fileprivate func title(_ position: Int) -> String {
        let place = place(at: position)
        return level(of: place)?.title(place.row) ?? ""
    }

    /// The rows of the level and of all levels below it whose title is wanted, in document order.
    fileprivate mutating func descendants(_ isWanted: (String) -> Bool) -> [Place] {
        var places: [Place] = []
        var waiting = (0..<(level?.count ?? 0)).reversed().map { Place(row: $0) }
        while let place = waiting.popLast() {
            if let title = level(of: place)?.title(place.row), isWanted(title) { places.append(place) }
            guard let branch = addBranch(below: place) else { continue }
            let below = level(of: Place(branch: branch, row: 0))?.count ?? 0
            waiting += (0..<below).reversed().map { Place(branch: branch, row: $0) }
        }
        return places
    }
}

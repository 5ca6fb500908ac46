import Levels

@testable import LevelsAPI

/// Options that arrange rows in every way that a listing allows; no endpoint takes them.
extension QueryOptions {
    static let arranging = QueryOptions([
        .limit,
        .after,
        .fields,
        .format,
        .since,
        .flat,
        .hits,
        .keep,
        .order,
        .divide,
    ])
}

extension QueryOption {
    private static func arranging(_ name: String, _ step: @escaping @Sendable (String) -> Listing.Step) -> QueryOption {
        QueryOption(name: name, grammar: "*CHAR", summary: "Arranges rows.", effect: .content) { value, query in
            query.steps.append(step(value))
        }
    }

    /// `keep=text`: only rows whose title contains a letter.
    static let keep = arranging("keep") { letter in
        { listing in listing.filter { place, level in level.title(place.row).contains(letter) } }
    }

    /// `order=up` or `order=down`: by title.
    static let order = arranging("order") { direction in
        { listing in
            let titles = (0..<listing.count).map(listing.title)
            listing.arrange(
                titles.indices.sorted {
                    titles[$0] == titles[$1] ? $0 < $1 : (titles[$0] < titles[$1]) == (direction == "up")
                })
        }
    }

    /// `divide=initial`: sections by the first letter of the title, in the order of the letters.
    static let divide = arranging("divide") { _ in
        { listing in
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

    /// `flat=all`: an outline with all rows open.
    static let flat = arranging("flat") { _ in
        { listing in
            let places = listing.descendants { _ in true }
            listing.show(places, with: .outline)
        }
    }

    /// `hits=text`: all items below the level whose title contains a letter.
    static let hits = arranging("hits") { letter in
        { listing in
            let places = listing.descendants { $0.contains(letter) }
            listing.show(places, with: .trail)
        }
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

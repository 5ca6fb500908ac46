/// The hits of a search: rows of many levels, represented by their numbers in document order.
extension Listing {
    /// Items in and below the level, by number.
    ///
    /// A search may have a million hits, so places are determined only for the hits on a page.
    public struct Items: Sendable {
        /// The numbers of the items. Items are numbered from 0, each item before the items below it.
        var numbers: [UInt32]
        let texts: SearchTexts
        /// The search, if it puts the best hits first; otherwise nil.
        let rankedBy: ItemSearch?
    }

    /// Shows the hits of a search in and below the level, in one section without a title.
    public mutating func search(_ search: ItemSearch, texts: SearchTexts) {
        guard let level else { return }
        let numbers = search.hits(in: level, texts: texts)
        show(Items(numbers: numbers, texts: texts, rankedBy: search.isRanked ? search : nil))
    }

    /// Whether all rows have places.
    public var isLocated: Bool {
        if case .items = rows { false } else { true }
    }

    /// Returns the listing with places for the rows at some positions.
    public func located(_ positions: Range<Int>) -> Listing {
        guard case .items(let items) = rows, let level else { return self }
        var located = self
        var places: [Place] = []
        places.reserveCapacity(positions.count)
        var locator = ItemLocator(level: level, texts: items.texts)
        for position in positions {
            locator.move(to: Int(items.numbers[position]))
            places.append(located.place(&locator))
        }
        located.show(places, at: positions, of: count)
        return located
    }

    private mutating func place(_ locator: inout ItemLocator) -> Place {
        let last = locator.steps.count - 1
        for index in locator.steps.indices.dropFirst() where locator.steps[index].branch == nil {
            let above = locator.steps[index - 1]
            locator.steps[index].branch = addBranch(below: Place(branch: above.branch ?? 0, row: above.row))
        }
        return Place(branch: locator.steps[last].branch ?? 0, row: locator.steps[last].row)
    }

    /// Returns the position of a shown row with one of these key hashes. Earlier hashes are preferred. The search
    /// begins near `position`, the former position of the row with the first hash, because rows rarely move far between
    /// two pages.
    func position(ofFirst hashes: [UInt64], in range: Range<Int>, near position: Int) -> Int? {
        let position = max(range.lowerBound, min(position, range.upperBound))
        var best: (index: Int, position: Int)?
        var known = position..<min(position + 1, range.upperBound)
        note(hashes, in: known, best: &best)
        var distance = Self.nearest
        while best?.index != 0, known != range, distance <= Self.furthest {
            let wide = max(range.lowerBound, position - distance)..<min(range.upperBound, position + distance)
            note(hashes, in: wide.lowerBound..<known.lowerBound, best: &best)
            note(hashes, in: known.upperBound..<wide.upperBound, best: &best)
            known = wide
            // The remembered rows were adjacent, so a row with a preferred hash can only be near.
            if let best, best.position + Self.nearest / 2 < known.upperBound { break }
            distance *= 8
        }
        return best?.position
    }

    /// Updates `best` with the most preferred row at some positions.
    private func note(_ hashes: [UInt64], in positions: Range<Int>, best: inout (index: Int, position: Int)?) {
        let part = located(positions)
        for position in positions {
            guard let index = hashes.firstIndex(of: part.keyHash(at: position)) else { continue }
            if best.map({ index < $0.index }) ?? true { best = (index, position) }
        }
    }

    /// The first and the last distance of the search.
    private static let nearest = 512
    private static let furthest = 4_096
}

/// Finds items in and below a level by their numbers in document order. Each search continues from the previous item.
struct ItemLocator {
    /// A level on the way to the item.
    struct Step {
        let level: Level
        /// The numbers of the items in and below the level.
        let items: Range<Int>
        /// The row on the way to the item. `number` is the number of that row's own item.
        fileprivate(set) var row = 0
        fileprivate var number: Int
        fileprivate let plan: SearchPlan?
        /// The level's number among the listing's branches, if it has one.
        var branch: Int?

        fileprivate init(level: Level, first: Int, texts: SearchTexts) {
            self.level = level
            items = first..<first + level.itemCount
            number = first
            // A level of leaves needs no plan, because the number of an item determines its row.
            plan = texts.isLarge(level) && !level.children.isEmpty ? texts.plan(of: level) : nil
        }

        /// Moves to the row that is an item or has the item below it. That row must not be before the present row.
        fileprivate mutating func advance(to item: Int) {
            if level.children.isEmpty {
                (row, number) = (item - items.lowerBound, item)
                return
            }
            if let part = plan?.part(of: item - items.lowerBound), items.lowerBound + part.first > number {
                (row, number) = (part.rows.lowerBound, items.lowerBound + part.first)
            }
            while true {
                let next = number + 1 + (level.child(row)?.itemCount ?? 0)
                if item < next { return }
                (row, number) = (row + 1, next)
            }
        }
    }

    /// The steps from the level to the item.
    var steps: [Step]
    private let texts: SearchTexts

    init(level: Level, texts: SearchTexts) {
        self.texts = texts
        steps = [Step(level: level, first: 0, texts: texts)]
        steps[0].branch = 0
    }

    /// Moves to an item in or below the level.
    mutating func move(to item: Int) {
        while steps.count > 1, !steps[steps.count - 1].items.contains(item) { steps.removeLast() }
        if item < steps[steps.count - 1].number {
            steps[steps.count - 1].number = steps[steps.count - 1].items.lowerBound
            steps[steps.count - 1].row = 0
        }
        while true {
            steps[steps.count - 1].advance(to: item)
            let step = steps[steps.count - 1]
            guard item > step.number, let below = step.level.child(step.row) else { return }
            steps.append(Step(level: below, first: step.number + 1, texts: texts))
        }
    }
}

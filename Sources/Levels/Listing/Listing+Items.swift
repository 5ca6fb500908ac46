/// Rows of many levels, by their numbers in document order: the hits of a search.
extension Listing {
    /// Items in and below the level, by number.
    ///
    /// There may be a million of them, so their places are found when they are shown.
    public struct Items: Sendable {
        /// Counted from 0 over all items in and below the level, each before those below it.
        var numbers: [UInt32]
        let texts: SearchTexts
    }

    /// Shows the hits of a search in and below the level, in one section without a title.
    public mutating func search(_ search: ItemSearch, _ texts: SearchTexts) {
        guard let level else { return }
        show(Items(numbers: search.hits(in: level, texts), texts: texts))
    }

    /// The same listing, with places for the rows at some positions.
    public func located(_ positions: Range<Int>) -> Listing {
        guard case .items(let items) = rows, let level else { return self }
        var located = self
        var places: [Place] = []
        places.reserveCapacity(positions.count)
        var locator = ItemLocator(level, items.texts)
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

    /// The position of the first of some rows, by the hashes of their keys, that is found near a position.
    ///
    /// Rows come and go between two pages, but seldom so many that a row is further away.
    func position(ofFirst hashes: [UInt64], near position: Int) -> Int? {
        var done = position..<position
        var distance = 1
        while distance <= Self.furthest, done != 0..<count {
            let wide = max(0, position - distance)..<min(count, position + distance)
            var best: (index: Int, position: Int)?
            for part in [
                wide.lowerBound..<max(done.lowerBound, wide.lowerBound),
                min(done.upperBound, wide.upperBound)..<wide.upperBound,
            ] {
                let part = located(part)
                for position in part.positions {
                    guard let index = hashes.firstIndex(of: part.keyHash(at: position)) else { continue }
                    if best.map({ index < $0.index }) ?? true { best = (index, position) }
                }
            }
            if let best { return best.position }
            done = wide
            distance *= 4
        }
        return nil
    }

    /// How far away a row is searched for.
    private static let furthest = 16_384

    /// The positions of the rows that have places.
    private var positions: Range<Int> {
        if case .part(let places, let start, _) = rows { start..<start + places.count } else { 0..<count }
    }
}

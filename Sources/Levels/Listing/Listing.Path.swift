extension Listing {
    /// The rows that lead from the listing's level to a row, outermost first, without the row itself.
    public func rows(above place: Place) -> [Item.Step] {
        var steps: [Item.Step] = []
        var next = above(place)
        while let place = next, let level = level(of: place) {
            steps.append(Item.Step(level: level, row: place.row))
            next = above(place)
        }
        return steps.reversed()
    }

    /// How many levels a row is below the listing's own.
    public func indent(of place: Place) -> Int {
        var indent = 0
        var next = above(place)
        while let place = next {
            indent += 1
            next = above(place)
        }
        return indent
    }

    /// Whether the rows below the row at a position follow it.
    public func isExpanded(at position: Int) -> Bool {
        position + 1 < count && above(place(at: position + 1)) == place(at: position)
    }

    /// Whether a row is the first, and whether it is the last, of its siblings in their order.
    public func isAtEnd(_ place: Place) -> (first: Bool, last: Bool) {
        if let order = order(of: place) { return (order.first == place.row, order.last == place.row) }
        return (place.row == 0, place.row + 1 == level(of: place)?.count)
    }

    /// All rows of a row's level, in their order.
    func siblings(of place: Place) -> Listing { order(of: place)?.listing ?? Listing(level(of: place)) }

    private func order(of place: Place) -> OutlineOrder? { branches.isEmpty ? nil : branches[place.branch].order }

    func above(_ place: Place) -> Place? { place.branch == 0 ? nil : branches[place.branch].above }
}

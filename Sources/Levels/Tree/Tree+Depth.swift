extension Tree {
    /// The item whose level is the deepest one that has rows, the first of several; the root if there is none.
    ///
    /// - Complexity: O(rows on the levels that lead to it).
    public var deepestLevel: Item {
        var steps = [Item.Step(level: document, row: 0)]
        while let level = steps[steps.count - 1].child, level.height > 1 {
            let row = (0..<level.count).first { (level.child($0)?.height ?? 0) + 1 == level.height }
            guard let row else { break }
            steps.append(Item.Step(level: level, row: row))
        }
        return Item(steps)
    }
}

extension Item.Step {
    fileprivate var child: Level? { level.child(row) }
}

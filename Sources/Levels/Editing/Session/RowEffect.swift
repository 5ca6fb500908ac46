/// What a step does to the places of rows in a file: row numbers from the root's level down.
enum RowEffect {
    /// Only fields change.
    case none
    /// A row is new.
    case inserted([Int])
    /// A row is gone, with everything below it.
    case removed([Int])
    /// A row is in another place; the second path is the new one.
    case moved([Int], to: [Int])

    /// Where an item is after the step; nil if it is gone.
    func place(of path: [Int]) -> [Int]? {
        switch self {
        case .none: return path
        case .inserted(let new): return Self.inserting(new, path)
        case .removed(let old): return Self.removing(old, path)
        case .moved(let old, let new):
            if path.starts(with: old) { return new + path[old.count...] }
            return Self.removing(old, path).map { Self.inserting(new, $0) }
        }
    }

    private static func inserting(_ new: [Int], _ path: [Int]) -> [Int] {
        let last = new.count - 1
        guard path.count > last, path.starts(with: new.dropLast()), path[last] >= new[last] else { return path }
        var path = path
        path[last] += 1
        return path
    }

    private static func removing(_ old: [Int], _ path: [Int]) -> [Int]? {
        if path.starts(with: old) { return nil }
        let last = old.count - 1
        guard path.count > last, path.starts(with: old.dropLast()), path[last] > old[last] else { return path }
        var path = path
        path[last] -= 1
        return path
    }
}

extension Item {
    /// The row numbers from the root's level down to the item; none for the root.
    var rowPath: [Int] { steps.dropFirst().map(\.row) }

    /// The item that row numbers lead to; nil if there is none.
    init?(rowPath: [Int], in document: Level) {
        var steps = [Step(level: document, row: 0)]
        for row in rowPath {
            let own = steps[steps.count - 1]
            guard let level = own.level.child(own.row), row >= 0, row < level.rowCount else { return nil }
            steps.append(Step(level: level, row: row))
        }
        self.init(steps)
    }
}

/// One change of the rows of a document. An edit becomes one to three changes, and a batch becomes a log of changes.
///
/// The log determines the arrangement of each level (`RowArrangement`), the provenance of rows (`Provenance`) and the
/// paths of the items of earlier steps (`place(of:)`). A path consists of the row numbers from the root's level, as
/// they are after the preceding edits. The path of the root is empty.
enum RowEdit: Sendable {
    /// Inserts a row of some level, with everything below it.
    case insert(Item.Step, at: RowPlace)
    /// Removes a row, with everything below it.
    case remove([Int])
    /// Replaces a row with a row of another level; see `RowArrangement.replace`.
    case replace([Int], with: Item.Step, keepsLevel: Bool)
    /// Moves a row, with everything below it. The place is counted without that row.
    case move([Int], to: RowPlace)
}

/// A place for a row.
struct RowPlace: Sendable, Equatable {
    /// The path of the item above the row.
    var owner: [Int] = []
    /// The number of the section; 0 in a plain list. Hidden sections have higher numbers than the shown sections.
    var section = 0
    /// The number of the level's rows before the place, over all sections.
    var row: Int

    /// The path of a row at the place.
    var path: [Int] { owner + [row] }
}

extension RowEdit {
    /// The path of the changed row; for a new row, its path after the edit.
    var path: [Int] {
        switch self {
        case .insert(_, let place): place.path
        case .remove(let path), .replace(let path, _, _), .move(let path, _): path
        }
    }

    /// Returns the path of an item after the edit, given the item's path before the edit; nil if the edit removes the
    /// item.
    func place(of path: [Int]) -> [Int]? {
        switch self {
        case .insert(_, let place): return Self.inserting(place.path, in: path)
        case .remove(let old): return Self.removing(old, from: path)
        case .replace: return path
        case .move(let old, let place):
            if path.starts(with: old) { return place.path + path[old.count...] }
            return Self.removing(old, from: path).map { Self.inserting(place.path, in: $0) }
        }
    }

    /// Returns a path as it is after the insertion of a row.
    static func inserting(_ new: [Int], in path: [Int]) -> [Int] {
        let last = new.count - 1
        guard path.count > last, path.starts(with: new.dropLast()), path[last] >= new[last] else { return path }
        var path = path
        path[last] += 1
        return path
    }

    /// Returns a path as it is after the removal of a row; nil for the row itself and the rows below it.
    static func removing(_ old: [Int], from path: [Int]) -> [Int]? {
        if path.starts(with: old) { return nil }
        let last = old.count - 1
        guard path.count > last, path.starts(with: old.dropLast()), path[last] > old[last] else { return path }
        var path = path
        path[last] -= 1
        return path
    }
}

/// A run of rows after edits: consecutive former rows, or a single moved, changed or new row.
protocol RowRun {
    /// The former rows, in their old order; nil for a moved, changed or new row.
    var old: Range<Int>? { get }
    static func run(_ old: Range<Int>) -> Self
}

extension RowRun {
    var count: Int { old?.count ?? 1 }
}

extension Array where Element: RowRun {
    /// Splits a run if necessary, so that a run begins at a row. Returns the number of that run.
    mutating func cut(before row: Int) -> Int {
        var start = 0
        for index in indices {
            if start == row { return index }
            let end = start + self[index].count
            if let old = self[index].old, row < end {
                let middle = old.lowerBound + row - start
                replaceSubrange(index...index, with: [.run(old.lowerBound..<middle), .run(middle..<old.upperBound)])
                return index + 1
            }
            start = end
        }
        return count
    }
}

/// One change of the rows of a document. An edit becomes one to three changes, and a batch a log of them.
///
/// The log determines the arrangement of each level (`RowArrangement`), the provenance of rows (`Provenance`) and the
/// places of earlier steps' items (`place(of:)`). A path is the row numbers from the root's level, after the preceding
/// edits; it is empty for the root.
enum RowEdit: Sendable {
    /// Inserts a row of some level, with everything below it.
    case insert(Item.Step, at: RowPlace)
    /// Removes a row, with everything below it.
    case remove([Int])
    /// Replaces a row with a row of another level; see `RowArrangement.replace`.
    case replace([Int], with: Item.Step, keepsLevel: Bool)
    /// Moves a row, with everything below it; the place is counted without the row.
    case move([Int], to: RowPlace)
}

/// A place for a row.
struct RowPlace: Sendable, Equatable {
    /// The path of the item above.
    var owner: [Int] = []
    /// The number of the section; 0 in a plain list. Hidden sections count after the shown ones.
    var section = 0
    /// The number of rows of the level before it, over all sections.
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

    /// The path of an item after the edit, from its path before; nil if the edit removes it.
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

    /// Returns a path after the insertion of a row.
    static func inserting(_ new: [Int], in path: [Int]) -> [Int] {
        let last = new.count - 1
        guard path.count > last, path.starts(with: new.dropLast()), path[last] >= new[last] else { return path }
        var path = path
        path[last] += 1
        return path
    }

    /// Returns a path after the removal of a row; nil for the row itself and the rows below it.
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
    /// The former rows, in their old order; nil for a single row.
    var old: Range<Int>? { get }
    static func run(_ old: Range<Int>) -> Self
}

extension RowRun {
    var count: Int { old?.count ?? 1 }
}

extension Array where Element: RowRun {
    /// Makes a run begin at a row; returns the number of the run.
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

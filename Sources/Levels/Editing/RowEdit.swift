/// One change of the rows of a document: an edit becomes one or two of these, and a batch a log of them.
///
/// Everything else is computed from the log: the arrangement of each level (`RowArrangement`), the provenance of rows for
/// a writer (`Provenance`), and the places of the items of earlier steps (`place(of:)`). A path is row numbers from the
/// root's level down, none for the root, as they are after the edits before.
enum RowEdit: Sendable {
    /// A new row, with everything below it.
    case insert(Item.Step, at: RowPlace)
    /// A row goes, with everything below it.
    case remove([Int])
    /// A row of another level takes the place of a row; see `RowArrangement.replace`.
    case replace([Int], with: Item.Step, keepsLevel: Bool)
    /// A row goes to another place, with everything below it; the place is counted without the row.
    case move([Int], to: RowPlace)
}

/// A place for a row.
struct RowPlace: Sendable, Equatable {
    /// The path of the item above.
    var owner: [Int] = []
    /// The number of the section; 0 in a plain list. Hidden sections count after the shown ones.
    var section = 0
    /// The number of rows of the level before it, in all sections.
    var row: Int

    /// The path of a row at the place.
    var path: [Int] { owner + [row] }
}

extension RowEdit {
    /// The path of the row that changes; of a new one, the path that it gets.
    var path: [Int] {
        switch self {
        case .insert(_, let place): place.path
        case .remove(let path), .replace(let path, _, _), .move(let path, _): path
        }
    }

    /// Where an item is after the edit; nil if it is gone.
    ///
    /// - Parameter path: where it was before.
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

    /// A path after a row was inserted.
    static func inserting(_ new: [Int], in path: [Int]) -> [Int] {
        let last = new.count - 1
        guard path.count > last, path.starts(with: new.dropLast()), path[last] >= new[last] else { return path }
        var path = path
        path[last] += 1
        return path
    }

    /// A path after a row was removed; nil if it leads to the row, or below it.
    static func removing(_ old: [Int], from path: [Int]) -> [Int]? {
        if path.starts(with: old) { return nil }
        let last = old.count - 1
        guard path.count > last, path.starts(with: old.dropLast()), path[last] > old[last] else { return path }
        var path = path
        path[last] -= 1
        return path
    }
}

/// Rows that follow each other after edits: some that were there before, or one other.
protocol RowRun {
    /// The rows before, in their old order; nil for one other row.
    var old: Range<Int>? { get }
    static func run(_ old: Range<Int>) -> Self
}

extension RowRun {
    /// The number of rows.
    var count: Int { old?.count ?? 1 }
}

extension Array where Element: RowRun {
    /// Makes a run begin with a row; returns the number of the run.
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

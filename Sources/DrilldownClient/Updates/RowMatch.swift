extension Row {
    /// Whether the row shows what another one does; only rows made by hand have no version.
    func showsSame(as other: Row) -> Bool {
        version == other.version && (!version.isEmpty || self == other)
    }
}

/// Which of the rows that were taken out of a list are the same as rows that were put in.
struct RowMatch {
    /// The old positions of rows that were not put in again, ascending.
    private(set) var removed: [Int] = []
    /// The new positions of rows that had not been taken out, ascending.
    private(set) var inserted: [Int] = []
    /// The rows that have the same place among the other ones.
    private(set) var kept: [LevelDifference.Positions] = []
    /// The rows that have another place among the other ones.
    private(set) var moved: [LevelDifference.Positions] = []

    /// - Complexity: O(*k* log *k*) for *k* rows that were taken out or put in.
    init(_ assembly: RowAssembly, _ new: [Row]) {
        let (taken, placed) = (assembly.taken, assembly.placed)
        var indices = Dictionary(taken.enumerated().map { (assembly.old[$1].id, $0) }) { first, _ in first }
        // Pairs of indices in `taken` and `placed`, ascending by the latter.
        var matches: [(taken: Int, placed: Int)] = []
        for (index, position) in placed.enumerated() {
            if let match = indices.removeValue(forKey: new[position].id) {
                matches.append((match, index))
            } else {
                inserted.append(position)
            }
        }
        removed = Self.remaining(taken, without: matches.map(\.taken))
        split(matches, taken, placed)
    }

    /// A matched row has kept its place if as many stable rows precede it as before, and it is in order with the other
    /// rows of which that is true.
    private mutating func split(_ matches: [(taken: Int, placed: Int)], _ taken: [Int], _ placed: [Int]) {
        let candidates = matches.indices.filter { index in
            let (old, new) = matches[index]
            return taken[old] - old == placed[new] - new
        }
        let ordered = Set(candidates.map { matches[$0].taken }.longestIncreasingSubsequence.map { candidates[$0] })
        for (index, match) in matches.enumerated() {
            let positions = LevelDifference.Positions(old: taken[match.taken], new: placed[match.placed])
            if ordered.contains(index) { kept.append(positions) } else { moved.append(positions) }
        }
    }

    private static func remaining(_ positions: [Int], without indices: [Int]) -> [Int] {
        let matched = Set(indices)
        return positions.indices.filter { !matched.contains($0) }.map { positions[$0] }
    }
}

extension Array where Element == Int {
    /// The number of elements at the beginning that satisfy a condition, which holds for no element after those.
    ///
    /// - Complexity: O(log *n*).
    func prefixCount(while condition: (_ index: Int, _ element: Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle, self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The indices of a longest strictly increasing subsequence, ascending.
    ///
    /// - Complexity: O(*n* log *n*).
    var longestIncreasingSubsequence: [Int] {
        // The index of the smallest last element of an increasing subsequence of each length.
        var ends: [Int] = []
        var predecessors: [Int?] = []
        for (index, element) in enumerated() {
            let length = ends.prefixCount { _, end in self[end] < element }
            predecessors.append(length == 0 ? nil : ends[length - 1])
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        return Array(
            sequence(state: ends.last) { index in
                defer { index = index.flatMap { predecessors[$0] } }
                return index
            }.reversed())
    }
}

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

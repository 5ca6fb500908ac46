/// Which entries of a dictionary can stay where they are when their order changes.
enum EntryOrder {
    /// The longest run of entries that are in ascending order, the pinned one among them.
    ///
    /// - Parameters:
    ///   - old: for each entry of the new order, its number in the old; nil for new ones.
    ///   - pinned: the place in `old` of an entry that must stay.
    /// - Returns: `old` with nil for those that cannot stay.
    static func staying(_ old: [Int?], pinned: Int?) -> [Int?] {
        guard let pinned, let bound = old[pinned] else { return increasing(old) }
        let before = increasing(old[..<pinned].map { $0.flatMap { $0 < bound ? $0 : nil } })
        let after = increasing(old[(pinned + 1)...].map { $0.flatMap { $0 > bound ? $0 : nil } })
        return before + [bound] + after
    }

    /// The longest increasing subsequence, by patience sorting: O(n log n).
    private static func increasing(_ numbers: [Int?]) -> [Int?] {
        // For each length, the place of the smallest number that ends a run of it; and what precedes each.
        var ends: [Int] = []
        var before = [Int](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            guard let number else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if let end = numbers[ends[middle]], end < number { low = middle + 1 } else { high = middle }
            }
            before[place] = low > 0 ? ends[low - 1] : -1
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var kept = [Int?](repeating: nil, count: numbers.count)
        var place = ends.last ?? -1
        while place >= 0 {
            kept[place] = numbers[place]
            place = before[place]
        }
        return kept
    }
}

extension RandomAccessCollection {
    /// Returns the index of the first element that satisfies a condition, or else `endIndex`. All elements after that
    /// element must satisfy the condition, too.
    func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Index {
        var low = startIndex
        var rest = count
        while rest > 0 {
            let half = rest / 2
            let middle = index(low, offsetBy: half)
            if isInSecondPart(self[middle]) {
                rest = half
            } else {
                low = index(after: middle)
                rest -= half + 1
            }
        }
        return low
    }

    /// Returns the indices of a longest subsequence that is strictly in order (patience sorting), in ascending order.
    package func longestOrderedIndices(by precedes: (Element, Element) -> Bool) -> [Index] {
        // For each length, the index of the smallest element that ends an ordered subsequence of that length.
        var ends: [Index] = []
        var previous: [Index?] = []
        previous.reserveCapacity(count)
        for (index, element) in zip(indices, self) {
            let length = ends.partitioningIndex { !precedes(self[$0], element) }
            previous.append(length > 0 ? ends[length - 1] : nil)
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var found: [Index] = []
        var next = ends.last
        while let index = next {
            found.append(index)
            next = previous[distance(from: startIndex, to: index)]
        }
        return found.reversed()
    }
}

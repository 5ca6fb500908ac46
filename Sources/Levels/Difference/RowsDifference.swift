/// The difference between rows of two listings: the fewest steps that turn the old list into the new one.
///
/// Remove the removed and moved rows, then insert the inserted and moved ones at their positions in the new listing, in
/// ascending order. Rows are the same if the keys that lead to them are equal.
public struct RowsDifference: Sendable {
    /// Positions of rows in the old listing that the new list lacks, in order.
    public private(set) var removed: [Int] = []
    /// Positions of rows in the new listing that the old list lacks, in order.
    public private(set) var inserted: [Int] = []
    /// Positions in the new listing of rows whose position among the others changed, in order.
    public private(set) var moved: [Int] = []
    /// The rows of both lists, in the new order.
    public private(set) var kept: [Pair] = []

    /// The positions of one row in the old listing and in the new one.
    public struct Pair: Sendable, Equatable {
        /// Its number in the old level.
        public let old: Int
        /// Its number in the new level.
        public let new: Int
    }

    /// Compares two lists; O(n log n) if rows were reordered, else linear.
    ///
    /// - Parameters:
    ///   - oldRows: the positions of the old list in the old listing.
    ///   - newRows: the positions of the new list in the new listing.
    public init(from old: Listing, _ oldRows: Range<Int>, to new: Listing, _ newRows: Range<Int>) {
        var matches = RowMatches(from: old, to: new)
        var isKept = [Bool](repeating: false, count: newRows.count)
        var pairs: [Pair] = []
        for row in oldRows {
            let guess = newRows.lowerBound + row - oldRows.lowerBound
            if let match = matches.position(ofRowAt: row, near: guess), newRows.contains(match) {
                pairs.append(Pair(old: row, new: match))
                isKept[match - newRows.lowerBound] = true
            } else {
                removed.append(row)
            }
        }
        inserted = newRows.filter { !isKept[$0 - newRows.lowerBound] }
        moved = Self.leftOut(of: pairs.map(\.new)).sorted()
        kept = pairs.sorted { $0.new < $1.new }
    }

    /// Compares all rows of two listings.
    public init(from old: Listing, to new: Listing) {
        self.init(from: old, 0..<old.count, to: new, 0..<new.count)
    }

    /// The fewest numbers whose removal leaves the rest in ascending order (patience sorting).
    private static func leftOut(of numbers: [Int]) -> [Int] {
        if zip(numbers, numbers.dropFirst()).allSatisfy(<) { return [] }
        // For each length, the index of the smallest number that ends an ascending run of that length.
        var tails: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            let length = tails.partitioningIndex { numbers[$0] > number }
            previous[index] = length > 0 ? tails[length - 1] : nil
            if length == tails.count { tails.append(index) } else { tails[length] = index }
        }
        var stays = [Bool](repeating: false, count: numbers.count)
        var next = tails.last
        while let index = next {
            stays[index] = true
            next = previous[index]
        }
        return numbers.indices.filter { !stays[$0] }.map { numbers[$0] }
    }
}

extension RandomAccessCollection {
    /// The index of the first element that satisfies a condition; all elements after it must satisfy it too.
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
}

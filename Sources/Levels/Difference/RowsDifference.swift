import Bytes
internal import PropertyLists

/// The difference between rows of two levels: the fewest steps that turn the old list into the new one.
///
/// Remove the removed and moved rows, then insert the inserted and moved ones at their places in the new list, in
/// ascending order. Rows are the same if their keys are equal.
public struct RowsDifference: Sendable {
    /// Rows of the old level that the new list lacks, in order.
    public private(set) var removed: [Int] = []
    /// Rows of the new level that the old list lacks, in order.
    public private(set) var inserted: [Int] = []
    /// Rows of the new level whose position among the others changed, in order.
    public private(set) var moved: [Int] = []
    /// The rows of both lists, in the new order.
    public private(set) var kept: [Pair] = []

    /// One row in the old level and in the new one.
    public struct Pair: Sendable, Equatable {
        /// Its number in the old level.
        public let old: Int
        /// Its number in the new level.
        public let new: Int
    }

    /// Compares two lists; O(n log n) for those that were reordered, and linear else.
    ///
    /// - Parameters:
    ///   - oldRows: which rows of the old level the old list is.
    ///   - newRows: which rows of the new level the new list is.
    public init(from old: Level?, _ oldRows: Range<Int>, to new: Level?, _ newRows: Range<Int>) {
        let places = oldRows.map { row in
            old?.row(sameAs: row, in: new, near: newRows.lowerBound + row - oldRows.lowerBound)
        }
        var isKept = [Bool](repeating: false, count: newRows.count)
        var pairs: [Pair] = []
        for (index, place) in places.enumerated() {
            let row = oldRows.lowerBound + index
            if let place, newRows.contains(place) {
                pairs.append(Pair(old: row, new: place))
                isKept[place - newRows.lowerBound] = true
            } else {
                removed.append(row)
            }
        }
        inserted = newRows.filter { !isKept[$0 - newRows.lowerBound] }
        moved = Self.leftOut(of: pairs.map(\.new)).sorted()
        kept = pairs.sorted { $0.new < $1.new }
    }

    /// The numbers that must go so that the rest ascends, as few as possible (patience sorting).
    private static func leftOut(of numbers: [Int]) -> [Int] {
        if zip(numbers, numbers.dropFirst()).allSatisfy(<) { return [] }
        // For each length the index of the smallest number that ends an ascending run of it.
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

extension Level {
    /// The shown row of another level that has the key of this row; nil if there is none.
    ///
    /// - Parameter guess: where to look first, because most rows stay where they are.
    public func row(sameAs row: Int, in other: Level?, near guess: Int) -> Int? {
        guard let other else { return nil }
        let bytes = bytes
        let key = bytes.span.extracting(self.row(row).key)
        let others = other.bytes
        if guess >= 0, guess < other.count, others.span.extracting(other.row(guess).key).isEqual(to: key) {
            return guess
        }
        return other.row(withKey: key)
    }
}

extension Level {
    /// The numbers of the shown rows.
    public var rowNumbers: Range<Int> { 0..<count }

    /// Whether a row is packed as one of another level is, with equal levels below both.
    public func hasRow(_ row: Int, sameAs otherRow: Int, in other: Level) -> Bool {
        guard child(row)?.hash == other.child(otherRow)?.hash else { return false }
        let bytes = bytes
        let others = other.bytes
        return bytes.span.extracting(rowBytes(row)).isEqual(to: others.span.extracting(other.rowBytes(otherRow)))
    }

    /// Where a row lies.
    private func rowBytes(_ row: Int) -> Range<Int> {
        let bytes = bytes
        var table = PackedReader(bytes.span, at: row * 4)
        let start = table.halfWord()
        return start..<table.halfWord()
    }
}

extension Array {
    /// The index of the first element that satisfies a condition which all after it satisfy too.
    func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

import Bytes

/// The difference between rows of two listings: the fewest steps that turn the old list into the new list.
///
/// To apply the difference, remove the removed and the moved rows. Then insert the inserted and the moved rows at their
/// new positions, in ascending order. Two rows are the same row if the keys on their paths are equal.
///
///     let difference = RowsDifference(from: Listing(old), to: Listing(new))
///     print("\(difference.inserted.count) rows were inserted")
public struct RowsDifference: Sendable {
    /// The positions in the old listing of rows that the new list lacks, in order.
    public private(set) var removed: [Int] = []
    /// The positions in the new listing of rows that the old list lacks, in order.
    public private(set) var inserted: [Int] = []
    /// The positions in the new listing of rows that moved among the other rows, in order.
    public private(set) var moved: [Int] = []
    /// The rows that are in both lists, in the new order.
    public private(set) var kept: [Pair] = []

    /// The positions of one row in the old listing and in the new one.
    public struct Pair: Sendable, Equatable {
        /// The position in the old listing.
        public let old: Int
        /// The position in the new listing.
        public let new: Int
    }

    /// Compares rows of two listings. Takes linear time, or O(n log n) if rows were reordered.
    ///
    /// - Parameters:
    ///   - oldRows: the positions in `old` of the rows to compare.
    ///   - newRows: the positions in `new` of the rows to compare.
    public init(from old: Listing, oldRows: Range<Int>, to new: Listing, newRows: Range<Int>) {
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
        self.init(from: old, oldRows: 0..<old.count, to: new, newRows: 0..<new.count)
    }

    /// The fewest numbers whose removal leaves an ascending sequence.
    private static func leftOut(of numbers: [Int]) -> [Int] {
        if zip(numbers, numbers.dropFirst()).allSatisfy(<) { return [] }
        var stays = [Bool](repeating: false, count: numbers.count)
        for index in numbers.longestOrderedIndices(by: <) { stays[index] = true }
        return numbers.indices.filter { !stays[$0] }.map { numbers[$0] }
    }
}

/// Finds the rows of one listing in another listing, by their keys. The rows of each listing are on one level.
struct RowMatches {
    private let old, new: Listing
    /// For each row of the new listing's level, its position; -1 for a row that is not shown. The positions are
    /// determined at the first row that is not at its guessed position.
    private lazy var positions = Self.positions(of: new)

    init(from old: Listing, to new: Listing) { (self.old, self.new) = (old, new) }

    /// The position in the new listing of a row of the old listing; nil if the new listing does not show the row.
    ///
    /// - Parameter guess: the position to try first, because most rows keep their positions.
    mutating func position(ofRowAt position: Int, near guess: Int) -> Int? {
        let row = old.place(at: position).row
        let near = guess < new.count ? new.place(at: guess).row : nil
        guard let match = old.level?.row(sameAs: row, in: new.level, near: near ?? row) else { return nil }
        if match == near { return guess }
        if case .level = new.rows { return match }
        return positions[match] < 0 ? nil : Int(positions[match])
    }

    private static func positions(of listing: Listing) -> [Int32] {
        var positions = [Int32](repeating: -1, count: listing.level?.count ?? 0)
        for position in 0..<listing.count { positions[listing.place(at: position).row] = Int32(position) }
        return positions
    }
}

extension Level {
    /// The shown row of another level that has the same key as a row of this level, if any.
    ///
    /// - Parameter guess: the number to try first, because most rows keep their numbers.
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

    /// The numbers of the shown rows.
    public var rowNumbers: Range<Int> { 0..<count }

    /// Whether two rows and the levels below them are equal.
    public func hasRow(_ row: Int, sameAs otherRow: Int, in other: Level) -> Bool {
        child(row)?.hash == other.child(otherRow)?.hash && packsRow(row, asRow: otherRow, of: other)
    }

    /// Whether two rows have equal titles, keys and fields. The levels below are not compared.
    public func packsRow(_ row: Int, asRow otherRow: Int, of other: Level) -> Bool {
        let bytes = bytes
        let others = other.bytes
        return Self.row(row, in: bytes.span).isEqual(to: Self.row(otherRow, in: others.span))
    }

    /// The numbers of the shown rows that differ between two levels. Nil if the levels have unequal counts of rows, or
    /// if rows with the same number have different keys.
    public func rowsDiffering(from other: Level) -> [Int]? {
        guard count == other.count else { return nil }
        let bytes = bytes
        let others = other.bytes
        var differing: [Int] = []
        for number in rowNumbers {
            let isPackedAlike = Self.row(number, in: bytes.span).isEqual(to: Self.row(number, in: others.span))
            if isPackedAlike, child(number)?.hash == other.child(number)?.hash { continue }
            let key = bytes.span.extracting(row(number).key)
            guard isPackedAlike || key.isEqual(to: others.span.extracting(other.row(number).key)) else { return nil }
            differing.append(number)
        }
        return differing
    }

    @_lifetime(copy bytes)
    private static func row(_ row: Int, in bytes: Span<UInt8>) -> Span<UInt8> {
        var table = PackedReader(bytes: bytes, at: row * 4)
        let start = table.halfWord()
        return bytes.extracting(start..<table.halfWord())
    }
}

extension RandomAccessCollection {
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

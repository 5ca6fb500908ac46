import Bytes
import PropertyLists

/// Sorts rows by keys, which are bytes that sort in the order of the rows.
///
/// No key is a prefix of a different key. The first 24 bytes of each key are stored beside the row's number, so that
/// most rows are sorted without other memory accesses. The rests of longer keys are in one buffer.
struct SortKeys: ~Copyable {
    private var entries: [Entry] = []
    private var rests = ByteBuffer()
    /// The start of each rest, and the end of the last rest.
    private var offsets: [Int] = [0]
    private var key = ByteBuffer(capacity: 64)

    private struct Entry: Comparable {
        /// Eight bytes of the key in each word, with the first byte as the highest. A shorter key is padded with zeros.
        var head: UInt64
        let second, third: UInt64
        /// The row's number before sorting.
        let place: UInt32
        /// The number of the key's rest; 0 for a key without a rest.
        let rest: UInt32

        static func < (one: Entry, other: Entry) -> Bool {
            if one.head != other.head { return one.head < other.head }
            if one.second != other.second { return one.second < other.second }
            return one.third != other.third ? one.third < other.third : one.place < other.place
        }
    }

    /// Entries whose keys are equal in the first 24 bytes and in the first `depth` bytes of their rests.
    private struct Run {
        let entries: Range<Int>
        let depth: Int
    }

    private static let keptBytes = 24

    init(capacity: Int) { entries.reserveCapacity(capacity) }

    mutating func append(_ row: Row, in level: Span<UInt8>, by order: RowOrder) {
        key.truncate(to: 0)
        order.appendKey(of: row, in: level, to: &key)
        let length = key.count
        if length < Self.keptBytes { key.append(0, repeated: Self.keptBytes - length) }
        var rest: UInt32 = 0
        if length > Self.keptBytes {
            key.copy(Self.keptBytes..<length, to: &rests)
            offsets.append(rests.count)
            rest = UInt32(offsets.count - 1)
        }
        entries.append(
            Entry(
                head: key.span.bigEndianWord(at: 0), second: key.span.bigEndianWord(at: 8),
                third: key.span.bigEndianWord(at: 16), place: UInt32(entries.count), rest: rest))
    }

    /// Returns the numbers of the rows in the order of their keys. The rows are numbered in the order in which they
    /// were added; the sort is stable.
    consuming func sorted() -> [Int] {
        var runs: [Run] = []
        for bucket in scatter() {
            entries[bucket].sort()
            addTies(in: bucket, depth: 0, to: &runs) { $0.second == $1.second && $0.third == $1.third }
        }
        while let run = runs.popLast() {
            for index in run.entries { entries[index].head = head(of: entries[index].rest, at: run.depth) }
            // In these entries, the other two words are equal.
            entries[run.entries].sort()
            addTies(in: run.entries, depth: run.depth + 8, to: &runs) { _, _ in true }
        }
        return entries.map { Int($0.place) }
    }

    // MARK: Buckets

    /// The number of rows from which scattering pays off.
    private static let scatteredRows = 2_048
    /// The number of bits of a key that determine its bucket.
    private static let bucketBits = 16

    /// Moves the entries into buckets by the first bits in which their heads differ, so that each bucket is sorted
    /// within the processor's cache; returns the buckets in order.
    private mutating func scatter() -> [Range<Int>] {
        guard let first = entries.first else { return [] }
        let difference = entries.reduce(0 as UInt64) { $0 | ($1.head ^ first.head) }
        guard entries.count >= Self.scatteredRows, difference != 0 else { return [entries.indices] }
        let shift = UInt64(max(0, 64 - difference.leadingZeroBitCount - Self.bucketBits))
        let mask = 1 << Self.bucketBits - 1
        var ends = [Int](repeating: 0, count: mask + 1)
        for entry in entries { ends[Int(truncatingIfNeeded: entry.head >> shift) & mask] += 1 }
        var start = 0
        for bucket in ends.indices { (ends[bucket], start) = (start, start + ends[bucket]) }
        var scattered = entries
        for entry in entries {
            let bucket = Int(truncatingIfNeeded: entry.head >> shift) & mask
            scattered[ends[bucket]] = entry
            ends[bucket] += 1
        }
        entries = scattered
        start = 0
        return ends.compactMap { end in
            defer { start = end }
            return end > start ? start..<end : nil
        }
    }

    // MARK: Ties

    /// Adds each run of equal entries in a sorted range, if the order of the run depends on further bytes of the rests.
    ///
    /// - Parameter isSame: whether the other words of two entries with equal heads are equal.
    private borrowing func addTies(
        in range: Range<Int>, depth: Int, to runs: inout [Run], isSame: (Entry, Entry) -> Bool
    ) {
        var start = range.lowerBound
        while start < range.upperBound {
            var end = start + 1
            while end < range.upperBound, entries[end].head == entries[start].head,
                isSame(entries[end], entries[start])
            { end += 1 }
            if end - start > 1, depth < restLength(of: entries[start].rest) {
                runs.append(Run(entries: start..<end, depth: depth))
            }
            start = end
        }
    }

    private borrowing func restLength(of rest: UInt32) -> Int {
        rest == 0 ? 0 : offsets[Int(rest)] - offsets[Int(rest) - 1]
    }

    /// Eight bytes of a rest from `depth` on, with the first byte as the highest, padded with zeros.
    private borrowing func head(of rest: UInt32, at depth: Int) -> UInt64 {
        let start = offsets[Int(rest) - 1] + depth
        let end = offsets[Int(rest)]
        let bytes = rests.span
        if start + 8 <= end { return bytes.bigEndianWord(at: start) }
        var head: UInt64 = 0
        for index in start..<max(start, end) { head |= UInt64(bytes[index]) << UInt64((start + 7 - index) * 8) }
        return head
    }
}

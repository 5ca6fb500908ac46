import Bytes
import PropertyLists

/// The keys that rows are sorted by, packed one after the other: bytes that are ordered as the rows are to be.
///
/// No key is the beginning of another one that differs from it.
struct SortKeys: ~Copyable {
    private var bytes = ByteBuffer()
    /// Where each key begins, and where the last one ends.
    private var offsets: [Int] = [0]

    /// A row while it is sorted.
    private struct Entry: Comparable {
        /// Eight bytes of the key, the highest first.
        var head: UInt64
        /// The place of the row before it was sorted.
        let place: UInt32

        static func < (one: Entry, other: Entry) -> Bool {
            one.head != other.head ? one.head < other.head : one.place < other.place
        }
    }

    /// Entries whose keys are equal up to a depth.
    private struct Run {
        let entries: Range<Int>
        /// How many bytes of the keys are known to be equal.
        let depth: Int
    }

    init(capacity: Int) {
        offsets.reserveCapacity(capacity + 1)
        bytes.reserve(capacity * 24)
    }

    /// Adds the key of the next row.
    mutating func append(_ row: Row, in level: Span<UInt8>, by order: RowOrder) {
        order.appendKey(of: row, in: level, to: &bytes)
        offsets.append(bytes.count)
    }

    /// The numbers of the rows, counted as they were added, in the order of their keys; equal ones stay in order.
    consuming func sorted() -> [Int] {
        var entries = (0..<offsets.count - 1).map { Entry(head: head(of: $0, at: 0), place: UInt32($0)) }
        var runs = [Run(entries: entries.indices, depth: 0)]
        while let run = runs.popLast() {
            sort(&entries, run)
            addTies(among: entries, run, to: &runs)
        }
        return entries.map { Int($0.place) }
    }

    private borrowing func sort(_ entries: inout [Entry], _ run: Run) {
        if run.depth > 0 {
            for index in run.entries { entries[index].head = head(of: Int(entries[index].place), at: run.depth) }
        }
        entries[run.entries].sort()
    }

    /// Notes those entries of a sorted run whose order the next bytes of their keys decide.
    private borrowing func addTies(among entries: [Entry], _ run: Run, to runs: inout [Run]) {
        let depth = run.depth + 8
        var start = run.entries.lowerBound
        while start < run.entries.upperBound {
            var end = start + 1
            while end < run.entries.upperBound, entries[end].head == entries[start].head { end += 1 }
            let place = Int(entries[start].place)
            if end - start > 1, depth < offsets[place + 1] - offsets[place] {
                runs.append(Run(entries: start..<end, depth: depth))
            }
            start = end
        }
    }

    /// Eight bytes of a key from a depth on, the highest first; zeros follow its end.
    private borrowing func head(of place: Int, at depth: Int) -> UInt64 {
        let start = offsets[place] + depth
        let end = min(start + 8, offsets[place + 1])
        let bytes = bytes.span
        var head: UInt64 = 0
        for index in start..<max(start, end) { head |= UInt64(bytes[index]) << UInt64((start + 7 - index) * 8) }
        return head
    }
}

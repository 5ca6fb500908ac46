import Bytes

/// The names of a table's columns, in order.
struct CSVColumns: ~Copyable {
    private var names = ByteBuffer()
    private var ranges: [Range<Int>] = []
    /// The names so far, while the header is being read.
    private var known: Set<[UInt8]> = []

    var count: Int { ranges.count }

    /// Adds the next column; false if an earlier one has the same name.
    mutating func add(_ name: [UInt8]) -> Bool {
        guard known.insert(name).inserted else { return false }
        ranges.append(names.count..<names.count + name.count)
        names.append(name.span)
        return true
    }

    /// Ends the header.
    mutating func finish() { known = [] }

    /// The name of a column, by its number from 0.
    @_lifetime(borrow self)
    func name(_ column: Int) -> Span<UInt8> { names.span.extracting(ranges[column]) }
}

import Bytes

/// The columns of a table, in order. Each used column has a name that no other column has.
struct CSVColumns: ~Copyable {
    /// A cell of the header.
    struct Name {
        let text: [UInt8]
        let position: SourcePosition
    }

    /// The names, one after the other.
    private var names = ByteBuffer()
    /// The range of each column's name in `names`; empty for a column that is left out.
    private var ranges: [Range<Int>] = []
    /// The warnings about names that appear more than once.
    private(set) var warnings: [(message: String, position: SourcePosition)] = []

    var count: Int { ranges.count }

    /// - Parameter isUsed: whether a column has a name or a cell with text.
    init(_ header: [Name], isUsed: (Int) -> Bool) {
        var taken = Set(header.map(\.text))
        var earlier: Set<[UInt8]> = []
        var numbers: [[UInt8]: Int] = [:]
        for (column, cell) in header.enumerated() {
            guard isUsed(column) else {
                ranges.append(0..<0)
                continue
            }
            var name = cell.text.isEmpty ? Array("Column \(column + 1)".utf8) : cell.text
            if earlier.contains(name) {
                let repeated = name
                var number = numbers[repeated] ?? 2
                repeat {
                    name = repeated + Array(" (\(number))".utf8)
                    number += 1
                } while taken.contains(name)
                numbers[repeated] = number
                warnings.append(
                    (
                        "the column '\(quoted: repeated.span)' appears more than once; this one is named '\(quoted: name.span)'",
                        cell.position
                    ))
            }
            earlier.insert(name)
            taken.insert(name)
            ranges.append(names.count..<names.count + name.count)
            names.append(name.span)
        }
    }

    /// The name of a column; empty for a column that is left out or does not exist.
    @_lifetime(borrow self)
    @inline(__always)
    func name(_ column: Int) -> Span<UInt8> {
        names.span.extracting(column < ranges.count ? ranges[column] : 0..<0)
    }
}

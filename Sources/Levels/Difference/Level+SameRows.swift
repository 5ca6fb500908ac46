import Bytes

extension Level {
    /// The shown row of another level that has the key of this row; nil if there is none.
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

    /// Whether a row is packed like a row of another level, with equal levels below both.
    public func hasRow(_ row: Int, sameAs otherRow: Int, in other: Level) -> Bool {
        child(row)?.hash == other.child(otherRow)?.hash && packsRow(row, asRow: otherRow, of: other)
    }

    /// Whether a row is packed like a row of another level, with equal title, key and fields; the levels below may
    /// differ.
    public func packsRow(_ row: Int, asRow otherRow: Int, of other: Level) -> Bool {
        let bytes = bytes
        let others = other.bytes
        return bytes.span.extracting(rowBytes(row)).isEqual(to: others.span.extracting(other.rowBytes(otherRow)))
    }

    /// The numbers of the shown rows that differ from those with the same numbers in another level; nil if any two of
    /// these have different keys.
    ///
    /// - Returns: nil too if the levels have different numbers of rows.
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

    /// The bytes of a row.
    @_lifetime(copy bytes)
    private static func row(_ row: Int, in bytes: Span<UInt8>) -> Span<UInt8> {
        var table = PackedReader(bytes, at: row * 4)
        let start = table.halfWord()
        return bytes.extracting(start..<table.halfWord())
    }

    /// The range of a row in the bytes.
    private func rowBytes(_ row: Int) -> Range<Int> {
        let bytes = bytes
        var table = PackedReader(bytes.span, at: row * 4)
        let start = table.halfWord()
        return start..<table.halfWord()
    }
}

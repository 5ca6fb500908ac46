/// The text of a table: its bytes and their encoding.
struct CSVText {
    var input: DocumentInput
    let encoding: TextEncoding
    /// The position of the first byte that is not UTF-8; nil for a text that is UTF-8 or UTF-16.
    let fault: SourcePosition?

    /// Determines the encoding. If the bytes are neither UTF-8 nor UTF-16, it is Windows-1252.
    ///
    /// - Throws: `PropertyListError` if the file cannot be read, or for a lack of memory.
    /// - Complexity: O(bytes).
    init(_ input: DocumentInput) throws(PropertyListError) {
        self.input = input
        let piece = try MemoryBlock(bytes: Self.pieceBytes)
        let (encoding, mark) = try Self.detect(input, piece)
        if encoding == .utf8, let offset = try Self.faultOffset(in: input.uncounted, from: mark, piece) {
            self.encoding = .windows1252
            fault = try Self.position(of: offset, in: input.uncounted, from: mark, piece)
        } else {
            self.encoding = encoding
            fault = nil
        }
    }

    /// The same text, whose reading does not count as progress.
    var uncounted: CSVText {
        var text = self
        text.input = input.uncounted
        return text
    }

    private static let pieceBytes = 1 << 16

    private static func detect(
        _ input: DocumentInput, _ piece: borrowing MemoryBlock
    ) throws(PropertyListError) -> (encoding: TextEncoding, mark: Int) {
        let bytes = try unsafe read(input, at: 0, TextEncoding.headBytes, into: piece)
        return unsafe TextEncoding.detect(Span<UInt8>(_unsafeBytes: bytes))
    }

    /// The offset of the first byte that is not part of a UTF-8 character; nil if there is none before a control
    /// character, for which the table is refused anyway.
    private static func faultOffset(
        in input: DocumentInput, from mark: Int, _ piece: borrowing MemoryBlock
    ) throws(PropertyListError) -> Int? {
        let check = TextCheck(kind: .table)
        var offset = mark
        while true {
            let bytes = try unsafe read(input, at: offset, pieceBytes, into: piece)
            guard bytes.count > 0 else { return nil }
            var fault = 0
            do throws(PropertyListError) {
                let valid = try unsafe check.validPrefix(of: bytes, faultAt: &fault)
                guard valid > 0 else { return offset }
                offset += valid
            } catch {
                return unsafe bytes[fault] < 0x80 ? nil : offset + fault
            }
        }
    }

    /// The position of a byte after UTF-8 characters.
    private static func position(
        of end: Int, in input: DocumentInput, from mark: Int, _ piece: borrowing MemoryBlock
    ) throws(PropertyListError) -> SourcePosition {
        var (line, column, offset) = (1, 1, mark)
        while offset < end {
            let bytes = try unsafe read(input, at: offset, min(pieceBytes, end - offset), into: piece)
            guard bytes.count > 0 else { break }
            for index in bytes.indices {
                let byte = unsafe bytes[index]
                if byte == 10 { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
            }
            offset += bytes.count
        }
        return .text(line: line, column: column)
    }

    private static func read(
        _ input: DocumentInput, at offset: Int, _ count: Int, into piece: borrowing MemoryBlock
    ) throws(PropertyListError) -> UnsafeRawBufferPointer {
        let room = unsafe UnsafeMutableRawBufferPointer(start: piece.start, count: count)
        let taken = try unsafe input.read(at: offset, into: room)
        return unsafe UnsafeRawBufferPointer(rebasing: room[..<taken])
    }
}

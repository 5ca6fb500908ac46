/// Reads and writes rows of `items` in the binary format of COPY ("Binary Format" in the manual of COPY).
struct BinaryRows {
    /// `PGCOPY`, followed by bytes that a transfer as text would damage.
    private static let signature: [UInt8] = [
        0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00,
    ]
    private static let columns = 5
    private var isBegun = false

    fileprivate static let damaged = DatabaseError(
        kind: .other, reason: "the database has sent rows in an unknown form")

    init() {}

    // MARK: Reading

    /// Reads the rows in a piece of the transfer, and calls `body` for each row. The server does not split rows between
    /// pieces.
    mutating func read(
        _ piece: Span<UInt8>, _ body: (ItemPlace, Span<UInt8>) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        var cursor = Cursor(offset: 0)
        if !isBegun {
            // Skips the signature, the flags, and the header's extension, which is not used.
            cursor.offset = Self.signature.count + 4
            guard piece.count >= cursor.offset + 4 else { throw Self.damaged }
            cursor.offset += Int(try cursor.number(in: piece, bytes: 4))
            isBegun = true
        }
        while cursor.offset < piece.count {
            let count = try cursor.number(in: piece, bytes: 2)
            // -1 marks the end of the rows.
            guard count != -1 else { return }
            guard count == Self.columns else { throw Self.damaged }
            let id = try cursor.value(in: piece)
            let parent = try cursor.value(in: piece)
            let section = try cursor.value(in: piece)
            let position = try cursor.value(in: piece)
            let size = Int(try cursor.number(in: piece, bytes: 4))
            guard let id, let section, let position, size >= -1, size <= piece.count - cursor.offset else {
                throw Self.damaged
            }
            let place = ItemPlace(id: id, parent: parent, section: Int(section), position: position)
            // The fields are NULL if they are too large.
            try body(place, piece.extracting(cursor.offset..<cursor.offset + max(size, 0)))
            cursor.offset += max(size, 0)
        }
    }

    private struct Cursor {
        var offset: Int

        /// Reads a signed big-endian number, and moves past it.
        mutating func number(in piece: Span<UInt8>, bytes: Int) throws(DatabaseError) -> Int64 {
            guard bytes > 0, bytes <= 8, bytes <= piece.count - offset else { throw BinaryRows.damaged }
            var number: Int64 = piece[offset] >= 0x80 ? -1 : 0
            for index in offset..<offset + bytes { number = number << 8 | Int64(piece[index]) }
            offset += bytes
            return number
        }

        /// Reads a column with a number; nil for NULL.
        mutating func value(in piece: Span<UInt8>) throws(DatabaseError) -> Int64? {
            let size = Int(try number(in: piece, bytes: 4))
            return size == -1 ? nil : try number(in: piece, bytes: size)
        }
    }

    // MARK: Writing

    static let header = signature + [UInt8](repeating: 0, count: 8)
    static let end: [UInt8] = [0xFF, 0xFF]

    /// Appends a row.
    static func append(_ place: ItemPlace, fields: Span<UInt8>, to bytes: inout [UInt8]) {
        appendBare(Int16(columns), to: &bytes)
        append(place.id, to: &bytes)
        if let parent = place.parent {
            append(parent, to: &bytes)
        } else {
            appendBare(Int32(-1), to: &bytes)
        }
        append(Int32(clamping: place.section), to: &bytes)
        append(place.position, to: &bytes)
        appendBare(Int32(clamping: fields.count), to: &bytes)
        unsafe fields.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        appendBare(Int32(number.bitWidth / 8), to: &bytes)
        appendBare(number, to: &bytes)
    }

    /// Appends a big-endian number without its size.
    private static func appendBare(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

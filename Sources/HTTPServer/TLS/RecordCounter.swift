/// Counts the records of application data in a stream of TLS records (RFC 8446, section 5.1).
struct RecordCounter {
    /// The bytes of their payload, which is encrypted.
    private(set) var bytes: UInt64 = 0
    /// The number of records that have arrived whole.
    private(set) var count: UInt64 = 0
    /// The beginning of the header of the current record, as a number.
    private var header: UInt64 = 0
    private var headerBytes = 0
    /// The bytes of the current record that follow.
    private var left = 0

    private static let headerSize = 5
    private static let applicationData: UInt64 = 23

    /// Forgets the records so far.
    mutating func reset() { (bytes, count) = (0, 0) }

    /// Takes in the next bytes of the stream.
    mutating func take(_ piece: UnsafeRawBufferPointer) {
        var index = 0
        while index < piece.count {
            guard headerBytes == Self.headerSize else {
                header = header << 8 | UInt64(unsafe piece[index])
                headerBytes += 1
                index += 1
                if headerBytes == Self.headerSize { left = Int(header & 0xFFFF) }
                continue
            }
            let step = min(left, piece.count - index)
            left -= step
            index += step
            if left == 0 { endRecord() }
        }
    }

    private mutating func endRecord() {
        if header >> 32 & 0xFF == Self.applicationData {
            bytes &+= header & 0xFFFF
            count &+= 1
        }
        (header, headerBytes) = (0, 0)
    }
}

/// The sizes of a document's objects, which are contiguous, so that their offsets need not be stored.
struct BinaryObjectSizes: ~Copyable {
    /// Seven bits per byte, lowest first; the high bit is set on all but the last byte of a size.
    private var bytes = ByteBuffer()
    /// How many objects there are.
    private(set) var count = 0
    /// Their bytes.
    private(set) var total = 0

    mutating func append(_ size: Int) {
        count += 1
        total += size
        var rest = size
        while rest >= 0x80 {
            bytes.append(0x80 | UInt8(truncatingIfNeeded: rest))
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Appends the offset of each object.
    ///
    /// - Parameter start: the offset of the first.
    func appendOffsets(from start: Int, width: Int, to output: inout ByteBuffer) {
        output.reserve(count * width)
        let bytes = bytes.span
        var (offset, size, shift) = (start, 0, 0)
        for index in bytes.indices {
            size |= Int(bytes[index] & 0x7F) << shift
            shift += 7
            if bytes[index] & 0x80 == 0 {
                output.append(bigEndian: UInt64(offset), width: width)
                offset += size
                (size, shift) = (0, 0)
            }
        }
    }
}

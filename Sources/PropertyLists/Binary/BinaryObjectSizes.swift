import Bytes

/// The sizes of a document's objects, which are contiguous, so that their offsets need not be stored.
struct BinaryObjectSizes: ~Copyable {
    /// Each as LEB128.
    private var bytes = ByteBuffer()
    /// How many objects there are.
    private(set) var count = 0
    /// Their bytes.
    private(set) var total = 0

    /// Whether there was memory for all of them.
    var isComplete: Bool { !bytes.isIncomplete }

    mutating func append(_ size: Int) {
        count += 1
        total += size
        bytes.append(leb128: UInt64(size))
    }

    /// Appends the offset of each object.
    ///
    /// - Parameter start: the offset of the first.
    func appendOffsets(from start: Int, width: Int, to output: inout ByteBuffer) {
        output.reserve(count * width)
        let bytes = bytes.span
        var (offset, place) = (start, 0)
        while place < bytes.count {
            output.append(bigEndian: UInt64(offset), width: width)
            offset += Int(bytes.leb128(at: &place))
        }
    }
}

import Bytes

/// The sizes of a document's objects, which are contiguous, so that their offsets need not be stored.
struct BinaryObjectSizes: ~Copyable {
    /// Each as LEB128.
    private var bytes = ByteBuffer()
    /// How many objects there are.
    private(set) var count = 0
    /// Their bytes.
    private(set) var total = 0

    mutating func append(_ size: Int) {
        count += 1
        total += size
        bytes.append(leb128: UInt64(size))
    }

    /// Reads the size that is stored at a place, which moves on to the next one; nil after the last one.
    func next(at place: inout Int) -> Int? { place < bytes.count ? Int(bytes.span.leb128(at: &place)) : nil }

    /// Appends the offset of each object.
    ///
    /// - Parameter start: the offset of the first.
    func appendOffsets(from start: Int, width: Int, to output: inout ByteBuffer) {
        output.reserve(count * width)
        var (offset, place) = (start, 0)
        while let size = next(at: &place) {
            output.append(bigEndian: UInt64(offset), width: width)
            offset += size
        }
    }
}

import Bytes
import Glibc

/// A range of a document, read on demand into a bounded number of page frames.
///
/// Page *n* can be only in frame *n* mod (number of frames), so a look-up is a shift, a mask and a comparison. Each
/// frame also keeps the first bytes of the next page, so that short reads never cross a boundary.
@safe
struct DocumentPages: ~Copyable {
    private static var pageShift: Int { 14 }
    private static var pageBytes: Int { 1 << pageShift }
    private static var frameBytes: Int { pageBytes + overlap }
    /// The number of bytes that can be read at any offset, regardless of page boundaries.
    static var overlap: Int { 256 }
    /// The maximum number of frames; together they have 4 MiB.
    private static var mostFrames: Int { 256 }

    private let input: DocumentInput
    private let range: Range<Int>
    private let mask: Int
    private let frames: MemoryBlock
    /// The page in each frame; −1 for an empty frame.
    private var pages: [Int]

    /// - Parameter range: the bytes of the document that may be read.
    /// - Throws: `PropertyListError` for a lack of memory.
    init(input: DocumentInput, range: Range<Int>) throws(PropertyListError) {
        self.input = input
        self.range = range
        let needed = (range.count >> Self.pageShift) + 1
        var count = 1
        while count < needed, count < Self.mostFrames { count *= 2 }
        mask = count - 1
        pages = Array(repeating: -1, count: count)
        frames = try MemoryBlock(bytes: count * Self.frameBytes)
    }

    /// Returns the place of a byte within the frames. Reads the byte's page before, if necessary.
    @inline(__always)
    private mutating func place(of offset: Int) throws(PropertyListError) -> Int {
        let distance = offset &- range.lowerBound
        let page = distance >> Self.pageShift
        let frame = page & mask
        if pages[frame] != page { try load(page, into: frame) }
        return frame &* Self.frameBytes &+ (distance & (Self.pageBytes - 1))
    }

    @inline(never)
    private mutating func load(_ page: Int, into frame: Int) throws(PropertyListError) {
        // If the read fails, the frame must not keep the number of its old page.
        pages[frame] = -1
        let start = range.lowerBound + page << Self.pageShift
        let wanted = min(Self.frameBytes, range.upperBound - start)
        let block = unsafe frames.start + frame * Self.frameBytes
        var filled = 0
        while filled < wanted {
            let rest = unsafe UnsafeMutableRawBufferPointer(start: block + filled, count: wanted - filled)
            let taken = try unsafe input.read(at: start + filled, into: rest)
            guard taken > 0 else {
                throw PropertyListError(
                    reason: "the file was truncated while it was being read", at: .byte(offset: start + filled))
            }
            filled += taken
        }
        if filled < Self.frameBytes { unsafe memset(block + filled, 0, Self.frameBytes - filled) }
        pages[frame] = page
    }

    /// The eight bytes at an offset, as a big-endian number. Bytes beyond the range are zero.
    @inline(__always)
    mutating func word(at offset: Int) throws(PropertyListError) -> UInt64 {
        let place = try place(of: offset)
        return unsafe frames.start.loadUnaligned(fromByteOffset: place, as: UInt64.self).bigEndian
    }

    /// A big-endian number of 1 … 8 bytes.
    @inline(__always)
    mutating func integer(at offset: Int, width: Int) throws(PropertyListError) -> UInt64 {
        try word(at: offset) &>> UInt64(truncatingIfNeeded: 64 &- 8 &* width)
    }

    /// The place of a run of bytes within the frames. Nil if the run does not fit into one frame; it must then be
    /// copied.
    @inline(__always)
    mutating func run(at offset: Int, count: Int) throws(PropertyListError) -> Int? {
        let distance = offset &- range.lowerBound
        if count > Self.frameBytes &- (distance & (Self.pageBytes - 1)) { return nil }
        return try place(of: offset)
    }

    /// The bytes of a run within the frames; valid until the next page is read.
    @inline(__always)
    @_lifetime(borrow self)
    func span(at place: Int, count: Int) -> Span<UInt8> {
        precondition(place >= 0 && count >= 0 && count <= (mask + 1) * Self.frameBytes - place)
        let bytes = unsafe UnsafeRawBufferPointer(start: frames.start + place, count: count)
        let span = unsafe Span<UInt8>(_unsafeBytes: bytes)
        return unsafe _overrideLifetime(span, borrowing: self)
    }

    /// Appends the bytes of a run within the frames to a buffer.
    func copy(run place: Int, count: Int, to buffer: inout ByteBuffer) { buffer.append(span(at: place, count: count)) }

    /// Appends a run of any length to a buffer, page by page.
    mutating func copy(at offset: Int, count: Int, to buffer: inout ByteBuffer) throws(PropertyListError) {
        var copied = 0
        while copied < count {
            let from = offset + copied
            let left = Self.pageBytes - (from - range.lowerBound) & (Self.pageBytes - 1)
            let taken = min(left, count - copied)
            let place = try place(of: from)
            buffer.append(span(at: place, count: taken))
            copied += taken
        }
    }
}

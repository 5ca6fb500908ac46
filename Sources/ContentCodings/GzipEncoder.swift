import CZlib

/// Codes one body as gzip (RFC 1952): the one owner of a zlib stream.
@safe
public struct GzipEncoder: ~Copyable, ContentEncoder {
    /// On the heap, for zlib refuses a stream that is not where it was initialised.
    private let stream: UnsafeMutablePointer<z_stream>
    /// zlib reads it when the first bytes are coded.
    private let header: UnsafeMutablePointer<gz_header>
    private let output: UnsafeMutableBufferPointer<UInt8>
    private let workspace: Workspace?

    /// Decision 12: within 2 % of the size that level 6 makes, in less time.
    private static let level: Int32 = 5
    /// The largest window, 32 KiB; 16 more asks for gzip's wrapping in place of zlib's.
    private static let windowBits: Int32 = 15 + 16
    /// zlib's default: 128 KiB besides the window's.
    private static let memoryLevel: Int32 = 8
    /// What RFC 1952, section 2.3.1, calls unknown: zlib writes the system it was built on, which is no one's business.
    private static let unknownSystem: Int32 = 255
    private static let outputBytes = 32 << 10
    /// zlib counts in 32 bits.
    private static let mostAtOnce = 1 << 30

    /// An encoder with memory of its own.
    public init() { self.init(in: nil) }

    /// - Parameter workspace: where it has its tables; given back at its end.
    init(in workspace: Workspace?) {
        self.workspace = workspace
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe header = .allocate(capacity: 1)
        unsafe header.initialize(to: gz_header())
        unsafe output = .allocate(capacity: Self.outputBytes)
        if let workspace {
            unsafe stream.pointee.zalloc = allocateForZlib
            unsafe stream.pointee.zfree = freeInWorkspace
            unsafe stream.pointee.opaque = Unmanaged.passUnretained(workspace).toOpaque()
        }
        // The time in the header stays 0, which means none: the same body is to give the same bytes.
        unsafe header.pointee.os = Self.unknownSystem
        let begun = unsafe shim_deflate_init(stream, Self.level, Self.windowBits, Self.memoryLevel)
        // It fails for want of memory, which no answer could be made without either.
        guard begun == Z_OK, unsafe deflateSetHeader(stream, header) == Z_OK else { fatalError("zlib: \(begun)") }
    }

    deinit {
        unsafe deflateEnd(stream)
        workspace?.giveBack()
        unsafe stream.deallocate()
        unsafe header.deallocate()
        unsafe output.deallocate()
    }

    public mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void) {
        var start = 0
        repeat {
            let end = min(piece.count, start + Self.mostAtOnce)
            let flush = isLast && end == piece.count ? Z_FINISH : Z_NO_FLUSH
            unsafe piece.extracting(start..<end).withUnsafeBytes { unsafe deflateAll($0, flush, to: take) }
            start = end
        } while start < piece.count
    }

    /// "If deflate returns with avail_out == 0, this function must be called again" (zlib.h).
    private func deflateAll(_ bytes: UnsafeRawBufferPointer, _ flush: Int32, to take: (Span<UInt8>) -> Void) {
        // zlib does not write to its input, but its type does not say so.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            unsafe stream.pointee.next_out = output.baseAddress
            unsafe stream.pointee.avail_out = UInt32(output.count)
            let outcome = unsafe deflate(stream, flush)
            precondition(outcome != Z_STREAM_ERROR, "a zlib stream was used after its end")
            let made = unsafe output.count - Int(stream.pointee.avail_out)
            if made > 0 { take(unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: output[..<made]))) }
        } while unsafe stream.pointee.avail_out == 0
        unsafe stream.pointee.next_in = nil
    }
}

import CZlib
import Glibc

/// Encodes one body as gzip (RFC 1952); the sole owner of a zlib stream.
@safe
public struct GzipEncoder: ~Copyable, ContentEncoder {
    /// On the heap, because zlib rejects a stream that has moved since it was initialized.
    private let stream: UnsafeMutablePointer<z_stream>
    /// On the heap, because zlib reads the header only when the first bytes are encoded.
    private let header: UnsafeMutablePointer<gz_header>
    /// The buffer for encoded bytes; nil for a lack of memory.
    private let output: UnsafeMutablePointer<UInt8>?
    private let workspace: Workspace?
    /// False for a lack of memory.
    private let isUsable: Bool

    /// At this level, the size of a body is within 2 % of the size at level 6, and encoding takes less time.
    private static let level: Int32 = 5
    /// The largest window, 32 KiB; adding 16 selects the gzip format instead of zlib's.
    private static let windowBits: Int32 = 15 + 16
    /// zlib's default: 128 KiB in addition to the window.
    private static let memoryLevel: Int32 = 8
    /// The system "unknown" (RFC 1952, section 2.3.1). By default, zlib discloses the system that it was built on.
    private static let unknownSystem: Int32 = 255
    private static let outputBytes = 32 << 10
    /// The largest input per call, because zlib counts in 32 bits.
    private static let mostAtOnce = 1 << 30

    /// The memory for zlib's window and tables (zconf.h), for its own state, and for the output.
    public static let streamBytes = (256 << 10) + (8 << 10) + outputBytes

    /// Creates an encoder that allocates its own memory.
    public init() { self.init(in: nil) }

    /// - Parameter workspace: holds the tables. The encoder gives the workspace back when it ends.
    init(in workspace: Workspace?) {
        self.workspace = workspace
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe header = .allocate(capacity: 1)
        unsafe header.initialize(to: gz_header())
        unsafe output = malloc(Self.outputBytes)?.assumingMemoryBound(to: UInt8.self)
        if let workspace {
            unsafe stream.pointee.zalloc = allocateForZlib
            unsafe stream.pointee.zfree = freeInWorkspace
            unsafe stream.pointee.opaque = Unmanaged.passUnretained(workspace).toOpaque()
        }
        // The time in the header stays 0, "no time", so that the same body always gives the same bytes.
        unsafe header.pointee.os = Self.unknownSystem
        let begun = unsafe shim_deflate_init(stream, Self.level, Self.windowBits, Self.memoryLevel)
        // These calls fail only if memory is exhausted.
        isUsable = unsafe output != nil && begun == Z_OK && deflateSetHeader(stream, header) == Z_OK
    }

    deinit {
        unsafe deflateEnd(stream)
        workspace?.giveBack()
        unsafe stream.deallocate()
        unsafe header.deallocate()
        unsafe free(output)
    }

    public mutating func encode(_ piece: Span<UInt8>, isLast: Bool, to take: (Span<UInt8>) -> Void) -> Bool {
        guard isUsable else { return false }
        var start = 0
        repeat {
            let end = min(piece.count, start + Self.mostAtOnce)
            let flush = isLast && end == piece.count ? Z_FINISH : Z_NO_FLUSH
            unsafe piece.extracting(start..<end).withUnsafeBytes { unsafe deflateAll($0, flush: flush, to: take) }
            start = end
        } while start < piece.count
        return true
    }

    /// Encodes bytes. "If deflate returns with avail_out == 0, this function must be called again" (zlib.h).
    private func deflateAll(_ bytes: UnsafeRawBufferPointer, flush: Int32, to take: (Span<UInt8>) -> Void) {
        // zlib does not write to its input, although the parameter's type is not const.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            unsafe stream.pointee.next_out = output
            unsafe stream.pointee.avail_out = UInt32(Self.outputBytes)
            let outcome = unsafe deflate(stream, flush)
            precondition(outcome != Z_STREAM_ERROR, "a zlib stream was used after its end")
            let made = unsafe Self.outputBytes - Int(stream.pointee.avail_out)
            if made > 0, let output = unsafe output { take(unsafe Span(_unsafeStart: output, count: made)) }
        } while unsafe stream.pointee.avail_out == 0
        unsafe stream.pointee.next_in = nil
    }
}

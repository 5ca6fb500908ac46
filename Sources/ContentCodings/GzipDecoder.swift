import CZlib

/// Decodes one body in gzip (RFC 1952), piece by piece; the sole owner of a zlib stream.
@safe
public struct GzipDecoder: ~Copyable {
    /// On the heap, because zlib rejects a stream that has moved since it was initialized.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableRawBufferPointer
    /// False for a lack of memory.
    private let isUsable: Bool
    /// Whether the last member of the body has ended.
    public private(set) var isComplete = false

    public init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe output = .allocate(byteCount: 32 << 10, alignment: 1)
        // The largest window; adding 16 selects the gzip format instead of zlib's.
        isUsable = unsafe shim_inflate_init(stream, 15 + 16) == Z_OK
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Decodes the next bytes of the body.
    ///
    /// - Parameter take: receives the decoded bytes in pieces, each valid only during its call. Returns false to stop.
    /// - Returns: false if the bytes are not gzip, if memory is lacking, or if `take` has returned false.
    public mutating func decode(
        _ bytes: UnsafeRawBufferPointer, to take: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard isUsable, bytes.count > 0 else { return isUsable }
        // zlib does not write to its input, although the parameter's type is not const.
        unsafe stream.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            // A body may consist of several members (RFC 1952, section 2.2).
            if isComplete { _ = unsafe inflateReset(stream) }
            unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = UInt32(output.count)
            let outcome = unsafe inflate(stream, Z_NO_FLUSH)
            isComplete = outcome == Z_STREAM_END
            // Z_BUF_ERROR means that all bytes are decoded.
            guard isComplete || outcome == Z_OK || outcome == Z_BUF_ERROR else { return false }
            let count = unsafe output.count - Int(stream.pointee.avail_out)
            let isTaken = unsafe count == 0 || take(UnsafeRawBufferPointer(rebasing: output[..<count]))
            guard isTaken else { return false }
        } while unsafe stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 && !isComplete
        return true
    }
}

import CMicroHTTPD

/// The sole owner of a response of the library. A connection on which the response is queued holds its own reference.
///
/// Unchecked Sendable: only one connection at a time takes the response from its payload and uses it.
@safe
final class LibraryResponse: @unchecked Sendable {
    /// The library's response; nil if memory for it was lacking. Without it, nothing can be sent.
    private let pointer: OpaquePointer?
    /// The digits in the line `Drilldown-Request`, ended by a zero byte; no digits before the first request.
    private var digits = [UInt8](repeating: 0, count: RequestID.length + 1)
    private var isNamed = false

    init() { unsafe pointer = nil }

    /// Makes a response with this body. The library retains the body as long as the response.
    init(_ body: Response.Body) {
        let retained = unsafe Unmanaged.passRetained(body)
        unsafe pointer = MHD_create_response_from_buffer_with_free_callback_cls(
            body.count, UnsafeMutableRawPointer(mutating: body.bytes.baseAddress), releaseBody, retained.toOpaque())
        if unsafe pointer == nil { unsafe retained.release() }
    }

    /// Makes a response with a stream as its body. The library retains the reader as long as the response.
    init(streaming reader: StreamReader) {
        let retained = unsafe Unmanaged.passRetained(reader)
        unsafe pointer = MHD_create_response_from_callback(
            reader.length.map { UInt64($0) } ?? shim_size_unknown(), reader.blockSize, readBodyStream,
            retained.toOpaque(), releaseBodyStream)
        if unsafe pointer == nil { unsafe retained.release() }
    }

    deinit { if let pointer = unsafe pointer { unsafe MHD_destroy_response(pointer) } }

    /// Puts the identifier of a request into the header, in place of the previous identifier.
    ///
    /// - Returns: false if memory for the line is lacking.
    func name(_ id: RequestID) -> Bool {
        guard let pointer = unsafe pointer else { return false }
        let field = unsafe Response.requestField.cString
        if isNamed {
            _ = unsafe digits.withUnsafeBytes {
                unsafe MHD_del_response_header(pointer, field, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
            }
        }
        var place = digits.mutableSpan
        id.write(to: &place)
        isNamed =
            unsafe digits.withUnsafeBytes {
                unsafe MHD_add_response_header(pointer, field, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
            } == .YES
        return isNamed
    }

    /// Adds header lines. Returns the lines that the library accepted, or all lines if the response cannot be sent.
    func add(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
        guard let pointer = unsafe pointer else { return headers }
        return headers.filter { line in
            // Passed as an argument, a string would be copied into an array first.
            unsafe line.name.withCString { name in
                unsafe line.value.withCString { value in
                    // The library refuses a line with characters that a header cannot carry.
                    unsafe MHD_add_response_header(pointer, name, value) == .YES
                }
            }
        }
    }

    /// Makes the end of the connection the end of the response, without a last chunk.
    func endByClosing() { if let pointer = unsafe pointer { _ = unsafe shim_end_by_closing(pointer) } }

    /// Queues the response on a connection; false if the library refuses it.
    func queue(on connection: ConnectionHandle, status: Int) -> Bool {
        guard let pointer = unsafe pointer else { return false }
        return unsafe connection.queue(pointer, status: status)
    }
}

/// MHD_ContentReaderCallback.
private func readBodyStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ room: Int
) -> Int {
    guard let context = unsafe context else { return -2 }
    return unsafe Unmanaged<StreamReader>.fromOpaque(context)._withUnsafeGuaranteedRef {
        unsafe $0.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
    }
}

/// MHD_ContentReaderFreeCallback.
private func releaseBodyStream(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<StreamReader>.fromOpaque(context).release() }
}

/// MHD_ContentReaderFreeCallback of a body in memory.
private func releaseBody(_ context: UnsafeMutableRawPointer?) {
    if let context = unsafe context { unsafe Unmanaged<Response.Body>.fromOpaque(context).release() }
}

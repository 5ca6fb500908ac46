import CMicroHTTPD

/// The library's handle of a connection, valid until the connection is closed.
@safe
struct ConnectionHandle {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    var descriptor: Int32 { unsafe shim_connection_socket(pointer) }

    /// The client's address as text, without the port.
    var peer: String { unsafe PeerAddress.text(of: shim_connection_address(pointer)) }

    /// The session of GnuTLS; nil without TLS.
    var session: UnsafeMutableRawPointer? { unsafe shim_connection_session(pointer) }

    /// The size of the current request's line and header, in bytes.
    var headerSize: Int { unsafe shim_connection_header_size(pointer) }

    /// Passes each field of the header or of the trailer to a callback, together with `context`.
    func forEachField(_ kind: MHD_ValueKind, callback: MHD_KeyValueIteratorN, context: UnsafeMutableRawPointer) {
        _ = unsafe MHD_get_connection_values_n(pointer, kind, callback, context)
    }

    /// Queues a response on the connection; false if the library refuses the response.
    func queue(_ response: OpaquePointer, status: Int) -> Bool {
        unsafe MHD_queue_response(pointer, UInt32(clamping: status), response) == .YES
    }

    /// Makes the library close the connection after the response, as if the client had requested it.
    ///
    /// The response then has the line `Connection: close`.
    ///
    /// - Returns: false if the library lacks memory for this setting.
    func closeAfterAnswer() -> Bool {
        let name: StaticString = "Connection"
        let value: StaticString = "close"
        return unsafe MHD_set_connection_value(pointer, .HEADER_KIND, name.cString, value.cString) == .YES
    }

    /// Takes the connection from its thread until `resume`. Call this only in the library's callbacks.
    func suspend() { unsafe MHD_suspend_connection(pointer) }

    func resume() { unsafe MHD_resume_connection(pointer) }
}

extension StaticString {
    /// The text as a C string.
    var cString: UnsafePointer<CChar> { unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

import CMicroHTTPD
import Glibc

extension Response {
    /// The sole owner of a library response; a connection on which it is queued holds a reference of its own.
    ///
    /// Sendable, because one connection at a time takes it from its payload, names its request, and queues it.
    @safe
    final class Handle: @unchecked Sendable {
        /// Nil if the library had no memory for it; it cannot be sent then.
        let pointer: OpaquePointer?
        /// The digits in the line `Drilldown-Request`, ended by a zero byte; no digits before the first request.
        private var digits = [UInt8](repeating: 0, count: RequestID.length + 1)
        private var isNamed = false

        /// The handle of a response that cannot be sent.
        init() { unsafe pointer = nil }

        /// The library refers to the body until nothing refers to the response.
        init(_ body: Body) {
            let retained = unsafe Unmanaged.passRetained(body)
            unsafe pointer = MHD_create_response_from_buffer_with_free_callback_cls(
                body.count, UnsafeMutableRawPointer(mutating: body.bytes.baseAddress), releaseBody,
                retained.toOpaque())
            if unsafe pointer == nil { unsafe retained.release() }
        }

        init(streaming reader: StreamReader) {
            let retained = unsafe Unmanaged.passRetained(reader).toOpaque()
            unsafe pointer = MHD_create_response_from_callback(
                reader.length.map { UInt64($0) } ?? shim_size_unknown(), reader.blockSize, readBodyStream, retained,
                releaseBodyStream)
        }

        deinit { if let pointer = unsafe pointer { unsafe MHD_destroy_response(pointer) } }

        /// Has the header name a request in place of the one before.
        ///
        /// - Returns: false if there is no memory for it.
        func name(_ id: RequestID) -> Bool {
            guard let pointer = unsafe pointer else { return false }
            let field = unsafe UnsafeRawPointer(Response.requestField.utf8Start).assumingMemoryBound(to: CChar.self)
            return unsafe digits.withUnsafeMutableBufferPointer { digits in
                let text = unsafe UnsafeRawPointer(digits.baseAddress.unsafelyUnwrapped)
                    .assumingMemoryBound(to: CChar.self)
                if isNamed { _ = unsafe MHD_del_response_header(pointer, field, text) }
                unsafe id.write(to: digits)
                isNamed = unsafe MHD_add_response_header(pointer, field, text) == .YES
                return isNamed
            }
        }

        /// Adds header lines, and returns those that the library accepted.
        func add(_ headers: [(name: String, value: String)]) -> [(name: String, value: String)] {
            var refused: [Int] = []
            for index in headers.indices where !add(headers[index].name, headers[index].value) { refused.append(index) }
            return refused.isEmpty ? headers : headers.indices.filter { !refused.contains($0) }.map { headers[$0] }
        }

        /// Returns false if the name or the value contains something that a header line cannot carry.
        private func add(_ name: String, _ value: String) -> Bool {
            unsafe name.withCString { name in
                unsafe value.withCString { value in unsafe MHD_add_response_header(pointer, name, value) == .YES }
            }
        }
    }
}

import CMicroHTTPD
import Glibc

extension Response {
    /// The sole owner of a library response; connections on which it is queued hold references of their own.
    ///
    /// Sendable, because the library counts references under its own lock and nothing is added after `init`.
    @safe
    struct Handle: ~Copyable, @unchecked Sendable {
        /// Nil if the library had no memory for it; it cannot be sent then.
        let pointer: OpaquePointer?

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

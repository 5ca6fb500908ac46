import CMicroHTTPD
import Glibc

extension Response {
    /// The one owner of a library response; connections that it is queued on hold references of their own.
    ///
    /// Sendable, since the library counts references under a lock of its own and nothing is added after `init`.
    @safe
    struct Handle: ~Copyable, @unchecked Sendable {
        let pointer: OpaquePointer?

        /// Takes over memory from `malloc`, which the library frees with the last reference.
        init(takingOver memory: UnsafeMutableRawBufferPointer) {
            unsafe pointer = MHD_create_response_from_buffer(memory.count, memory.baseAddress, .RESPMEM_MUST_FREE)
        }

        init(streaming reader: StreamReader) {
            let retained = unsafe Unmanaged.passRetained(reader).toOpaque()
            unsafe pointer = MHD_create_response_from_callback(
                shim_size_unknown(), reader.blockSize, readBodyStream, retained, releaseBodyStream)
        }

        deinit { if let pointer = unsafe pointer { unsafe MHD_destroy_response(pointer) } }

        /// Returns false where the name or the value holds what a header line cannot carry.
        func add(_ name: String, _ value: String) -> Bool {
            unsafe MHD_add_response_header(pointer, name, value) == .YES
        }
    }
}

extension Response {
    /// What responses of several status may share: the library's response, and what it was made of.
    final class Payload: Sendable {
        let handle: Handle
        /// The header lines that the library took.
        let headers: [(name: String, value: String)]
        /// What reads the stream, where the body is one.
        let stream: StreamReader?
        private let memory: Memory

        /// The body, where it is not a stream: memory that the library owns as long as the handle lives.
        ///
        /// Sendable, since nobody writes to it after `init`.
        @safe
        private struct Memory: @unchecked Sendable {
            let bytes: UnsafeRawBufferPointer
        }

        init(headers: [(name: String, value: String)], takingOver body: UnsafeMutableRawBufferPointer) {
            let handle = unsafe Handle(takingOver: body)
            self.headers = handle.add(headers)
            self.handle = handle
            memory = unsafe Memory(bytes: UnsafeRawBufferPointer(body))
            stream = nil
        }

        init(headers: [(name: String, value: String)], stream: StreamReader) {
            let handle = Handle(streaming: stream)
            self.headers = handle.add(headers)
            self.handle = handle
            memory = unsafe Memory(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
            self.stream = stream
        }

        /// The bytes of the body; 0 for a stream.
        var size: Int { unsafe memory.bytes.count }

        /// The body, valid as long as this object; empty for a stream.
        var bytes: UnsafeRawBufferPointer { unsafe memory.bytes }
    }
}

extension Response {
    /// The part that responses of different status can share: the library's response, and what it was made of.
    final class Payload: Sendable {
        let handle: Handle
        /// The header lines that the library accepted.
        let headers: [(name: String, value: String)]
        /// The bytes of the header lines, without those that the server adds.
        let headerSize: Int
        /// The reader of the stream, if the body is one.
        let stream: StreamReader?
        private let memory: Memory

        /// The body, if it is not a stream: memory that the library owns as long as the handle exists.
        ///
        /// Sendable, because nothing writes to it after `init`.
        @safe
        private struct Memory: @unchecked Sendable {
            let bytes: UnsafeRawBufferPointer
        }

        init(headers: [(name: String, value: String)], takingOver body: UnsafeMutableRawBufferPointer) {
            let handle = unsafe Handle(takingOver: body)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            self.handle = handle
            memory = unsafe Memory(bytes: UnsafeRawBufferPointer(body))
            stream = nil
        }

        init(headers: [(name: String, value: String)], stream: StreamReader) {
            let handle = Handle(streaming: stream)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            self.handle = handle
            memory = unsafe Memory(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
            self.stream = stream
        }

        /// The payload of a response for whose body there was no memory; it cannot be sent.
        init(withoutMemoryFor headers: [(name: String, value: String)]) {
            handle = Handle()
            self.headers = headers
            headerSize = Payload.size(of: headers)
            memory = unsafe Memory(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
            stream = nil
        }

        /// Whether the library, or the body, had no memory.
        var lacksMemory: Bool { unsafe handle.pointer == nil }

        /// Including the colon, the space and the line end of each line.
        private static func size(of headers: [(name: String, value: String)]) -> Int {
            headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        }

        /// The bytes of the body; 0 for a stream.
        var size: Int { unsafe memory.bytes.count }

        /// The body, valid as long as this object exists; empty for a stream.
        var bytes: UnsafeRawBufferPointer { unsafe memory.bytes }
    }
}

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
        /// The body; nil for a stream, and if there was no memory for it.
        let body: Body?

        init(headers: [(name: String, value: String)], body: Body) {
            let handle = Handle(body)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            self.handle = handle
            self.body = body
            stream = nil
        }

        init(headers: [(name: String, value: String)], stream: StreamReader) {
            let handle = Handle(streaming: stream)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            self.handle = handle
            body = nil
            self.stream = stream
        }

        /// The payload of a response for whose body there was no memory; it cannot be sent.
        init(withoutMemoryFor headers: [(name: String, value: String)]) {
            handle = Handle()
            self.headers = headers
            headerSize = Payload.size(of: headers)
            body = nil
            stream = nil
        }

        /// Whether the library, or the body, had no memory.
        var lacksMemory: Bool { unsafe handle.pointer == nil }

        /// Including the colon, the space and the line end of each line.
        private static func size(of headers: [(name: String, value: String)]) -> Int {
            headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        }

        /// The bytes of the body; 0 for a stream.
        var size: Int { body?.count ?? 0 }

        /// The body, valid as long as this object exists; empty for a stream.
        var bytes: UnsafeRawBufferPointer { unsafe body?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0) }
    }
}

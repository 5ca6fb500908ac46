import Locking

extension Response {
    /// The part that responses of different status can share: the library's responses, and what they are made of.
    ///
    /// Each answer on its way has a library response of its own, because its header names the request. Their memory is
    /// kept for the answers that follow, and all have the same body.
    final class Payload: Sendable {
        private let spares: Guarded<[Handle]>
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
            spares = Guarded([handle])
            self.body = body
            stream = nil
        }

        init(headers: [(name: String, value: String)], stream: StreamReader) {
            let handle = Handle(streaming: stream)
            self.headers = handle.add(headers)
            headerSize = Payload.size(of: self.headers)
            spares = Guarded([handle])
            body = nil
            self.stream = stream
        }

        /// The payload of a response for whose body there was no memory; it cannot be sent.
        init(withoutMemoryFor headers: [(name: String, value: String)]) {
            spares = Guarded([Handle()])
            self.headers = headers
            headerSize = Payload.size(of: headers)
            body = nil
            stream = nil
        }

        /// Whether there was no memory for the body.
        var lacksMemory: Bool { body == nil && stream == nil }

        /// The most library responses that are kept; as many answers are made at once by so many threads.
        private static let mostSpares = 16

        /// A library response for one answer, which names its request; nil if there is no memory for it.
        ///
        /// A stream has only one.
        func handle(naming id: RequestID) -> Handle? {
            guard let handle = spares.withLock({ $0.popLast() }) ?? body.map(copy), handle.name(id) else { return nil }
            return handle
        }

        private func copy(_ body: Body) -> Handle {
            let handle = Handle(body)
            _ = handle.add(headers)
            return handle
        }

        /// Takes back a library response whose answer was sent, or never will be.
        func giveBack(_ handle: Handle) {
            guard stream == nil else { return }
            spares.withLock { spares in
                if spares.count < Self.mostSpares { spares.append(handle) }
            }
        }

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

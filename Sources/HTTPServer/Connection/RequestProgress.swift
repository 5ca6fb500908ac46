extension Connection {
    /// The progress of the current request.
    enum Phase {
        case idle
        /// The request line has been read.
        case line
        /// The header has been read and is well-formed; the body follows, or the call to answer.
        case body
        /// The response follows later.
        case waiting
        case answered
    }

    /// What is counted and logged of a response that the library has taken.
    struct QueuedAnswer {
        /// 0 if there is none.
        let status: Int
        /// The size in bytes of a body that is not a stream.
        let size: Int
        let stream: StreamReader?
        /// The library's response, which goes back to its payload.
        let handle: Response.Handle?
        let payload: Response.Payload?
        /// The response if its memory is charged to a budget, which gets it back when nothing refers to the response.
        let charged: Response?

        static let none = QueuedAnswer(status: 0, size: 0, stream: nil, handle: nil, payload: nil, charged: nil)
    }
}

extension Connection.QueuedAnswer {
    /// - Parameters:
    ///   - size: the bytes of the body that are sent.
    ///   - handle: the library's response.
    init(_ response: Response, size: Int, handle: Response.Handle) {
        self.init(
            status: response.status, size: size, stream: response.payload.stream, handle: handle,
            payload: response.payload, charged: response.isCharged ? response : nil)
    }
}

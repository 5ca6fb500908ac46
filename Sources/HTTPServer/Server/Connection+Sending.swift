import CMicroHTTPD
import DrilldownDates
import Glibc

/// The state of a request that is needed until its response has ended.
struct Exchange {
    /// The time at which the request line was read, in nanoseconds of the exact clock.
    var began: Int64 = 0
    /// Whether the request is HTTP/1.0, which lacks the chunked coding.
    var isVersion10 = false
    /// The number of bytes that the library needs for the fields in addition to their text.
    var records = 0
    /// The identifier of the request; nil until it is needed, or until the field that contains it is about to be freed.
    var id: RequestID?
    /// The number of the route; nil unless it was determined before the fields were freed.
    var route: Int?
    var hasWaited = false
    /// The place of a large body, held until the request ends.
    var largeBody: LargeBody?
    var events: EventStream?
}

/// A response that the library has taken.
struct QueuedAnswer {
    /// Held until the request ends, because the memory of the response may be charged to a budget.
    let response: Response
    /// The number of bytes of the body that are sent; not used if the body is a stream.
    let size: Int
    /// The library's response, which is given back to the payload when the request ends.
    let handle: LibraryResponse
}

extension Connection {
    /// Passes the response to the library, or a replacement if the response cannot be sent.
    ///
    /// If the header does not fit into the connection's memory, the response is sent without the links in its header.
    ///
    /// - Returns: nil if the replacement cannot be sent either.
    func send(_ response: Response) -> QueuedAnswer? {
        var response = response.status < 500 ? response : named(response)
        if !hasRoom(for: response), let shorter = response.withoutLinks { response = shorter }
        let hasRoom = hasRoom(for: response)
        if hasRoom, let queued = pass(response) { return queued }
        if hasRoom, response.payload.lacksMemory {
            return pass(named(service.responder.response(to: .outOfMemory, target: request.targetText)))
        }
        let fault = log(.unsent(status: response.status, headerSize: hasRoom ? nil : response.payload.headerSize))
        let substitute = service.responder.response(to: .unsent(id: fault.id), target: fault.target)
        return self.hasRoom(for: substitute) ? pass(substitute) : nil
    }

    /// Writes a response to the socket without the library, which lacks memory for the response's header beside so many
    /// fields. The connection must be cut afterwards. If the client does not take the response at once, it is lost.
    ///
    /// - Returns: nil if memory is lacking.
    func write(_ response: Response) -> QueuedAnswer? {
        guard let handle = response.payload.handle(naming: requestID) else { return nil }
        let added = [
            ("Date", HTTPDate(seconds: Int64(time(nil)))?.text ?? ""), ("Connection", "close"),
            (Response.requestField.description, requestID.text), ("Content-Length", "\(response.size)"),
        ]
        let reason = unsafe String(cString: MHD_get_reason_phrase_for(UInt32(response.status)))
        let lines = (added + response.headers).map { "\($0): \($1)\r\n" }.joined()
        var message = Array("HTTP/1.1 \(response.status) \(reason)\r\n\(lines)\r\n".utf8)
        if request.method != .head { message += unsafe Array(response.payload.bytes) }
        if let transport {
            transport.write(message)
        } else {
            Socket(state.descriptor).send(message)
        }
        return QueuedAnswer(response: response, size: response.size, handle: handle)
    }

    func hasRoom(for response: Response) -> Bool {
        RequestMemory.hasRoom(
            forHeader: response.payload.headerSize + Response.requestLine, besideRecords: exchange.records)
    }

    /// Passes the response to the library. Returns nil if the library refuses the response or lacks memory for it.
    private func pass(_ response: Response) -> QueuedAnswer? {
        state.send(at: CoarseClock.now, patience: service.deadlineMilliseconds)
        if service.isDraining { _ = handle.closeAfterAnswer() }
        let isHead = request.method == .head
        let stream = response.payload.stream
        if let stream { attend(stream) }
        guard let made = response.payload.handle(naming: requestID) else { return nil }
        // If the body is a stream of unknown length, the response to HEAD has neither a length nor chunks. So the end
        // of the connection marks the end of the response.
        if isHead, let stream, stream.length == nil {
            made.endByClosing()
            _ = handle.closeAfterAnswer()
        }
        if let transport, response.size > 0, !isHead { transport.joinHeaderAndBody() }
        guard made.queue(on: handle, status: response.status) else { return nil }
        return QueuedAnswer(response: response, size: isHead ? 0 : response.size, handle: made)
    }

    private func attend(_ stream: StreamReader) {
        if let events = stream.events {
            exchange.events = events
            exchange.hasWaited = true
            forgetFields()
            state.limitUnread(milliseconds: service.unreadMilliseconds)
        }
        stream.attend(ownSuspension(), allowing: service.unreadMilliseconds, isLast: exchange.isVersion10)
    }

    /// Frees the memory of the request that is not needed during a wait. Keeps the route, the trace and the client.
    func forgetFields() {
        if exchange.route == nil { exchange.route = service.responder.route(of: request) }
        if request.has(.traceparent) { _ = requestID }
        request.keepClient()
        request.parts.shrink(keepingTarget: service.configuration.accessLog != nil)
    }

    /// The identifier of the request: the trace identifier that the request carries, or otherwise a new identifier.
    private var requestID: RequestID {
        if let id = exchange.id { return id }
        let made = request.traceID ?? service.requestIDs.next()
        exchange.id = made
        return made
    }

    /// Adds the identifier of the request to a response of status 500 or above. Logs the request if the status is 500.
    private func named(_ response: Response) -> Response {
        let named = service.responder.response(response, naming: requestID.text)
        if response.status == 500 { log(.failed) }
        return named
    }

    /// Logs a fault in the answer. Returns the entry of the log.
    @discardableResult
    private func log(_ kind: RequestFault.Kind) -> RequestFault {
        let fault = RequestFault(
            id: requestID.text, method: request.method, target: LoggedTarget.text(of: request.targetText), kind: kind)
        service.configuration.faultLog?(fault)
        return fault
    }

    /// Counts a request that has ended. Logs the request if it was answered.
    func note(_ queued: QueuedAnswer?, completed: Bool) {
        let ended = EndedRequest(
            route: exchange.route ?? service.responder.route(of: request), method: request.method,
            status: queued?.response.status ?? 0, size: queued?.sentBytes ?? 0,
            nanoseconds: Int(ExactClock.nanoseconds - exchange.began), hasWaited: exchange.hasWaited,
            isComplete: completed)
        counters.note(ended)
        guard let queued else { return }
        service.configuration.accessLog?(AccessEntry(ended: ended, of: request, id: requestID.text))
        queued.response.payload.giveBack(queued.handle)
    }
}

extension QueuedAnswer {
    /// The number of bytes of the body that were sent. It is exact only for a stream; for other bodies, it is the whole
    /// size.
    fileprivate var sentBytes: Int { response.payload.stream?.written ?? size }
}

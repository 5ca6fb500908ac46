import CMicroHTTPD
import Synchronization

/// One client's connection: drives each request from its request line to the end of its response.
///
/// Only one of the library's threads uses it, except for its `state`.
@safe
final class Connection {
    let state: ConnectionState
    private let handle: OpaquePointer
    private let service: Service
    /// The hosts that requests may name; nil for all.
    private let hosts: AllowedHosts?
    /// Nil without TLS.
    private let transport: SecureTransport?
    private let request: Request
    private var phase = Phase.idle
    /// The target in the library's buffer, until the header has been read.
    private var rawTarget: Octets?
    /// Whether the request is HTTP/1.0, which has no chunked coding.
    private var isVersion10 = false
    /// The bytes that the library needs for the fields of the request in addition to their text.
    private var records = 0
    /// The number of bytes of the body that have arrived, kept or not.
    private var received = 0
    /// The maximum of it.
    private var bodyLimit = 0
    /// The body that is larger than the server's limit: when its time began, in milliseconds of the coarse clock.
    private var largeBodyBegan: Int64?
    private let counters: CounterShard
    /// The identifier of the request, once it was needed or had to be kept.
    private var id: RequestID?
    private var queued = QueuedAnswer.none
    /// The number of the request's route, once it had to be found.
    private var route: Int?
    /// Whether the request waits or has waited for an event.
    private var hasWaited = false
    /// Created when the connection sleeps for the first time.
    private var suspension: Suspension?
    private var waiter: Waiter?
    private var events: EventStream?
    /// When the request line was read, in nanoseconds of the exact clock.
    private var began: Int64 = 0
    /// Whether the last request was answered or abandoned before all of it was read.
    private var leavesInputUnread = false
    /// Whether a request has been answered.
    private var hasAnswered = false

    init(_ handle: OpaquePointer, service: Service) {
        unsafe self.handle = handle
        self.service = service
        counters = service.configuration.counters.shard
        request = unsafe Request(
            peer: PeerAddress.text(of: shim_connection_address(handle)), proxies: service.configuration.proxies)
        state = unsafe ConnectionState(
            descriptor: shim_connection_socket(handle), deadline: CoarseClock.now + service.deadlineMilliseconds,
            isSecure: service.configuration.certificates != nil)
        hosts = service.configuration.hosts(at: state.descriptor)
        let state = state
        transport = service.configuration.certificates.flatMap {
            unsafe SecureTransport(handle, state: state, certificates: $0, suspended: service.suspended)
        }
    }

    /// A request line has been read.
    func begin(target: Octets) {
        phase = .line
        state.wait(until: CoarseClock.now + service.deadlineMilliseconds)
        began = ExactClock.nanoseconds
        rawTarget = target
        request.parts.target.set(target)
    }

    /// The library's call for the header, then for each piece of the body, then for the response.
    ///
    /// - Returns: false to cut the connection.
    func proceed(
        method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, piece: UnsafeRawBufferPointer
    ) -> Bool {
        switch phase {
        case .line:
            guard let target = rawTarget else { return false }
            return readHeader(
                unsafe RequestLine(method: Octets(cString: method), target: target, version: Octets(cString: version)))
        case .body where unsafe piece.isEmpty: return respond()
        case .body:
            unsafe take(piece)
            return true
        case .waiting: return awaitAnswer()
        case .idle: return false
        case .answered: return true
        }
    }

    private func readHeader(_ line: RequestLine) -> Bool {
        phase = .body
        state.beginWork()
        received = 0
        isVersion10 = line.isVersion10
        request.parts.method = Method(line.method)
        unsafe MHD_get_connection_values_n(
            handle, .HEADER_KIND, collectField, Unmanaged.passUnretained(request).toOpaque())
        let size = unsafe shim_connection_header_size(handle)
        records = RequestMemory.records(of: request.parts.fields)
        if let fault = line.fault(strictly: Daemon.isOld)
            ?? request.normalizeTarget(
                isConnect: line.method.equals("CONNECT"), hosts: hosts)
        {
            return queueEarly(service.response(to: fault, target: ""))
        }
        if let fault = headerFault(
            HeaderCheck(line: line, size: size, hosts: hosts, strictly: Daemon.isOld))
        {
            return queueEarly(response(to: fault))
        }
        return announcesBody ? expectBody() : true
    }

    private func headerFault(_ check: HeaderCheck) -> Fault? {
        if let fault = request.parts.fault(by: check) { return fault }
        return RequestMemory.hasRoom(forHeader: RequestMemory.shortHeader, besideRecords: records)
            ? nil : .cookiesTooLong
    }

    private func response(to fault: Fault) -> Response { service.response(to: fault, target: request.targetText) }

    private var announcesBody: Bool {
        request.has(.transferEncoding)
            || request.parts.fields.first(.contentLength).map { $0.value.number != 0 } ?? false
    }

    /// Refuses the body if it must be refused: only now has none of it been requested.
    private func expectBody() -> Bool {
        if let refusal = service.refusal(of: request) { return queueEarly(refusal) }
        bodyLimit = service.configuration.bodyLimit
        if let length = request.parts.fields.first(.contentLength)?.value.number {
            let limit = service.bodyLimit(of: request)
            if length > limit { return queueEarly(response(to: .bodyTooLong(limit: limit))) }
            if length > bodyLimit, !expectLargeBody(bytes: length) { return queueEarly(response(to: .largeBody)) }
            bodyLimit = limit
        }
        return request.parts.fields.first(.transferEncoding).map(expectChunks) ?? true
    }

    /// Makes room for a body that is larger than the server's limit; false if there is none now.
    private func expectLargeBody(bytes: Int) -> Bool {
        guard service.largeBodies.enter(bytes: bytes) else { return false }
        request.parts.body.reserveCapacity(bytes)
        largeBodyBegan = CoarseClock.now
        return true
    }

    /// Ends the connection after a chunked body, so that nothing after the last chunk is read as a request.
    ///
    /// The library accepts line ends of chunks that other parsers do not, so for a proxy those bytes may be part of the
    /// body (RFC 9112, section 11.2).
    private func expectChunks(_ coding: FieldLine) -> Bool {
        leavesInputUnread = true
        guard closeAfterAnswer() else { return false }
        if coding.rawValue.matches("chunked") { return true }
        // Versions before 1.0 count white space after the coding as part of its name, and so do not find the end of the
        // body: only a response in this call, which ignores the body, is sent.
        return request.method.takesBody ? queueEarly(response(to: .transferEncodingSpace)) : respond()
    }

    /// Keeps a piece of the body; a body that is too long is read to its end or to the deadline, and then refused.
    private func take(_ piece: UnsafeRawBufferPointer) {
        received += piece.count
        guard request.method.takesBody, received <= bodyLimit else { return }
        if let began = largeBodyBegan {
            let time = service.deadlineMilliseconds + Int64(received) * 1000 / service.slowestSender
            state.work(until: began + time)
        }
        unsafe request.parts.body.append(contentsOf: piece)
    }

    private func respond() -> Bool {
        if let fault = bodyFault() { return closeAfterAnswer() && queue(response(to: fault)) }
        switch service.responder.respond(to: request) {
        case .now(let response): return queue(response)
        case .later(let waiter):
            phase = .waiting
            self.waiter = waiter
            hasWaited = waiter.awaitsEvent
            if !waiter.isBrief, waiter.end == nil { forgetFields() }
            return awaitAnswer()
        }
    }

    /// Frees memory that is not needed during the wait.
    private func forgetFields() {
        keepWhatNamesRequest()
        request.parts.shrink(keepingTarget: service.configuration.accessLog != nil)
    }

    /// Queues the response if there is one, and sleeps otherwise.
    private func awaitAnswer() -> Bool {
        guard let waiter else { return false }
        let suspension = suspension ?? makeSuspension()
        suspension.resumeFollowers()
        repeat {
            suspension.stayAwake()
            if waiter.end(elseWaking: suspension) != nil {
                self.waiter = nil
                return waiter.response.map(queue) ?? false
            }
        } while !suspension.sleep(for: waiter, until: waiter.deadline, isBrief: waiter.isBrief)
        return true
    }

    private func makeSuspension() -> Suspension {
        let made = unsafe Suspension(handle, state: state, suspended: service.suspended)
        suspension = made
        return made
    }

    private func bodyFault() -> Fault? {
        let isChunked = request.has(.transferEncoding)
        if received > bodyLimit {
            let mayBeLarger = isChunked && service.bodyLimit(of: request) > bodyLimit
            return mayBeLarger ? .chunksTooLong(limit: bodyLimit) : .bodyTooLong(limit: bodyLimit)
        }
        guard isChunked else { return nil }
        let count = request.parts.fields.count
        unsafe MHD_get_connection_values_n(
            handle, .FOOTER_KIND, collectField, Unmanaged.passUnretained(request).toOpaque())
        defer { request.parts.fields.removeAll(from: count) }
        return HeaderCheck.trailerFault(in: request.parts.fields, from: count)
    }

    /// Responds in the first call: the library then closes the connection without reading a body.
    private func queueEarly(_ response: Response) -> Bool {
        leavesInputUnread = true
        return queue(response)
    }

    /// Passes the response to the library, or a replacement if it cannot be sent.
    private func queue(_ response: Response) -> Bool {
        let response = response.status < 500 ? response : named(response)
        let hasRoom = hasRoom(for: response)
        if hasRoom, send(response) { return true }
        if hasRoom, response.payload.lacksMemory {
            return send(named(service.responder.responseWithoutMemory(target: request.targetText)))
        }
        let unsent = UnsentAnswer(
            id: requestID.text, method: request.method, target: LoggedTarget.text(of: request.targetText),
            status: response.status, headerSize: response.payload.headerSize, isTooLong: !hasRoom)
        let substitute = service.response(inPlaceOf: unsent)
        return self.hasRoom(for: substitute) && send(substitute)
    }

    private func hasRoom(for response: Response) -> Bool {
        RequestMemory.hasRoom(
            forHeader: response.payload.headerSize + Response.requestLine, besideRecords: records)
    }

    /// Passes the response to the library.
    ///
    /// - Returns: false if the library refuses it.
    private func send(_ response: Response) -> Bool {
        phase = .answered
        state.send(at: CoarseClock.now, patience: service.deadlineMilliseconds)
        if service.draining.load(ordering: .relaxed) { _ = closeAfterAnswer() }
        if let stream = response.payload.stream { attend(stream) }
        guard let named = response.payload.handle(naming: requestID), let answer = unsafe named.pointer else {
            return false
        }
        if request.method == .head, let stream = response.payload.stream, stream.length == nil {
            unsafe endByClosing(answer)
        }
        if let transport, response.size > 0, request.method != .head { transport.joinHeaderAndBody() }
        guard unsafe MHD_queue_response(handle, UInt32(clamping: response.status), answer) == .YES else { return false }
        queued = QueuedAnswer(response, size: request.method == .head ? 0 : response.size, handle: named)
        return true
    }

    private func attend(_ stream: StreamReader) {
        if let events = stream.events {
            self.events = events
            hasWaited = true
            forgetFields()
            state.limitUnread(milliseconds: service.unreadMilliseconds)
        }
        stream.attend(
            suspension ?? makeSuspension(), allowing: service.unreadMilliseconds, isLast: isVersion10)
    }

    /// The response to HEAD has neither a length nor chunks if the body is a stream: it ends with the connection.
    private func endByClosing(_ answer: OpaquePointer) {
        _ = unsafe shim_end_by_closing(answer)
        _ = closeAfterAnswer()
    }

    /// Closes the connection after the response, which says so, as if the client had asked for it.
    ///
    /// - Returns: false if there is no memory for it.
    private func closeAfterAnswer() -> Bool {
        let name: StaticString = "Connection"
        let value: StaticString = "close"
        return unsafe MHD_set_connection_value(
            handle, .HEADER_KIND, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(value.utf8Start).assumingMemoryBound(to: CChar.self)) == .YES
    }

    /// The response has been sent, or never will be.
    func finish(completed: Bool) {
        state.wait(until: CoarseClock.now + service.idleMilliseconds)
        closeIfEnded()
        // The library has ended it without asking for the answer.
        if phase == .waiting { suspension?.resumeFollowers() }
        if phase != .answered && phase != .waiting { leavesInputUnread = true }
        phase = .idle
        waiter = nil
        if largeBodyBegan.take() != nil { service.largeBodies.leave() }
        events.take()?.finish(completed ? .complete : .clientGone)
        note(completed: completed)
        request.reset()
    }

    /// Closes the connection after its first response if the client has stopped sending.
    ///
    /// Clients that stop sending with a request usually send only one. The reaper closes the other connections, so that no
    /// later request pays for the check.
    private func closeIfEnded() {
        guard !hasAnswered else { return }
        hasAnswered = true
        if state.hasEnded { state.endReading() }
    }

    /// Whether closing the socket now could lose the end of the response (RFC 9112, section 9.6).
    var needsLingering: Bool { leavesInputUnread || state.hasUnread }

    func noteOpened() { counters.add(at: counters.layout.connectionsOpened) }
    func noteClosed() { counters.add(at: counters.layout.connectionsClosed) }

    /// Finds the route and the trace while the target and the fields are known.
    private func keepWhatNamesRequest() {
        if route == nil { route = service.responder.route(of: request) }
        if request.has(.traceparent) { _ = requestID }
        request.keepClient()
    }

    /// The trace that the request belongs to, else an identifier of its own.
    private var requestID: RequestID {
        if let id { return id }
        let made = request.traceID ?? service.requestIDs.next()
        id = made
        return made
    }

    /// A response of a fault with the identifier of the request.
    private func named(_ response: Response) -> Response {
        let named = service.responder.response(response, naming: requestID.text)
        if response.status == 500 {
            service.configuration.failureLog?(
                FailedAnswer(
                    id: requestID.text, method: request.method,
                    target: LoggedTarget.text(of: request.targetText)))
        }
        return named
    }

    /// Counts and logs the request, which has ended.
    private func note(completed: Bool) {
        let ended = EndedRequest(
            route: route ?? service.responder.route(of: request), method: request.method, status: queued.status,
            size: queued.stream?.written ?? queued.size, nanoseconds: Int(ExactClock.nanoseconds - began),
            hasWaited: hasWaited, isComplete: completed)
        counters.note(ended)
        if let log = service.configuration.accessLog, queued.status > 0 {
            log(AccessEntry(ended, of: request, id: requestID.text))
        }
        if let handle = queued.handle { queued.payload?.giveBack(handle) }
        queued = .none
        id = nil
        route = nil
        hasWaited = false
    }
}

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

/// One client's connection, which handles each request from its request line to the end of its response.
///
/// Only one of the library's threads uses a connection. Other threads use only its `state`.
final class Connection {
    let state: ConnectionState
    let handle: ConnectionHandle
    let service: Service
    let request: Request
    /// The input and output of the TLS session; nil without TLS.
    let transport: SecureTransport?
    let counters: CounterShard
    private let reader: RequestReader
    private var phase = Phase.idle
    var exchange = Exchange()
    /// Created when the connection is put to sleep for the first time.
    private var suspension: Suspension?
    /// Whether a request was answered or abandoned before all of it was read.
    private var leavesInputUnread = false
    private var hasAnswered = false

    private enum Phase {
        case idle
        /// The request line has been read; the target is in the library's buffer.
        case line(target: Octets)
        /// The header has been read and is well-formed. The library's next call is for a piece of the body or for the
        /// response.
        case body(RequestBody)
        /// The response will be ready later.
        case waiting(Waiter)
        /// The library has taken the response; nil if no response could be sent.
        case answered(QueuedAnswer?)
    }

    init(handle: ConnectionHandle, service: Service) {
        self.handle = handle
        self.service = service
        let configuration = service.configuration
        counters = configuration.counters.shard
        request = Request(peer: handle.peer, proxies: configuration.proxies)
        let state = ConnectionState(
            descriptor: handle.descriptor, deadline: CoarseClock.now + service.deadlineMilliseconds,
            isSecure: configuration.certificates != nil)
        self.state = state
        reader = RequestReader(
            handle: handle, service: service, request: request, hosts: configuration.hosts(at: state.descriptor))
        transport = configuration.certificates.flatMap {
            SecureTransport(handle: handle, state: state, certificates: $0, suspended: service.suspended)
        }
    }

    /// Begins a request, whose request line has been read.
    func begin(target: Octets) {
        phase = .line(target: target)
        state.wait(until: CoarseClock.now + service.deadlineMilliseconds)
        exchange.began = ExactClock.nanoseconds
        request.parts.target.set(target)
    }

    /// Handles the library's call for the header, then for each piece of the body, then for the response.
    ///
    /// - Parameter piece: empty for the header and for the response.
    /// - Returns: false to cut the connection.
    func proceed(method: Octets, version: Octets, piece: Octets) -> Bool {
        switch phase {
        case .line(let target): return readHeader(RequestLine(method: method, target: target, version: version))
        case .body(let body) where piece.count == 0: return respond(after: body)
        case .body(var body):
            reader.read(piece, of: &body)
            phase = .body(body)
            if let deadline = body.deadline { state.work(until: deadline) }
            return true
        case .waiting(let waiter): return awaitAnswer(waiter)
        case .idle: return false
        case .answered: return true
        }
    }

    private func readHeader(_ line: RequestLine) -> Bool {
        state.beginWork()
        exchange.isVersion10 = line.isVersion10
        exchange.records = reader.readFields(of: line)
        switch reader.check(line, records: exchange.records) {
        case .accepted(let body):
            phase = .body(body)
            exchange.largeBody = body.large
            guard body.isChunked else { return true }
            leavesInputUnread = true
            return handle.closeAfterAnswer()
        case .refused(let response):
            leavesInputUnread = true
            if hasRoom(for: response) { return queue(response) }
            phase = .answered(write(response))
            return false
        case .undecodable:
            leavesInputUnread = true
            return handle.closeAfterAnswer() && respond(after: .none)
        }
    }

    private func respond(after body: RequestBody) -> Bool {
        if let fault = reader.fault(of: body) { return handle.closeAfterAnswer() && queue(reader.response(to: fault)) }
        switch service.responder.respond(to: request) {
        case .now(let response): return queue(response)
        case .later(let waiter):
            phase = .waiting(waiter)
            exchange.hasWaited = waiter.awaitsEvent
            if !waiter.isBrief, !waiter.hasEnded { forgetFields() }
            return awaitAnswer(waiter)
        }
    }

    /// Queues the response if the wait has ended; otherwise puts the connection to sleep.
    ///
    /// - Returns: false to cut the connection.
    private func awaitAnswer(_ waiter: Waiter) -> Bool {
        let suspension = ownSuspension()
        suspension.resumeFollowers()
        repeat {
            suspension.stayAwake()
            if waiter.hasEnded(elseWaking: suspension) { return waiter.response.map(queue) ?? false }
        } while !suspension.sleep(for: waiter, until: waiter.deadline, isBrief: waiter.isBrief)
        return true
    }

    func ownSuspension() -> Suspension {
        if let suspension { return suspension }
        let made = Suspension(handle: handle, state: state, suspended: service.suspended)
        suspension = made
        return made
    }

    /// Passes the response to the library, or a replacement if the response cannot be sent. Returns false to cut the
    /// connection.
    private func queue(_ response: Response) -> Bool {
        phase = .answered(nil)
        guard let queued = send(response) else { return false }
        phase = .answered(queued)
        return true
    }

    /// Ends the request: its response has been sent, or will never be sent.
    func finish(completed: Bool) {
        state.wait(until: CoarseClock.now + service.idleMilliseconds)
        closeIfEnded()
        var queued: QueuedAnswer?
        switch phase {
        case .answered(let answer): queued = answer
        // The library has ended the request without asking for the response.
        case .waiting: suspension?.resumeFollowers()
        case .idle, .line, .body: leavesInputUnread = true
        }
        phase = .idle
        exchange.events?.finish()
        note(queued, completed: completed)
        request.reset()
        exchange = Exchange()
    }

    /// Closes the connection after its first response if the client has stopped sending.
    ///
    /// A client that stops sending after a request usually sends only that request. If a client stops sending later,
    /// the reaper closes its connection. So only the first response needs this check.
    private func closeIfEnded() {
        guard !hasAnswered else { return }
        hasAnswered = true
        if state.hasEnded { state.endReading() }
    }

    /// Whether closing the socket now could lose the end of the response (RFC 9112, section 9.6).
    var needsLingering: Bool { leavesInputUnread || state.hasUnread }
}

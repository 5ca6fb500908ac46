import CMicroHTTPD
import Glibc
import Synchronization

/// One client's connection: drives each request on it from its request line to the end of its answer.
///
/// Used by one of the library's threads only, but for its `state`.
@safe
final class Connection {
    private let handle: OpaquePointer
    private let service: Service
    private let request: Request
    let state: ConnectionState
    private var phase = Phase.idle
    private var status = 0
    private var began = ContinuousClock.now
    /// Where the target lies in the library's buffer, until the first call.
    private var rawTarget: UnsafePointer<CChar>?

    /// How far the request on this connection has come.
    private enum Phase {
        case idle
        /// The request line has been read.
        case line
        /// The header has been checked; the body comes, or the call to answer.
        case body
        case answered
    }

    init(_ handle: OpaquePointer, service: Service) {
        unsafe self.handle = handle
        self.service = service
        request = unsafe Request(peer: PeerAddress.text(of: shim_connection_address(handle)))
        state = unsafe ConnectionState(
            descriptor: shim_connection_socket(handle), deadline: CoarseClock.now + service.deadlineMilliseconds)
    }

    /// A request line has been read.
    func begin(target: UnsafePointer<CChar>) {
        phase = .line
        state.set(deadline: CoarseClock.now + service.deadlineMilliseconds, busy: true)
        if service.configuration.accessLog != nil { began = ContinuousClock.now }
        unsafe rawTarget = target
        let bytes = unsafe UnsafeRawBufferPointer(start: target, count: strlen(target))
        unsafe request.setTarget(bytes.assumingMemoryBound(to: UInt8.self))
    }

    /// The library's call for the header, then for each piece of the body, then for the answer.
    func proceed(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, piece: UnsafeRawBufferPointer) -> Bool {
        switch phase {
        case .line: return unsafe readHeader(method: method, version: version)
        case .body where unsafe piece.isEmpty: return queue(service.responder.respond(to: request))
        case .body: return unsafe take(piece)
        case .idle: return false
        case .answered: return true
        }
    }

    private func readHeader(method: UnsafePointer<CChar>, version: UnsafePointer<CChar>) -> Bool {
        let name = unsafe UnsafeRawBufferPointer(start: method, count: strlen(method))
        request.storedMethod = unsafe Method(name.assumingMemoryBound(to: UInt8.self))
        _ = unsafe MHD_get_connection_values_n(
            handle, .HEADER_KIND, collectField, Unmanaged.passUnretained(request).toOpaque())
        phase = .body
        guard request.hasAny(of: FieldName.Set(.contentLength, .transferEncoding)) else { return true }
        if let length = request.field(.contentLength).flatMap({ Int($0) }), length > service.configuration.bodyLimit {
            return queue(service.responder.response(toBadRequest: "The body is too long.", status: 413))
        }
        if let refusal = service.responder.refusal(of: request) { return queue(refusal) }
        return true
    }

    private func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        guard request.storedBody.count + piece.count <= service.configuration.bodyLimit else { return false }
        unsafe request.storedBody.append(contentsOf: piece)
        return true
    }

    /// Hands the answer to the library.
    private func queue(_ response: Response) -> Bool {
        phase = .answered
        status = response.status
        let time = service.deadlineMilliseconds + Int64(response.body.count) / 16
        state.set(deadline: CoarseClock.now + time, busy: true)
        if service.draining.load(ordering: .relaxed) { closeAfterAnswer() }
        guard let answer = unsafe response.handle.pointer else { return false }
        return unsafe MHD_queue_response(handle, UInt32(response.status), answer) == .YES
    }

    /// To the library it is as if the client had asked for it, and it says so in the answer.
    private func closeAfterAnswer() {
        let name: StaticString = "Connection"
        let value: StaticString = "close"
        _ = unsafe MHD_set_connection_value(
            handle, .HEADER_KIND, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
            UnsafeRawPointer(value.utf8Start).assumingMemoryBound(to: CChar.self))
    }

    /// The answer has been sent, or never will be.
    func finish(completed: Bool) {
        log(completed: completed)
        phase = .idle
        state.set(deadline: CoarseClock.now + service.idleMilliseconds, busy: false)
        request.fields.removeAll()
        if !request.storedBody.isEmpty { request.storedBody.removeAll() }
    }

    private func log(completed: Bool) {
        guard let accessLog = service.configuration.accessLog else { return }
        accessLog(
            AccessEntry(
                peer: request.peer, method: request.method, target: request.targetText, status: status,
                duration: ContinuousClock.now - began, completed: completed))
    }
}

extension Request {
    /// The target as text, for logs.
    var targetText: String {
        unsafe target.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

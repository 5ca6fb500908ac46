import CMicroHTTPD
import Heap
import Locking

/// Reads and checks the requests of one connection.
struct RequestReader {
    let handle: ConnectionHandle
    let service: Service
    let request: Request
    /// The hosts that requests may name; nil for all.
    let hosts: AllowedHosts?

    enum Header {
        /// The library's next call is for a piece of the body or for the response.
        case accepted(RequestBody)
        /// The response is sent without reading a body.
        case refused(Response)
        /// The request is answered without its body, because the library would not find the end of the body.
        case undecodable
    }

    /// Reads the method and the fields. Returns the number of bytes that the library needs for the fields in addition
    /// to their text.
    func readFields(of line: RequestLine) -> Int {
        request.parts.method = Method(line.method)
        request.appendFields(.HEADER_KIND, of: handle)
        return RequestMemory.records(of: request.parts.fields)
    }

    /// Checks the request line and the fields against HTTP and the server's limits.
    func check(_ line: RequestLine, records: Int) -> Header {
        if let fault = line.fault(strictly: Daemon.isOld)
            ?? request.normalizeTarget(isConnect: line.method.equals("CONNECT"), hosts: hosts)
        {
            return .refused(service.response(to: fault, target: ""))
        }
        request.removeBasePath(service.configuration.basePath)
        let check = HeaderCheck(line: line, size: handle.headerSize, hosts: hosts, strictly: Daemon.isOld)
        if let fault = request.parts.fault(by: check) { return .refused(response(to: fault)) }
        guard RequestMemory.hasRoom(forHeader: RequestMemory.shortHeader, besideRecords: records) else {
            return .refused(response(to: .cookiesTooLong))
        }
        return announcesBody ? expectBody() : .accepted(.none)
    }

    func response(to fault: Fault) -> Response { service.response(to: fault, target: request.targetText) }

    private var announcesBody: Bool {
        request.has(.transferEncoding)
            || request.parts.fields.first(.contentLength).map { $0.value.number != 0 } ?? false
    }

    /// Prepares for the body, or refuses it if necessary. The client has not yet been asked to send the body.
    private func expectBody() -> Header {
        if let refusal = service.responder.refusal(of: request) { return .refused(refusal) }
        var body = RequestBody(limit: service.configuration.bodyLimit)
        if let length = request.parts.fields.first(.contentLength)?.value.number {
            let limit = service.bodyLimit(of: request)
            if length > limit { return .refused(response(to: .bodyTooLong(limit: limit))) }
            if length > body.limit {
                body.large = service.largeBodies.admit(bytes: length)
                guard body.large != nil else { return .refused(response(to: .largeBody)) }
                request.parts.body.reserveCapacity(length)
            } else if !MemoryBudget.hasRoom(forBuffer: length) {
                return .refused(response(to: .largeBody))
            }
            body.limit = limit
        }
        guard let coding = request.parts.fields.first(.transferEncoding) else { return .accepted(body) }
        // The library accepts chunk line ends that other parsers reject. So a proxy may take the bytes after the last
        // chunk as part of the body (RFC 9112, section 11.2). None of these bytes is read as a request.
        body.isChunked = true
        if coding.rawValue.matches("chunked") { return .accepted(body) }
        // Versions before 1.0 take white space after the coding as part of its name, and so do not find the end of the
        // body. Only a response that is queued in this call is sent, because such a response does not wait for the
        // body.
        return request.method.takesBody ? .refused(response(to: .transferEncodingSpace)) : .undecodable
    }

    /// Keeps a piece of the body. A body that is too long is read to its end or until the deadline, and then refused.
    func read(_ piece: Octets, of body: inout RequestBody) {
        body.received += piece.count
        body.deadline = nil
        guard request.method.takesBody, body.received <= body.limit else { return }
        if let large = body.large {
            let time = service.deadlineMilliseconds + Int64(body.received) * 1000 / service.slowestSender
            body.deadline = large.began + time
        }
        piece.append(to: &request.parts.body)
    }

    func fault(of body: RequestBody) -> Fault? {
        if body.received > body.limit {
            let mayBeLarger = body.isChunked && service.bodyLimit(of: request) > body.limit
            return mayBeLarger ? .chunksTooLong(limit: body.limit) : .bodyTooLong(limit: body.limit)
        }
        guard body.isChunked else { return nil }
        let count = request.parts.fields.count
        request.appendFields(.FOOTER_KIND, of: handle)
        defer { request.parts.fields.removeAll(from: count) }
        return HeaderCheck.trailerFault(in: request.parts.fields, from: count)
    }
}

/// The progress of a request's body.
struct RequestBody {
    var limit: Int
    var isChunked = false
    /// The number of bytes that have arrived, including bytes that were not kept.
    var received = 0
    /// The place of a body that is larger than the server's limit; otherwise nil.
    var large: LargeBody?
    /// The new deadline of a large body, in milliseconds of the coarse clock; nil if the deadline does not change.
    var deadline: Int64?

    static let none = RequestBody(limit: 0)
}

/// Admits bodies that are larger than the server's limit, one at a time, so that the memory for bodies is bounded.
final class LargeBodies: Sendable {
    private struct Current {
        weak var body: LargeBody?
    }

    private let current = Guarded(Current())

    /// Admits a body. Returns nil if another large body has the place, or if memory is lacking.
    ///
    /// The place becomes free when nothing refers to the returned object any more.
    func admit(bytes: Int) -> LargeBody? {
        current.withLock { current in
            guard current.body == nil, let memory = MemoryBudget.reserve(bytes) else { return nil }
            let admitted = LargeBody(memory)
            current.body = admitted
            return admitted
        }
    }
}

final class LargeBody: Sendable {
    /// The time at which the body was admitted, in milliseconds of the coarse clock.
    let began = CoarseClock.now
    private let memory: MemoryReservation

    fileprivate init(_ memory: MemoryReservation) { self.memory = memory }
}

import CGnuTLS
import Glibc

/// Reads and writes the TLS records of a connection, and holds the state of its handshake.
///
/// The transport saves system calls: it reads a record in one call instead of two, and sends the header of a response
/// together with the body. Only the connection's own thread uses the transport. The transport outlives the library's
/// session.
@safe
final class SecureTransport {
    private let session: gnutls_session_t
    private let state: ConnectionState
    private let certificates: Certificates
    /// The certificate pair of the handshake. The session refers to its memory.
    private var pair: CertificatePair?
    /// Puts the connection to sleep during the handshake; nil afterwards.
    private var handshake: HandshakePause?
    /// Bytes that were read from the socket and that the session has not yet taken.
    private let ahead: UnsafeMutableRawBufferPointer
    private var aheadRange = 0..<0
    /// A record that will be sent together with the next record.
    private let held: UnsafeMutableRawBufferPointer
    private var heldRange = 0..<0
    private var holdsNext = false

    private static let bufferBytes = 2 << 10

    /// Takes over the input and output of a connection's session; nil without TLS.
    init?(
        handle: ConnectionHandle, state: ConnectionState, certificates: Certificates, suspended: SuspendedConnections
    ) {
        guard let session = unsafe handle.session else { return nil }
        unsafe self.session = gnutls_session_t(session)
        self.state = state
        self.certificates = certificates
        unsafe ahead = .allocate(byteCount: Self.bufferBytes, alignment: 1)
        unsafe held = .allocate(byteCount: Self.bufferBytes, alignment: 1)
        handshake = HandshakePause(handle: handle, state: state, suspended: suspended)
        let own = unsafe self.session
        unsafe gnutls_transport_set_ptr(own, Unmanaged.passUnretained(self).toOpaque())
        unsafe gnutls_transport_set_pull_function(own, pullRecords)
        unsafe gnutls_transport_set_vec_push_function(own, pushRecords)
        unsafe gnutls_handshake_set_hook_function(
            own, GNUTLS_HANDSHAKE_FINISHED.rawValue, Int32(bitPattern: UInt32(GNUTLS_HOOK_POST)), finishHandshake)
    }

    deinit {
        unsafe ahead.deallocate()
        unsafe held.deallocate()
    }

    /// Returns the current pair for the handshake that has begun, and keeps it.
    func beginHandshake() -> CertificatePair {
        let current = certificates.current
        pair = current
        return current
    }

    /// Notes that the client has finished the handshake. From now on, the library itself notices that the socket has
    /// nothing to read.
    func endHandshake() { handshake = nil }

    // MARK: Input

    /// Reads from the socket, like `recv(2)`.
    func pull(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if aheadRange.isEmpty, let outcome = unsafe readMore(elseInto: buffer) { return outcome }
        let count = min(buffer.count, aheadRange.count)
        let piece = unsafe UnsafeRawBufferPointer(rebasing: ahead[aheadRange.prefix(count)])
        unsafe buffer.copyMemory(from: piece)
        aheadRange = aheadRange.dropFirst(count)
        return count
    }

    /// Reads ahead. Reads directly into the session's buffer if that is at least as large as the buffer for reading
    /// ahead.
    ///
    /// - Returns: the result for the session; nil if bytes were read ahead.
    private func readMore(elseInto buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let isDirect = buffer.count >= Self.bufferBytes
        let count = unsafe receive(into: isDirect ? buffer : ahead)
        guard count > 0 else { return count }
        if isDirect { return count }
        aheadRange = 0..<count
        return nil
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = unsafe recv(state.descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return count }
            let code = errno
            if code == EINTR { continue }
            if code == EAGAIN, let handshake, !handshake.sleep() { return 0 }
            unsafe gnutls_transport_set_errno(session, code)
            return -1
        }
    }

    // MARK: Output

    /// Holds the next record, the header of a response, and sends it together with the record after it, the body.
    ///
    /// Call this only if the body follows immediately.
    func joinHeaderAndBody() { holdsNext = true }

    /// Sends a whole message without the library, as far as the socket takes it at once.
    func write(_ message: [UInt8]) { _ = unsafe gnutls_record_send(session, message, message.count) }

    /// Writes to the socket, like `writev(2)`.
    func push(_ pieces: UnsafeBufferPointer<iovec>) -> Int {
        if holdsNext {
            holdsNext = false
            if let count = unsafe hold(pieces) { return count }
        }
        return heldRange.isEmpty ? unsafe send(pieces) : unsafe sendHeld(before: pieces)
    }

    /// Keeps a record for the next call, and returns its size; nil if the record is too large or another record is
    /// kept.
    private func hold(_ pieces: UnsafeBufferPointer<iovec>) -> Int? {
        let size = unsafe pieces.reduce(0) { unsafe $0 + $1.iov_len }
        guard heldRange.isEmpty, size <= Self.bufferBytes else { return nil }
        var end = 0
        for index in pieces.indices {
            let bytes = unsafe UnsafeRawBufferPointer(start: pieces[index].iov_base, count: pieces[index].iov_len)
            unsafe UnsafeMutableRawBufferPointer(rebasing: held[end...]).copyMemory(from: bytes)
            end += bytes.count
        }
        heldRange = 0..<end
        return size
    }

    private func sendHeld(before pieces: UnsafeBufferPointer<iovec>) -> Int {
        let waiting = unsafe UnsafeMutableRawBufferPointer(rebasing: held[heldRange])
        let sent = unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count + 1) { all in
            unsafe all[0] = unsafe iovec(iov_base: waiting.baseAddress, iov_len: waiting.count)
            for index in pieces.indices { unsafe all[index + 1] = unsafe pieces[index] }
            return unsafe send(UnsafeBufferPointer(all))
        }
        guard sent >= 0 else { return sent }
        heldRange = heldRange.dropFirst(min(sent, waiting.count))
        if sent > waiting.count || pieces.isEmpty { return sent - waiting.count }
        unsafe gnutls_transport_set_errno(session, EAGAIN)
        return -1
    }

    private func send(_ pieces: UnsafeBufferPointer<iovec>) -> Int {
        var message = unsafe msghdr()
        unsafe message.msg_iov = UnsafeMutablePointer(mutating: pieces.baseAddress)
        unsafe message.msg_iovlen = pieces.count
        let count = unsafe sendmsg(state.descriptor, &message, Int32(MSG_NOSIGNAL))
        if count < 0 { unsafe gnutls_transport_set_errno(session, errno) }
        return count
    }
}

/// Puts a connection to sleep during its handshake until the client sends something.
///
/// During a handshake, the library does not notice that the socket has nothing to read. It would try again without a
/// pause, and one slow client would occupy a whole processor.
///
/// Sendable, because all mutable state is in the suspension.
final class HandshakePause: Sleeper {
    private let suspension: Suspension
    /// The time at which the first request must have arrived, in milliseconds of the coarse clock.
    private let deadline: Int64

    init(handle: ConnectionHandle, state: ConnectionState, suspended: SuspendedConnections) {
        suspension = Suspension(handle: handle, state: state, suspended: suspended, wakesOnInput: true)
        deadline = state.deadline
    }

    /// Puts the connection to sleep until the client sends something. Returns false if the deadline has passed.
    func sleep() -> Bool {
        // The previous sleep has extended the deadline of the connection.
        suspension.state.wait(until: deadline)
        guard CoarseClock.now < deadline else { return false }
        suspension.stayAwake()
        _ = suspension.sleep(for: self, until: deadline)
        return true
    }

    func timeIsOver() { suspension.wake() }
    func clientHasGone() { suspension.wake() }
    func serverStops() { suspension.wake() }
}

// GnuTLS's callbacks: each recovers its object, calls one method, and converts the result.

/// gnutls_pull_func.
func pullRecords(_ context: gnutls_transport_ptr_t?, _ buffer: UnsafeMutableRawPointer?, _ size: Int) -> Int {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef {
        unsafe $0.pull(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
    }
}

/// gnutls_vec_push_func.
func pushRecords(_ context: gnutls_transport_ptr_t?, pieces: UnsafePointer<giovec_t>?, count: Int32) -> Int {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef {
        unsafe $0.push(UnsafeBufferPointer(start: pieces, count: Int(count)))
    }
}

/// gnutls_certificate_retrieve_function2. The returned pointers stay valid until the connection is closed.
func retrieveCertificate(
    _ session: gnutls_session_t?, names: UnsafePointer<gnutls_datum_t>?, nameCount: Int32,
    algorithms: UnsafePointer<gnutls_pk_algorithm_t>?, algorithmCount: Int32,
    chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, count: UnsafeMutablePointer<UInt32>?,
    key: UnsafeMutablePointer<gnutls_privkey_t?>?
) -> Int32 {
    guard let context = unsafe gnutls_transport_get_ptr(session), let chain = unsafe chain, let count = unsafe count,
        let key = unsafe key
    else { return -1 }
    let pair = unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.beginHandshake() }
    unsafe chain.pointee = pair.chain.start
    unsafe count.pointee = pair.chain.count
    unsafe key.pointee = pair.key.pointer
    return 0
}

/// gnutls_handshake_hook_func, for the message Finished.
func finishHandshake(
    _ session: gnutls_session_t?, type: UInt32, when: UInt32, isIncoming: UInt32,
    message: UnsafePointer<gnutls_datum_t>?
) -> Int32 {
    guard isIncoming != 0, let context = unsafe gnutls_transport_get_ptr(session) else { return 0 }
    unsafe Unmanaged<SecureTransport>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.endHandshake() }
    return 0
}

import Glibc

/// A minimal client: it sends given bytes, and reads the answer.
final class RawClient {
    private let descriptor: Int32
    private var unread: [UInt8] = []
    /// Nil without TLS.
    private var session: TLSSession?

    struct Failure: Error { let call: String }

    /// Connects to this machine.
    ///
    /// - Parameter trusted: the certificate to expect, in PEM form; with it the client speaks TLS.
    init(port: UInt16, trusting trusted: String? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // Where this throws, `deinit` closes: all properties have their values.
        guard let address = RawClient.loopback(port), RawClient.connected(descriptor, to: address) else {
            throw Failure(call: "connect")
        }
        // A test that waits for what never comes must fail, not hang.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        session = try trusted.map { try TLSSession(descriptor, trusting: $0) }
    }

    /// Connects to a Unix domain socket.
    init(unixSocket path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let outcome = unsafe withUnsafePointer(to: &address) {
            let raw = unsafe UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
            return unsafe connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
        guard outcome == 0 else { throw Failure(call: "connect") }
    }

    deinit { close(descriptor) }

    private static func loopback(_ port: UInt16) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return unsafe inet_pton(AF_INET, "127.0.0.1", &address.sin_addr) == 1 ? address : nil
    }

    private static func connected(_ descriptor: Int32, to address: sockaddr_in) -> Bool {
        var address = address
        return unsafe withUnsafePointer(to: &address) {
            let raw = unsafe UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self)
            return unsafe connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }

    /// Sends text; false where the server has gone.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe session?.send($0) ?? Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Says that nothing more will be sent.
    func finishSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// All that comes until the server closes.
    func readToEnd() throws -> String {
        while try receive() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// The next answer.
    /// - Parameter toHead: whether it answers HEAD, and so lacks a body in spite of its length.
    func readAnswer(toHead: Bool = false) throws -> RawAnswer {
        // A large answer is not looked at again with every piece of it that comes.
        var least = 0
        while true {
            if least == 0 { least = toHead ? 0 : RawAnswer.announcedSize(in: unread) ?? 0 }
            if unread.count >= least || unread.suffix(5) == RawAnswer.lastChunk {
                if let (answer, size) = RawAnswer.parse(unread, toHead: toHead, isAtEnd: false) {
                    unread.removeFirst(size)
                    return answer
                }
                if unread.count > 1 << 20 { least = max(least, 2 * unread.count) }
            }
            guard try receive() else { break }
        }
        guard let (answer, _) = RawAnswer.parse(unread, toHead: toHead, isAtEnd: true) else {
            throw Failure(call: "no whole answer in: \(String(decoding: unread, as: UTF8.self))")
        }
        unread = []
        return answer
    }

    /// The header of the next answer, while its body is still to come.
    func readHead() throws -> RawAnswer {
        while true {
            if let (head, size) = RawAnswer.parse(unread, toHead: true, isAtEnd: false) {
                unread.removeFirst(size)
                return head
            }
            guard try receive() else { throw Failure(call: "no header") }
        }
    }

    /// The next chunk of a body whose header was read.
    func readChunk() throws -> String {
        while true {
            if let (chunk, size) = RawAnswer.chunk(unread) {
                unread.removeFirst(size)
                return chunk
            }
            guard try receive() else { throw Failure(call: "no chunk") }
        }
    }

    /// Waits for the first bytes of an answer.
    func readSome() throws { _ = try receive() }

    /// Reads once; false at the end.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe session?.receive($0) ?? recv(descriptor, $0.baseAddress, $0.count, 0)
        }
        if count > 0 { unread += buffer[..<count] }
        if count < 0, errno != ECONNRESET { throw Failure(call: "recv: \(errno)") }
        return count > 0
    }
}

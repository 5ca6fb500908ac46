import Foundation
import Locking

/// A web server that answers as a test says, byte for byte; on 127.0.0.1, and gone with the test.
final class StubOrigin: Sendable {
    /// A request as it came in.
    struct Request: Sendable {
        /// `GET /Data.plist HTTP/1.1`.
        let line: String
        /// By their names in lower case.
        let fields: [String: String]

        var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
    }

    /// The answer to a request.
    enum Answer: Sendable {
        case bytes([UInt8])
        /// The same, after which the connection is closed.
        case last([UInt8])
        /// One piece, and another one again and again until nobody takes them any more; a client that takes 64 MiB
        /// has missed its limit, and gets the end so that its test fails in place of hanging.
        case endless([UInt8], piece: [UInt8])
        /// Nothing, until the other side goes away.
        case silence
    }

    let port: UInt16
    private let listener: Int32
    private let open = Guarded<Set<Int32>>([])
    private let isStopped = Guarded(false)
    private let asked = Guarded<[Request]>([])
    private let arrivals = DispatchSemaphore(value: 0)
    private let answer: @Sendable (Request) -> Answer

    /// - Parameter answer: returns the answer; it may wait.
    init(port: UInt16 = 0, _ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var yes: Int32 = 1
        unsafe setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                unsafe bind(listener, general, size) | listen(listener, 64) | getsockname(listener, general, &size)
            }
        }
        guard failure == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        self.port = UInt16(bigEndian: address.sin_port)
        let open = open
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                guard let self else {
                    close(connection)
                    break
                }
                open.withLock { _ = $0.insert(connection) }
                self.serve(connection)
            }
            close(listener)
        }
    }

    deinit { stop() }

    /// Ends all connections, and takes no others.
    func stop() {
        // Once: afterwards its number may be another file's.
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        open.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    func callAsFunction(_ path: String = "/Data.plist") -> String { "http://127.0.0.1:\(port)\(path)" }

    var requests: [Request] { asked.withLock { $0 } }

    /// Waits until there were so many requests; false after twenty seconds without.
    func waits(forRequests count: Int) -> Bool {
        while requests.count < count {
            guard arrivals.wait(timeout: .now() + .seconds(120)) == .success else { return requests.count >= count }
        }
        return true
    }

    // MARK: A connection

    private func serve(_ connection: Int32) {
        let open = open
        Thread.detachNewThread { [weak self] in
            while let request = Self.request(on: connection) {
                guard let self else { break }
                self.asked.withLock { $0.append(request) }
                self.arrivals.signal()
                guard Self.send(self.answer(request), on: connection) else { break }
            }
            open.withLock { _ = $0.remove(connection) }
            close(connection)
        }
    }

    private static func request(on connection: Int32) -> Request? {
        var head = ""
        var byte: UInt8 = 0
        while !head.hasSuffix("\r\n\r\n") {
            // A client that wants TLS begins with a control character.
            guard unsafe recv(connection, &byte, 1, 0) == 1, !head.isEmpty || byte > 0x20 else { return nil }
            head.unicodeScalars.append(Unicode.Scalar(byte))
        }
        let lines = head.components(separatedBy: "\r\n")
        let fields = lines.dropFirst().compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                line[..<colon].lowercased(),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            )
        }
        return Request(line: lines[0], fields: Dictionary(fields) { "\($0), \($1)" })
    }

    /// - Returns: whether the connection goes on.
    private static func send(_ answer: Answer, on connection: Int32) -> Bool {
        switch answer {
        case .bytes(let bytes): return put(bytes, on: connection)
        case .last(let bytes):
            _ = put(bytes, on: connection)
            return false
        case .endless(let bytes, let piece):
            var goesOn = put(bytes, on: connection)
            for _ in 0..<(64 << 20) / piece.count where goesOn { goesOn = put(piece, on: connection) }
            return false
        case .silence:
            var byte: UInt8 = 0
            return unsafe recv(connection, &byte, 1, 0) > 0
        }
    }

    private static func put(_ bytes: [UInt8], on connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(
                    connection, buffer.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

extension StubOrigin.Answer {
    /// A whole answer.
    static func status(_ status: String, _ fields: [String: String] = [:], _ body: [UInt8] = []) -> Self {
        .bytes(message(status, fields.merging(["Content-Length": "\(body.count)"]) { own, _ in own }, body))
    }

    /// A document with a tag.
    static func document(_ text: String, tag: String? = nil, waited: Bool = false) -> Self {
        status("200 OK", fields(tag, waited), Array(text.utf8))
    }

    /// The answer that no newer document exists.
    static func notModified(tag: String? = nil, waited: Bool = false) -> Self {
        .bytes(message("304 Not Modified", fields(tag, waited), []))
    }

    private static func fields(_ tag: String?, _ waited: Bool) -> [String: String] {
        var fields: [String: String] = [:]
        fields["ETag"] = tag
        if waited { fields["Preference-Applied"] = "wait=50" }
        return fields
    }

    /// A status line, a header and what follows.
    static func message(_ status: String, _ fields: [String: String], _ body: [UInt8]) -> [UInt8] {
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0): \($1)\r\n" }.joined()
        return Array("HTTP/1.1 \(status)\r\n\(lines)\r\n".utf8) + body
    }
}

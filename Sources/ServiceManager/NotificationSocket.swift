import Glibc

/// The datagram socket on which a service manager receives notifications.
public struct NotificationSocket: Sendable, Equatable {
    /// The path, or `@` and an abstract name.
    public let address: String
    private let bytes: [UInt8]

    /// The longest time that `send` waits for room in the manager's queue.
    private static let patience = timeval(tv_sec: 2, tv_usec: 0)

    /// Creates the address of the socket, without connecting to it.
    ///
    /// - Parameter address: an absolute path, or `@` and a name of the abstract namespace (unix(7)).
    /// - Throws: `ServiceManagerError` for other text, and for an address that is too long for a socket.
    public init(address: String) throws(ServiceManagerError) {
        let isAbstract = address.hasPrefix("@")
        guard isAbstract || address.hasPrefix("/"), address.utf8.count > 1,
            address.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else {
            throw .malformed(
                variable: "NOTIFY_SOCKET", value: address, wanted: "a socket's absolute path, or '@' and a name")
        }
        self.address = address
        bytes = (isAbstract ? [0] : []) + address.utf8.dropFirst(isAbstract ? 1 : 0)
    }

    /// Sends a notification.
    ///
    /// - Returns: nil after success, otherwise the reason of the failure.
    public func send(_ notification: Notification) -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return Self.reason("socket") }
        defer { close(descriptor) }
        var patience = Self.patience
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &target.sun_path) { unsafe $0.copyBytes(from: bytes) }
        // The size excludes the zero byte at the end, because this byte would be part of an abstract name.
        let size = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + bytes.count } ?? 0)
        let text = Array(notification.text.utf8)
        let sent = unsafe withUnsafePointer(to: &target) { target in
            let target = unsafe UnsafeRawPointer(target).assumingMemoryBound(to: sockaddr.self)
            return unsafe sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), target, size)
        }
        return sent == text.count ? nil : Self.reason("sendto")
    }

    private static func reason(_ call: String) -> String {
        unsafe "\(call) failed: \(String(cString: strerror(errno)))"
    }
}

/// A notification of a service to its manager: the assignments of one datagram (sd_notify(3)).
public struct Notification: Sendable, Equatable {
    /// The lines, each an assignment.
    private let lines: [String]

    /// The content of the datagram.
    public var text: String { lines.map { $0 + "\n" }.joined() }

    /// Reports that the service is ready, for the first time or after a reload.
    public static func ready(status: String) -> Notification {
        Notification(lines: ["READY=1", statusLine(status)])
    }

    /// Reports that the service begins to reload.
    ///
    /// - Parameter microseconds: the time of the monotonic clock.
    public static func reloading(atMonotonic microseconds: Int64) -> Notification {
        Notification(lines: ["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// Reports that the service begins to stop.
    public static func stopping(status: String) -> Notification {
        Notification(lines: ["STOPPING=1", statusLine(status)])
    }

    /// Reports the activity of the service, as a sentence for `systemctl status`.
    public static func status(_ text: String) -> Notification { Notification(lines: [statusLine(text)]) }

    /// The sign of life that resets the manager's watchdog.
    public static let watchdog = Notification(lines: ["WATCHDOG=1"])

    /// Asks for more time to start, reload or stop: at least this duration from now.
    public static func extendTimeout(by duration: Duration) -> Notification {
        let (seconds, attoseconds) = duration.components
        return Notification(lines: ["EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)"])
    }

    /// The maximum length of a status in bytes; systemd ignores datagrams of more than 4,096 bytes.
    static let longestStatus = 2_048

    /// Returns the assignment of the status on one line, with spaces for control characters, cut at `longestStatus`.
    private static func statusLine(_ status: String) -> String {
        var line = "STATUS="
        var size = 0
        for character in status {
            size += character.utf8.count
            guard size <= longestStatus else { return line + "…" }
            let isControl = character.unicodeScalars.contains { $0.properties.generalCategory == .control }
            line.append(isControl ? " " : character)
        }
        return line
    }
}

/// What a service tells its manager: the assignments of one datagram (sd_notify(3)).
public struct Notification: Sendable, Equatable {
    /// The lines, each an assignment.
    private let lines: [String]

    /// The content of the datagram.
    public var text: String { lines.map { $0 + "\n" }.joined() }

    /// The service serves, for the first time or after a reload.
    public static func ready(status: String) -> Notification {
        Notification(lines: ["READY=1", statusLine(status)])
    }

    /// The service begins to reload.
    ///
    /// - Parameter microseconds: the time of the monotonic clock.
    public static func reloading(atMonotonic microseconds: Int64) -> Notification {
        Notification(lines: ["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// The service begins to stop.
    public static func stopping(status: String) -> Notification {
        Notification(lines: ["STOPPING=1", statusLine(status)])
    }

    /// What the service does, as a sentence for `systemctl status`.
    public static func status(_ text: String) -> Notification { Notification(lines: [statusLine(text)]) }

    /// The service is alive.
    public static let watchdog = Notification(lines: ["WATCHDOG=1"])

    /// The start takes longer: it is not late before this time has passed.
    public static func extendTimeout(by duration: Duration) -> Notification {
        let (seconds, attoseconds) = duration.components
        return Notification(lines: ["EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)"])
    }

    /// The longest status, in bytes; systemd ignores datagrams of more than 4,096.
    static let longestStatus = 2_048

    /// The status on one line, cut if it is too long.
    private static func statusLine(_ status: String) -> String {
        var line = "STATUS="
        var size = 0
        for character in status {
            size += character.utf8.count
            guard size <= longestStatus else { return line + "…" }
            line.append(character.isNewline ? " " : character)
        }
        return line
    }
}

public import Glibc

/// The environment variables of the service manager that started this process (sd_notify(3), sd_listen_fds(3),
/// sd_watchdog_enabled(3)).
public struct ServiceEnvironment: Sendable, Equatable {
    /// The socket for notifications; nil if the manager does not want notifications.
    public let notifications: NotificationSocket?
    /// The manager ends the process if it does not receive `Notification.watchdog` for this time; nil if the manager
    /// does not watch this process.
    public let watchdogInterval: Duration?
    /// The sockets that the manager opened for this process, in the order of the manager.
    public let sockets: [HandedSocket]

    /// The environment of a process without a service manager.
    public static let none = ServiceEnvironment(notifications: nil, watchdogInterval: nil, sockets: [])

    private init(notifications: NotificationSocket?, watchdogInterval: Duration?, sockets: [HandedSocket]) {
        (self.notifications, self.watchdogInterval, self.sockets) = (notifications, watchdogInterval, sockets)
    }

    /// Reads the variables. Ignores a watchdog and sockets that are for another process.
    ///
    /// - Parameter process: the id of this process.
    /// - Throws: `ServiceManagerError` for a malformed variable.
    public init(environment: [String: String], process: pid_t = getpid()) throws(ServiceManagerError) {
        notifications = try environment["NOTIFY_SOCKET"].map { address throws(ServiceManagerError) in
            try NotificationSocket(address: address)
        }
        watchdogInterval = try Self.watchdogInterval(environment, process: process)
        sockets = try HandedSocket.all(environment, process: process)
    }

    private static func watchdogInterval(
        _ environment: [String: String], process: pid_t
    ) throws(ServiceManagerError) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"] else { return nil }
        if let named = environment["WATCHDOG_PID"], named != "\(process)" { return nil }
        guard let microseconds = Int64(text), microseconds > 0 else {
            throw .malformed(variable: "WATCHDOG_USEC", value: text, wanted: "a number of microseconds")
        }
        return .microseconds(microseconds)
    }

    /// The variables that child processes must not inherit.
    static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    ]

    /// Removes the variables from the environment, so that no child process uses them.
    ///
    /// Call this before other threads start, because other threads may read the environment.
    public static func clearEnvironment() {
        for variable in variables { unsafe unsetenv(variable) }
    }
}

/// A socket that the service manager opened for this process.
public struct HandedSocket: Sendable, Equatable {
    /// The descriptor, which this process now owns.
    public let descriptor: Int32
    /// The name from `FileDescriptorName=` in the .socket file; `unknown` if the manager passes no name.
    public let name: String

    /// The descriptor of the first socket (sd_listen_fds(3), SD_LISTEN_FDS_START).
    private static let firstDescriptor: Int32 = 3

    static func all(
        _ environment: [String: String], process: pid_t
    ) throws(ServiceManagerError) -> [HandedSocket] {
        guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"] else { return [] }
        guard let count = Int32(text), (0...1024).contains(count) else {
            throw .malformed(variable: "LISTEN_FDS", value: text, wanted: "a number of sockets")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            return HandedSocket(descriptor: firstDescriptor + index, name: name.isEmpty ? "unknown" : name)
        }
    }
}

/// The reason why an environment variable of the service manager cannot be used.
public enum ServiceManagerError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The value of a variable is malformed.
    case malformed(variable: String, value: String, wanted: String)

    /// The fault and the expected value, without a final full stop.
    public var description: String {
        switch self {
        case .malformed(let variable, let value, let wanted):
            "the service manager set \(variable) to '\(value)', which is not \(wanted)"
        }
    }
}

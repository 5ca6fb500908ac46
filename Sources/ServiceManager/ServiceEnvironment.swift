public import Glibc

/// What the service manager that started this process told it by environment variables (sd_notify(3), sd_listen_fds(3),
/// sd_watchdog_enabled(3)).
public struct ServiceEnvironment: Sendable, Equatable {
    /// Where it receives notifications; nil if it wants none.
    public let notifications: NotificationSocket?
    /// How long it waits for a sign of life before it ends the process; nil if it does not watch this process.
    public let watchdogInterval: Duration?
    /// The sockets that it opened for this process, in its order.
    public let sockets: [HandedSocket]

    /// A process that no service manager started.
    public static let none = ServiceEnvironment(notifications: nil, watchdogInterval: nil, sockets: [])

    private init(notifications: NotificationSocket?, watchdogInterval: Duration?, sockets: [HandedSocket]) {
        (self.notifications, self.watchdogInterval, self.sockets) = (notifications, watchdogInterval, sockets)
    }

    /// Reads the variables; those that name another process are ignored.
    ///
    /// - Parameter process: the id of this process.
    /// - Throws: `ServiceManagerError` for a variable that cannot be understood.
    public init(environment: [String: String], process: pid_t = getpid()) throws(ServiceManagerError) {
        notifications = try environment["NOTIFY_SOCKET"].map { address throws(ServiceManagerError) in
            try NotificationSocket(address: address)
        }
        watchdogInterval = try Self.watchdogInterval(environment, process)
        sockets = try HandedSocket.all(environment, process)
    }

    private static func watchdogInterval(
        _ environment: [String: String], _ process: pid_t
    ) throws(ServiceManagerError) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"] else { return nil }
        if let named = environment["WATCHDOG_PID"], named != "\(process)" { return nil }
        guard let microseconds = Int64(text), microseconds > 0 else {
            throw .malformed(variable: "WATCHDOG_USEC", value: text, wanted: "a number of microseconds")
        }
        return .microseconds(microseconds)
    }

    /// The variables that are about this process alone.
    static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    ]

    /// Removes the variables from the environment, so that no child process takes them as its own.
    ///
    /// Call it before other threads are started, because they may read the environment.
    public static func clearEnvironment() {
        for variable in variables { unsafe unsetenv(variable) }
    }
}

/// A socket that the service manager opened for this process.
public struct HandedSocket: Sendable, Equatable {
    /// The descriptor, which this process now owns.
    public let descriptor: Int32
    /// The name in `FileDescriptorName=` of the .socket file; `unknown` without one.
    public let name: String

    /// The descriptor of the first one (sd_listen_fds(3), SD_LISTEN_FDS_START).
    private static let firstDescriptor: Int32 = 3

    static func all(
        _ environment: [String: String], _ process: pid_t
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
    /// The value is not what the variable is for.
    case malformed(variable: String, value: String, wanted: String)

    /// What is wrong and what would be right, without a final full stop.
    public var description: String {
        switch self {
        case .malformed(let variable, let value, let wanted):
            "the service manager set \(variable) to '\(value)', which is not \(wanted)"
        }
    }
}

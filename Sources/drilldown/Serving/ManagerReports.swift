import Glibc
import ServiceManager

/// What the service manager is told; nothing if it wants no notifications.
struct ManagerReports {
    private let socket: NotificationSocket?
    private let log: Log
    private var shown = ""
    private var wanted: String?
    /// When the status may be told again.
    private var statusTime = ContinuousClock.now
    private var hasFailed = false

    /// The least time between two statuses, because edits may come by the hundred.
    private static let statusPeriod = Duration.seconds(1)

    init(_ socket: NotificationSocket?, _ log: Log) { (self.socket, self.log) = (socket, log) }

    /// Whether the manager wants notifications.
    var isOn: Bool { socket != nil }

    mutating func ready(_ status: String) {
        note(status)
        send(.ready(status: status))
    }

    mutating func reloading() {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        send(.reloading(atMonotonic: Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000))
    }

    mutating func stopping(_ status: String) { send(.stopping(status: status)) }

    mutating func send(_ notification: Notification) {
        guard let reason = socket?.send(notification), !hasFailed else { return }
        hasFailed = true
        log.write(Log.Entry(.warning, "manager", "the service manager cannot be notified: \(reason)"))
    }

    // MARK: The status

    /// When a status that is held back is due; nil if none is.
    var nextStatus: ContinuousClock.Instant? { wanted == nil ? nil : statusTime }

    /// Tells the status if it is another one, at once or a little later.
    mutating func show(_ status: String) {
        guard isOn else { return }
        wanted = status == shown ? nil : status
        showWanted()
    }

    /// Tells the status that was held back, if its time has come.
    mutating func showWanted() {
        guard let status = wanted, ContinuousClock.now >= statusTime else { return }
        note(status)
        send(.status(status))
    }

    private mutating func note(_ status: String) {
        (shown, wanted, statusTime) = (status, nil, .now + Self.statusPeriod)
    }
}

import Glibc
import HTTPServer
import ServiceManager
import Threads
import TreeStore

/// The notifications to the service manager. Without a socket, they are not sent.
struct ManagerReports {
    private let socket: NotificationSocket?
    private let log: Log
    /// The status that was sent last.
    private var shown = ""
    /// The status that is delayed by `statusPeriod`; nil if the status that was sent last is up to date.
    private var wanted: String?
    /// The earliest time of the next status.
    private var statusTime = ContinuousClock.now
    private var hasFailed = false

    /// The minimum time between two statuses, because hundreds of edits may follow each other.
    private static let statusPeriod = Duration.seconds(1)

    init(socket: NotificationSocket?, log: Log) { (self.socket, self.log) = (socket, log) }

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
        log.write(
            Log.Entry(severity: .warning, event: "manager", text: "the service manager cannot be notified: \(reason)"))
    }

    // MARK: The status

    /// The time to send the delayed status; nil if no status is delayed.
    var nextStatus: ContinuousClock.Instant? { wanted == nil ? nil : statusTime }

    /// Sends a new status at once, or delays it if less than `statusPeriod` has passed since the last status was sent.
    mutating func show(_ status: String) {
        guard isOn else { return }
        wanted = status == shown ? nil : status
        showWanted()
    }

    /// Sends the delayed status if its time has come.
    mutating func showWanted() {
        guard let status = wanted, ContinuousClock.now >= statusTime else { return }
        note(status)
        send(.status(status))
    }

    private mutating func note(_ status: String) {
        (shown, wanted, statusTime) = (status, nil, .now + Self.statusPeriod)
    }
}

/// Checks in rounds that the service is alive. There are two rounds in each interval of the service manager.
///
/// A round opens a connection to each serving thread. The round ends when each of these threads has closed its
/// connection, and the store's thread has answered or is working on the source. The main thread begins the rounds, so a
/// round also shows that the main thread is alive.
struct Watchdog {
    private let period: Duration
    private let server: Server
    private let store: TreeStore
    private let storeBell: Wakeup
    private var probes: [Int32] = []
    private var awaitsStore = false
    private var nextRound = ContinuousClock.now

    /// - Parameter interval: the time within which the service manager expects a sign of life.
    /// - Throws: `SystemCallError` if no descriptor is available.
    init(interval: Duration, server: Server, store: TreeStore) throws(SystemCallError) {
        period = interval / 2
        (self.server, self.store) = (server, store)
        storeBell = try Wakeup()
    }

    private var isWaiting: Bool { awaitsStore || !probes.isEmpty }

    /// Adds the events that the current round waits for, or the time of the next round.
    func addWaits(to waits: inout WaitSet) {
        guard isWaiting else { return waits.wake(by: nextRound) }
        for probe in probes { waits.add(probe) }
        if awaitsStore { waits.add(storeBell.descriptor) }
    }

    /// Continues the current round, or begins the next one if it is due.
    ///
    /// - Returns: true if this call has ended a round, which shows that the service is alive.
    mutating func advance() -> Bool {
        if !isWaiting {
            guard ContinuousClock.now >= nextRound else { return false }
            begin()
        }
        probes.removeAll(where: Watchdog.isAnswered)
        if awaitsStore, storeBell.reset() { awaitsStore = false }
        return !isWaiting
    }

    private mutating func begin() {
        nextRound = .now + period
        // A thread whose connections are all in use is not probed. It shows that it is alive by serving them.
        probes = (0..<server.threadCount).compactMap { server.probe(thread: $0) }
        awaitsStore = true
        store.ask { [storeBell] in storeBell.signal() }
    }

    /// Returns whether the serving thread has closed its end of a probe. If so, closes this end, too.
    private static func isAnswered(_ probe: Int32) -> Bool {
        var byte: UInt8 = 0
        if unsafe recv(probe, &byte, 1, Int32(MSG_DONTWAIT)) < 0, errno == EAGAIN || errno == EINTR { return false }
        close(probe)
        return true
    }
}

import CEpoll
import Glibc
import Locking
import Threads

/// The open connections of a server.
///
/// Sockets are shut down only under this lock, and a connection leaves the list before its socket is closed. So a
/// descriptor that the system has reused for another connection is never shut down.
final class Connections: Sendable {
    private let open = Guarded(Open())
    /// Signalled when the last connection ends while the server is stopping.
    private let emptied: Wakeup
    /// Wakes the reaper; signalled when a connection arrives while it rests.
    let reaping: Wakeup

    private struct Open {
        var states: [ObjectIdentifier: ConnectionState] = [:]
        /// The number of other connections, which sleep: they are neither late nor idle.
        var aside = 0
        var isDraining = false
        /// Whether the reaper sleeps until a connection arrives.
        var isReaperResting = false

        var isEmpty: Bool { states.isEmpty && aside == 0 }
    }

    init(emptied: Wakeup, reaping: Wakeup) {
        self.emptied = emptied
        self.reaping = reaping
    }

    /// The number of connections.
    var count: Int { open.withLock { $0.states.count + $0.aside } }

    func insert(_ state: ConnectionState) {
        wakingReaper { open in open.states[ObjectIdentifier(state)] = state }
    }

    func remove(_ state: ConnectionState) {
        let isLast = open.withLock { open in
            open.states[ObjectIdentifier(state)] = nil
            return open.isDraining && open.isEmpty
        }
        if isLast { emptied.signal() }
    }

    /// A connection is about to sleep.
    func setAside(_ state: ConnectionState) {
        open.withLock { open in
            open.states[ObjectIdentifier(state)] = nil
            open.aside += 1
        }
    }

    /// Sleeping connections are about to be resumed.
    func takeBack(_ states: [ConnectionState]) {
        wakingReaper { open in
            for state in states { open.states[ObjectIdentifier(state)] = state }
            open.aside -= states.count
        }
    }

    private func wakingReaper(_ add: (inout Open) -> Void) {
        let wasResting = open.withLock { open in
            add(&open)
            defer { open.isReaperResting = false }
            return open.isReaperResting
        }
        if wasResting { reaping.signal() }
    }

    /// Whether the reaper may sleep until it is signalled, because there are no connections to watch.
    func rest() -> Bool {
        open.withLock { open in
            open.isReaperResting = open.states.isEmpty
            return open.isReaperResting
        }
    }

    /// Ends every connection that is past its deadline, and whose client does not take a response.
    ///
    /// - Parameter patience: how long a client may take nothing of a response, in milliseconds.
    func endLate(at now: Int64, patience: Int64) {
        var late = open.withLock { open in open.states.values.filter { $0.deadline < now } }[...]
        // A few at a time, because other threads wait for the lock, and have to close what is ended beside their requests.
        while !late.isEmpty {
            open.withLock { open in
                for state in late.prefix(Self.atOnce) where open.states[ObjectIdentifier(state)] != nil {
                    state.endIfLate(at: now, patience: patience)
                }
            }
            late = late.dropFirst(Self.atOnce)
            if !late.isEmpty { usleep(1_000) }
        }
    }

    private static let atOnce = 16

    /// Closes connections that wait for the next request and whose client has stopped sending.
    ///
    /// Otherwise, an end that arrives together with a request would be noticed only at the idle time-out: the library's
    /// epoll set reports both at once, and the library reads once.
    ///
    /// - Parameter deadline: connections with an earlier deadline are skipped.
    func closeEnded(waitingUntil deadline: Int64) {
        open.withLock { open in
            let waiting = open.states.values.filter { !$0.isBusy && $0.deadline >= deadline }
            // POLLRDHUP, which Swift's Glibc does not import, has the same value.
            let event = Int16(EPOLLRDHUP.rawValue)
            var entries = waiting.map { pollfd(fd: $0.descriptor, events: event, revents: 0) }
            guard !entries.isEmpty, unsafe poll(&entries, nfds_t(entries.count), 0) > 0 else { return }
            for (state, entry) in zip(waiting, entries) where entry.revents != 0 { state.endReading() }
        }
    }

    /// How long a connection without a request may still send one when the server stops.
    ///
    /// A client that sends requests continuously sends the next at once, and its response announces the end.
    private static let farewell = Duration.milliseconds(250)

    /// Waits for all connections to end, and ends those that have no request in progress after a short farewell.
    func drain(until end: ContinuousClock.Instant) {
        let start = ContinuousClock.now
        let parting = min(start + Connections.farewell, start + (end - start) / 2)
        while true {
            let now = ContinuousClock.now
            let isEmpty = open.withLock { open in
                open.isDraining = true
                if now >= parting { for state in open.states.values where !state.isBusy { state.endReading() } }
                return open.isEmpty
            }
            if isEmpty || now >= end { return }
            // A request answered just before responses began to end their connections leaves its connection open.
            emptied.wait(milliseconds: min((end - now).milliseconds + 1, 20))
        }
    }
}

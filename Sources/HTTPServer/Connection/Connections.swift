import CEpoll
import Glibc
import Locking
import Threads

/// The open connections of a server.
///
/// Whoever shuts a socket down does so under this lock, and a connection leaves the list before its socket is closed:
/// so a descriptor that has been given to another connection is never hit.
final class Connections: Sendable {
    private let open = Guarded(Open())
    /// Signalled when the last one goes while the server stops.
    private let emptied: Wakeup
    /// Wakes the reaper; signalled when a connection comes while it rests.
    let reaping: Wakeup

    private struct Open {
        var states: [ObjectIdentifier: ConnectionState] = [:]
        /// How many more there are that sleep: they are neither late nor idle.
        var aside = 0
        var isDraining = false
        /// Whether the reaper sleeps until a connection comes.
        var isReaperResting = false

        var isEmpty: Bool { states.isEmpty && aside == 0 }
    }

    init(emptied: Wakeup, reaping: Wakeup) {
        self.emptied = emptied
        self.reaping = reaping
    }

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

    /// Connections that slept are about to be resumed.
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

    /// Lets the reaper sleep until it is signalled; false if there are connections to watch.
    func rest() -> Bool {
        open.withLock { open in
            open.isReaperResting = open.states.isEmpty
            return open.isReaperResting
        }
    }

    /// Cuts every connection that is past its deadline.
    func cutLate(at now: Int64) {
        open.withLock { open in
            for state in open.states.values where state.deadline < now { state.cut() }
        }
    }

    /// Closes connections whose client has ended its sending, among those that wait for the next request.
    ///
    /// An end that arrives together with a request would be seen at the idle time-out only: the library's epoll set
    /// tells of both at once, and the library reads once.
    /// - Parameter deadline: connections whose deadline comes before this are left out.
    func closeEnded(waitingUntil deadline: Int64) {
        open.withLock { open in
            let waiting = open.states.values.filter { !$0.isBusy && $0.deadline >= deadline }
            // POLLRDHUP, which Swift's Glibc does not know, has the same value.
            let event = Int16(EPOLLRDHUP.rawValue)
            var entries = waiting.map { pollfd(fd: $0.descriptor, events: event, revents: 0) }
            guard !entries.isEmpty, unsafe poll(&entries, nfds_t(entries.count), 0) > 0 else { return }
            for (state, entry) in zip(waiting, entries) where entry.revents != 0 { state.endReading() }
        }
    }

    /// How long a connection without a request may still send one when the server stops: a client in full flow asks
    /// again at once, and is told in the answer that the connection ends.
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
            // A request that was answered just before answers began to end their connections leaves it open.
            emptied.wait(milliseconds: min((end - now).milliseconds + 1, 20))
        }
    }
}

import Glibc
import Locking
import Synchronization
import Threads

/// The open connections of a server.
///
/// Sockets are shut down only under the lock of the list, and a connection leaves the list before its socket is closed.
/// So a descriptor that the system has reused for another connection is never shut down.
final class Connections: Sendable {
    private let open = Guarded(Open())
    /// Signalled when the last connection ends while the server is stopping.
    private let emptied: Wakeup
    /// Wakes the reaper; signalled when a connection arrives while the reaper rests.
    let reaping: Wakeup

    private struct Open {
        var states: [ObjectIdentifier: ConnectionState] = [:]
        /// The number of sleeping connections. They are not in `states`, because they are neither late nor idle.
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

    /// The number of connections that do not sleep.
    var awakeCount: Int { open.withLock { $0.states.count } }

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

    /// Takes a connection off the list, because it is about to sleep.
    func setAside(_ state: ConnectionState) {
        open.withLock { open in
            open.states[ObjectIdentifier(state)] = nil
            open.aside += 1
        }
    }

    /// Puts sleeping connections back on the list, because they are about to be resumed.
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

    /// Lets the reaper rest until it is signalled, if no connection needs to be watched. Returns whether it may rest.
    func rest() -> Bool {
        open.withLock { open in
            open.isReaperResting = open.states.isEmpty
            return open.isReaperResting
        }
    }

    /// Ends every connection that is past its deadline, unless its client is still reading a response.
    ///
    /// - Parameter patience: the time that a client may read nothing of a response, in milliseconds.
    func endLate(at now: Int64, patience: Int64) {
        var late = open.withLock { open in open.states.values.filter { $0.deadline < now } }[...]
        // The connections are ended a few at a time: other threads wait for the lock, and must close the ended
        // connections in addition to serving their requests.
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

    /// Closes each connection that waits for the next request, if its client has stopped sending.
    ///
    /// Otherwise, an end that arrives together with a request would be noticed only at the idle time-out: the library's
    /// epoll set reports the request and the end as one event, and the library reads only once.
    ///
    /// - Parameter deadline: connections with an earlier deadline are skipped.
    func closeEnded(waitingUntil deadline: Int64) {
        open.withLock { open in
            let waiting = open.states.values.filter { !$0.isBusy && $0.deadline >= deadline }
            let ended = Socket.haveEnded(waiting.map(\.descriptor))
            for (state, hasEnded) in zip(waiting, ended) where hasEnded { state.endReading() }
        }
    }

    /// The time in which an idle connection may still send a request when the server stops.
    ///
    /// A client that sends requests continuously sends its next request immediately. The response to this request
    /// announces the end of the connection.
    private static let farewell = Duration.milliseconds(250)

    /// Waits for all connections to end, at the latest until `end`; idle connections are ended after the farewell.
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
            // Idle connections are looked for repeatedly: a response that was queued just before the server began to
            // stop leaves its connection open.
            emptied.wait(milliseconds: min((end - now).milliseconds + 1, 20))
        }
    }
}

/// The state of a connection that other threads may read: its socket, its deadline and its activity.
final class ConnectionState: Sendable {
    let descriptor: Int32
    /// Whether the connection uses TLS.
    private let isSecure: Bool
    /// The deadline in milliseconds of the coarse clock, shifted left by two bits. The lowest two bits hold the
    /// activity.
    private let word: Atomic<Int64>
    /// `Socket.bytesTaken` at the reaper's last check.
    private let taken = Atomic<Int64>(0)
    /// The time at which the current response began, or at which the client was last seen to read a part of the
    /// response, in milliseconds of the coarse clock.
    private let progress = Atomic<Int64>(0)

    /// The activity bits of `word`.
    private static let request: Int64 = 1
    private static let response: Int64 = 2

    init(descriptor: Int32, deadline: Int64, isSecure: Bool = false) {
        self.descriptor = descriptor
        self.isSecure = isSecure
        word = Atomic(deadline &<< 2)
    }

    /// The time at which the reaper ends the connection, or checks whether the client reads the response.
    var deadline: Int64 { word.load(ordering: .relaxed) &>> 2 }
    var isBusy: Bool { word.load(ordering: .relaxed) & Self.request != 0 }

    /// Notes that no request is in progress, and that the next header must have arrived by the deadline.
    ///
    /// This method, `beginWork`, `work` and `send` are called on the connection's own thread, or by the thread that
    /// wakes the connection. So these calls never happen at the same time.
    func wait(until deadline: Int64) { word.store(deadline &<< 2, ordering: .relaxed) }

    /// Notes that a request is in progress; the deadline stays.
    func beginWork() { word.store(word.load(ordering: .relaxed) | Self.request, ordering: .relaxed) }

    /// Notes that a request is in progress, and must be done by the deadline.
    func work(until deadline: Int64) { word.store(deadline &<< 2 | Self.request, ordering: .relaxed) }

    /// Notes that a response is being sent, which the client must read without a long pause.
    ///
    /// - Parameter patience: the time that the client may read nothing, in milliseconds.
    func send(at now: Int64, patience: Int64) {
        progress.store(now, ordering: .relaxed)
        word.store(Self.word(checkedAt: now + patience / Self.checks), ordering: .relaxed)
    }

    /// The number of times that the reaper checks a response within the client's `patience`.
    private static let checks: Int64 = 8

    private static func word(checkedAt time: Int64) -> Int64 { time &<< 2 | request | response }

    /// Ends the connection if its deadline has passed. While a response is being sent, this ends the connection only if
    /// the client has read nothing for `patience`; otherwise it sets the time of the next check.
    ///
    /// Called by the reaper alone.
    func endIfLate(at now: Int64, patience: Int64) {
        let seen = word.load(ordering: .relaxed)
        guard seen &>> 2 < now else { return }
        guard seen & Self.response != 0 else { return end(at: now) }
        let taken = Socket(descriptor).bytesTaken
        if self.taken.exchange(taken, ordering: .relaxed) != taken {
            progress.store(now, ordering: .relaxed)
        } else if now - progress.load(ordering: .relaxed) >= patience {
            return cut()
        }
        // Sets the time of the next check, unless the response has ended meanwhile.
        _ = word.compareExchange(
            expected: seen, desired: Self.word(checkedAt: now + patience / Self.checks), ordering: .relaxed)
    }

    /// Makes the system end the connection if the client accepts no data for this time (tcp(7), TCP_USER_TIMEOUT).
    ///
    /// Also limits the send buffer, so that the kernel keeps little data for a client that reads slowly.
    func limitUnread(milliseconds: Int64) {
        let socket = Socket(descriptor)
        socket.set(TCP_USER_TIMEOUT, at: Int32(IPPROTO_TCP), to: Int32(clamping: milliseconds))
        socket.set(SO_SNDBUF, at: SOL_SOCKET, to: ConnectionState.unreadBytes)
    }

    private static let unreadBytes: Int32 = 64 << 10

    /// Whether data has arrived that has not been read.
    var hasUnread: Bool { Socket(descriptor).input == .data }

    /// Whether the client has stopped sending, and everything that it sent has been read.
    var hasEnded: Bool { Socket(descriptor).input == .end }

    /// Ends a connection whose deadline has passed.
    ///
    /// An idle TLS connection gets a close alert if the library sends it in time (RFC 8446, section 6.1).
    func end(at now: Int64) {
        if isSecure, !isBusy, now < deadline + ConnectionState.goodbye { endReading() } else { cut() }
    }

    /// The time that the library has to send the close alert, in milliseconds.
    private static let goodbye: Int64 = 2_000

    /// Ends both directions together: the library sees the end and closes the connection.
    func cut() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Ends the connection after its input has been read.
    func endReading() { _ = shutdown(descriptor, Int32(SHUT_RD)) }
}

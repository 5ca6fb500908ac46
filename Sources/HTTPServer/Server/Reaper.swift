import Glibc
import Heap
import Locking
import Synchronization
import Threads

/// The thread that ends connections past their deadline, because the library's own time-out covers only idle ones.
///
/// It sleeps until a connection arrives. While there are many connections, it also wakes the library's threads (see
/// `Daemon.eventsAtOnce`).
final class Reaper: Sendable {
    private let thread: LoopThread
    private let lingering: Lingering

    /// - Parameter wakeThreads: makes each of the library's threads return from its wait.
    init(service: Service, wakeThreads: @escaping @Sendable () -> Void) throws(ServerError) {
        lingering = service.lingering
        // The time between two checks of the deadlines, in milliseconds.
        let period = min(1000, max(5, min(service.idleMilliseconds, service.deadlineMilliseconds) / 4))
        thread = try ServerError.wrapping { () throws(SystemCallError) in
            try LoopThread(name: "reaper", bell: service.connections.reaping) {
                Self.look(after: service, every: period)
                if service.connections.awakeCount >= Daemon.eventsAtOnce { wakeThreads() }
                service.connections.reaping.wait(milliseconds: service.pause(atMost: period))
            }
        }
    }

    func stop() {
        thread.stop()
        lingering.drain(at: .max)
    }

    private static func look(after service: Service, every period: Int64) {
        let now = CoarseClock.now
        service.connections.endLate(at: now, patience: service.deadlineMilliseconds)
        // Each connection is checked once or twice after its response.
        service.connections.closeEnded(waitingUntil: now + service.idleMilliseconds - 2 * period)
        service.lingering.drain(at: now)
        service.heapTrimmer.giveBack(at: now)
    }
}

/// Sockets whose response has been sent while the client still sends: they are closed in stages (RFC 9112, section
/// 9.6).
///
/// If they were closed at once, the unread bytes would make the system reset the connection, and the client would lose
/// the response. So a second descriptor of the socket is kept here, and its input is discarded.
final class Lingering: Sendable {
    /// Descriptors, owned by this list, with the time at which they are closed at the latest.
    private let open = Guarded<[(descriptor: Int32, until: Int64)]>([])

    static let milliseconds: Int64 = 2000
    /// The maximum number; beyond it, connections are closed at once.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { open.withLock { $0.isEmpty } }

    /// Keeps a socket that the library is about to close; false if there are too many.
    func keep(_ descriptor: Int32, now: Int64) -> Bool {
        open.withLock { open in
            guard open.count < limit else { return false }
            let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard own >= 0 else { return false }
            _ = shutdown(own, Int32(SHUT_WR))
            open.append((own, now + Lingering.milliseconds))
            return true
        }
    }

    /// Discards input, and closes the sockets whose client is done or whose time is over.
    func drain(at now: Int64) {
        open.withLock { open in
            open.removeAll { entry in
                guard entry.until <= now || Socket(entry.descriptor).discardInput() else { return false }
                close(entry.descriptor)
                return true
            }
        }
    }
}

/// Counts the connections that have ended, and returns the memory that many of them leave between the blocks in use.
///
/// Otherwise the C library's heap would grow whenever many connections come and go, because their memory is allocated
/// in another order each time.
final class HeapTrimmer: Sendable {
    private let count = Atomic<Int>(0)
    /// The time from which memory may be returned again, in milliseconds of the coarse clock.
    private let next = Atomic<Int64>(0)

    /// The number of ended connections after which memory is returned: they leave about ten megabytes.
    private static let crowd = 1_000
    /// The minimum time between two returns, because each locks the heap for milliseconds.
    private static let pause: Int64 = 5_000

    /// Whether enough connections have ended for memory to be returned, now or after the pause.
    var isCrowd: Bool { count.load(ordering: .relaxed) >= Self.crowd }

    func note() { count.add(1, ordering: .relaxed) }

    /// Returns memory if enough connections have ended, or memory is tight, and the pause is over. Called regularly by
    /// a thread that may block for some milliseconds.
    func giveBack(at now: Int64) {
        guard isCrowd || MemoryBudget.isTight && MemoryBudget.left < 0, next.load(ordering: .relaxed) <= now else {
            return
        }
        next.store(now + Self.pause, ordering: .relaxed)
        count.store(0, ordering: .relaxed)
        HeapMemory.giveBack()
    }
}

import Glibc
import Heap
import Locking
import Synchronization
import Threads

/// The thread that ends connections past their deadline. The library's own time-out covers only idle connections.
///
/// While there are no connections, the thread sleeps until a connection arrives. While there are many connections, it
/// also wakes the library's threads (see `Daemon.eventsAtOnce`).
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
        // Checks each connection once or twice after its response.
        service.connections.closeEnded(waitingUntil: now + service.idleMilliseconds - 2 * period)
        service.lingering.drain(at: now)
        service.heapTrimmer.giveBack(at: now)
    }
}

/// Sockets that are closed in stages, because the client is still sending after the end of the response (RFC 9112,
/// section 9.6).
///
/// If a socket were closed immediately, its unread bytes would make the system reset the connection, and the client
/// would lose the response. So this list keeps a second descriptor of the socket, and discards the input.
final class Lingering: Sendable {
    /// The descriptors, which this list owns, each with the latest time at which it is closed.
    private let open = Guarded<[(descriptor: Int32, until: Int64)]>([])

    static let milliseconds: Int64 = 2000
    /// The maximum number of kept sockets. Beyond this number, sockets are closed immediately.
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { open.withLock { $0.isEmpty } }

    /// Keeps a socket that the library is about to close. Returns false if the list is full or descriptors are used up.
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

    /// Discards the input of the sockets. Closes the sockets whose client has stopped sending, or whose time is over.
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

/// Counts the connections that end. After many, returns to the system the memory that they left between the blocks in
/// use.
///
/// Without this, the C library's heap would grow whenever many connections come and go, because their memory is
/// allocated in another order each time.
final class HeapTrimmer: Sendable {
    private let count = Atomic<Int>(0)
    /// The time from which memory may be returned again, in milliseconds of the coarse clock.
    private let next = Atomic<Int64>(0)

    /// The number of ended connections after which memory is returned. This many connections leave about ten megabytes.
    private static let crowd = 1_000
    /// The minimum time between two returns of memory, in milliseconds. Each return locks the heap for some
    /// milliseconds.
    private static let pause: Int64 = 5_000

    /// Whether enough connections have ended for memory to be returned, immediately or after the pause.
    var isCrowd: Bool { count.load(ordering: .relaxed) >= Self.crowd }

    func note() { count.add(1, ordering: .relaxed) }

    /// Returns memory if the pause is over, and either enough connections have ended or memory is tight.
    ///
    /// A thread that may block for some milliseconds calls this regularly.
    func giveBack(at now: Int64) {
        guard isCrowd || MemoryBudget.isTight && MemoryBudget.left < 0, next.load(ordering: .relaxed) <= now else {
            return
        }
        next.store(now + Self.pause, ordering: .relaxed)
        count.store(0, ordering: .relaxed)
        HeapMemory.giveBack()
    }
}

import Locking
import Synchronization
import Threads

/// The thread that ends connections past their deadline, because the library's own time-out covers only idle ones.
///
/// It sleeps while there are no connections.
final class Reaper: Sendable {
    private let service: Service
    private let stopping = Atomic<Bool>(false)
    private let thread = Guarded<Thread?>(nil)
    /// The time between two checks of the deadlines, in milliseconds.
    private let period: Int64

    /// Starts the thread.
    init(service: Service) throws(ServerError) {
        self.service = service
        period = min(1000, max(5, min(service.idleMilliseconds, service.deadlineMilliseconds) / 4))
        let started = try ServerError.wrapping { () throws(SystemCallError) in
            try Thread(name: "reaper") { self.run() }
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread.
    func stop() {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        stopping.store(true, ordering: .releasing)
        service.connections.reaping.signal()
        thread.join()
    }

    private func run() {
        while !stopping.load(ordering: .acquiring) {
            let now = CoarseClock.now
            service.connections.endLate(at: now, patience: service.deadlineMilliseconds)
            // Each connection is checked once or twice after its response.
            service.connections.closeEnded(waitingUntil: now + service.idleMilliseconds - 2 * period)
            service.lingering.drain(at: now)
            service.heapTrimmer.giveBack(at: now)
            service.connections.reaping.wait(milliseconds: service.pause(atMost: period))
        }
        service.lingering.drain(at: .max)
    }
}

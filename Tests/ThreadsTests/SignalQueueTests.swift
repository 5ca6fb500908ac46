import Glibc
import Testing

@testable import Threads

@Suite("A queue of signals")
struct SignalQueueTests {
    @Test("gives each pending signal once")
    func pending() throws {
        // On a thread of its own, so that the mask of the test's thread stays as it is.
        let handover = Handover<[Int32?]>()
        let thread = try Thread(name: "signals") {
            do {
                let queue = try SignalQueue([SIGUSR1, SIGUSR2])
                let before = queue.next()
                for signal in [SIGUSR1, SIGUSR2] { pthread_kill(pthread_self(), signal) }
                handover.give([before] + [queue.next(), queue.next()].sorted { $0 ?? 0 < $1 ?? 0 } + [queue.next()])
            } catch {
                handover.give([-1])
            }
        }
        #expect(handover.take() == [nil, SIGUSR1, SIGUSR2, nil])
        thread.join()
    }
}

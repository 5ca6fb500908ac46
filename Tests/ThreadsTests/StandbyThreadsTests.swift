import Glibc
import Locking
import Testing

@testable import Threads

@Suite("Threads that stand by") struct StandbyThreadsTests {
    /// The thread that runs work, and its niceness.
    private func thread(_ threads: StandbyThreads) -> (number: UInt, niceness: Int32) {
        let found = Handover<(UInt, Int32)>()
        threads.run { found.give((UInt(pthread_self()), getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))) }
        return found.take()
    }

    @Test("run one piece of work after another, at their priority")
    func again() {
        let threads = StandbyThreads(name: "standby", niceness: 7)
        let first = thread(threads)
        #expect(first.niceness == max(7, getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)))
        for _ in 0..<100 {
            while threads.idleCount == 0 { sched_yield() }
            #expect(thread(threads) == first)
        }
    }

    @Test("run as many pieces of work at once as there are")
    func together() {
        let threads = StandbyThreads(name: "standby", niceness: 0)
        let (arrival, end) = (Semaphore(), Semaphore())
        for _ in 0..<10 {
            threads.run {
                arrival.signal()
                end.wait()
            }
        }
        for _ in 0..<10 { arrival.wait() }
        #expect(threads.idleCount == 0)
        for _ in 0..<10 { end.signal() }
        while threads.idleCount < 10 { sched_yield() }
    }

    @Test("end if there is no work, and no work is lost meanwhile")
    func end() {
        let threads = StandbyThreads(name: "standby", niceness: 0, secondsIdle: 0)
        for _ in 0..<1_000 { #expect(thread(threads).niceness == thread(threads).niceness) }
        while threads.idleCount > 0 { sched_yield() }
    }
}

import Glibc
import Locking
import Testing
import Threads

@Suite("A worker thread")
struct WorkerThreadTests {
    @Test("runs the jobs one after the other, on a thread of low priority, while their owner goes on")
    func jobs() throws {
        let worker = try WorkerThread(name: "work", limit: 100)
        let numbers = Guarded<[Int]>([])
        let isOther = Guarded<[Bool]>([])
        let nicenesses = Guarded<Set<Int32>>([])
        let own = UInt(pthread_self())
        for number in 0..<100 {
            let isTaken = worker.add {
                numbers.withLock { $0.append(number) }
                isOther.withLock { $0.append(UInt(pthread_self()) != own) }
                nicenesses.withLock { _ = $0.insert(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }
            }
            #expect(isTaken)
        }
        worker.stop()
        #expect(numbers.withLock { $0 } == Array(0..<100))
        #expect(isOther.withLock { $0 } == Array(repeating: true, count: 100))
        #expect(
            nicenesses.withLock { $0 } == [max(10, getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))])
    }

    @Test("takes no more jobs than may wait, and none after its end")
    func limit() throws {
        let worker = try WorkerThread(name: "work", limit: 2)
        let (hasBegun, mayEnd) = (Semaphore(), Semaphore())
        #expect(
            worker.add {
                hasBegun.signal()
                mayEnd.wait()
            })
        hasBegun.wait()
        let count = Guarded(0)
        let isTaken = (0..<3).map { _ in worker.add { count.withLock { $0 += 1 } } }
        #expect(isTaken == [true, true, false])
        mayEnd.signal()
        worker.stop()
        #expect(count.withLock { $0 } == 2)
        #expect(!worker.add { count.withLock { $0 += 1 } })
        #expect(count.withLock { $0 } == 2)
    }
}

@Suite("A worker thread for which its caller waits")
struct PerformingTests {
    private struct Failure: Error, Equatable {}

    /// Counts something without a lock, because only one thread at a time uses it.
    private final class Counter {
        var count = 0
    }

    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test("works while its caller waits, with the caller's values")
    func perform() throws {
        let worker = try WorkerThread(name: "work", niceness: 0)
        let counter = Counter()
        let own = pthread_self()
        var others: [Bool] = []
        for _ in 0..<100 {
            others.append(
                worker.perform {
                    counter.count += 1
                    return pthread_equal(own, pthread_self()) == 0
                })
            counter.count += 1
        }
        #expect(counter.count == 200)
        #expect(others == Array(repeating: true, count: 100))
    }

    @Test("throws the errors of its work, and continues")
    func failure() throws {
        let worker = try WorkerThread(name: "work", niceness: 0)
        #expect(throws: Failure()) { try worker.perform { () throws(Failure) -> Int in throw Failure() } }
        #expect(worker.perform { 7 } == 7)
    }

    @Test("has a niceness of its own, which its caller does not get")
    func niceness() throws {
        let usual = Self.niceness
        let worker = try WorkerThread(name: "work", niceness: 0)
        #expect(worker.perform { Self.niceness } == usual)
        worker.perform { Thread.setNiceness(10) }
        #expect(worker.perform { Self.niceness } == max(usual, 10))
        #expect(Self.niceness == usual)
    }

    @Test("releases the work before the caller goes on")
    func release() throws {
        let worker = try WorkerThread(name: "work", niceness: 0)
        weak var released: Counter?
        do {
            let counter = Counter()
            released = counter
            worker.perform { counter.count += 1 }
            #expect(counter.count == 1)
        }
        #expect(released == nil)
    }

    @Test("leaves the work to its caller after a stop")
    func stopped() throws {
        let worker = try WorkerThread(name: "work", niceness: 0)
        worker.stop()
        worker.stop()
        let own = pthread_self()
        #expect(worker.perform { pthread_equal(own, pthread_self()) != 0 })
    }
}

@Suite("A semaphore")
struct SemaphoreTests {
    @Test("keeps signals that come before anybody waits, and wakes one thread for each")
    func signals() throws {
        let (there, back) = (Semaphore(), Semaphore())
        let rounds = Guarded(0)
        let worker = try WorkerThread(name: "work")
        there.signal()
        there.signal()
        let isTaken = worker.add {
            for _ in 0..<1_000 {
                there.wait()
                rounds.withLock { $0 += 1 }
                back.signal()
            }
        }
        #expect(isTaken)
        for _ in 2..<1_000 {
            back.wait()
            there.signal()
        }
        worker.stop()
        #expect(rounds.withLock { $0 } == 1_000)
    }
}

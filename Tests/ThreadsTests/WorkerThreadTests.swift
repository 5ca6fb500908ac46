import Glibc
import Locking
import Testing
import Threads

@Suite("A worker thread")
struct WorkerThreadTests {
    @Test("runs the jobs one after the other, on a thread of its own, while their owner goes on")
    func jobs() throws {
        let worker = try WorkerThread(name: "work", limit: 100)
        let numbers = Guarded<[Int]>([])
        let isOther = Guarded<[Bool]>([])
        let own = UInt(pthread_self())
        for number in 0..<100 {
            let isTaken = worker.add {
                numbers.withLock { $0.append(number) }
                isOther.withLock { $0.append(UInt(pthread_self()) != own) }
            }
            #expect(isTaken)
        }
        worker.stop()
        #expect(numbers.withLock { $0 } == Array(0..<100))
        #expect(isOther.withLock { $0 } == Array(repeating: true, count: 100))
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

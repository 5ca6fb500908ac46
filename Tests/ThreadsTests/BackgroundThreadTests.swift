import Glibc
import Locking
import Testing
import Threads

@Suite("A background thread")
struct BackgroundThreadTests {
    private struct Failure: Error, Equatable {}

    /// Counts something without a lock, because only one thread at a time uses it.
    private final class Counter {
        var count = 0
    }

    private static var niceness: Int32 { getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }

    @Test("works while its caller waits, with what the caller uses")
    func perform() throws {
        let background = try BackgroundThread(name: "work")
        let counter = Counter()
        let own = pthread_self()
        var others: [Bool] = []
        for _ in 0..<100 {
            others.append(
                background.perform {
                    counter.count += 1
                    return pthread_equal(own, pthread_self()) == 0
                })
            counter.count += 1
        }
        #expect(counter.count == 200)
        #expect(others == Array(repeating: true, count: 100))
    }

    @Test("throws what the work throws, and goes on")
    func failure() throws {
        let background = try BackgroundThread(name: "work")
        #expect(throws: Failure()) { try background.perform { () throws(Failure) -> Int in throw Failure() } }
        #expect(background.perform { 7 } == 7)
    }

    @Test("has a niceness of its own, which its caller does not get")
    func niceness() throws {
        let usual = Self.niceness
        let background = try BackgroundThread(name: "work")
        #expect(background.perform { Self.niceness } == usual)
        background.setNiceness(10)
        #expect(background.perform { Self.niceness } == max(usual, 10))
        #expect(Self.niceness == usual)
    }

    @Test("releases the work before the caller goes on")
    func release() throws {
        let background = try BackgroundThread(name: "work")
        weak var released: Counter?
        do {
            let counter = Counter()
            released = counter
            background.perform { counter.count += 1 }
            #expect(counter.count == 1)
        }
        #expect(released == nil)
    }

    @Test("leaves the work to its caller after a stop")
    func stopped() throws {
        let background = try BackgroundThread(name: "work")
        background.stop()
        background.stop()
        let own = pthread_self()
        #expect(background.perform { pthread_equal(own, pthread_self()) != 0 })
    }
}

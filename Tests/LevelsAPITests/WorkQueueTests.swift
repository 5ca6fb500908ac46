import Locking
import Testing

@testable import LevelsAPI

/// The thread for work that takes long.
@Suite struct WorkQueueTests {
    /// Runs threads when the test says so.
    final class Threads: Sendable {
        private let bodies = Guarded<[@Sendable () -> Void]>([])

        func start(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.append(body) } }

        /// How many threads were started and not yet run.
        var count: Int { bodies.withLock(\.count) }

        func run() {
            let bodies = bodies.withLock { bodies in
                defer { bodies = [] }
                return bodies
            }
            for body in bodies { body() }
        }
    }

    private let done = Guarded<[Int]>([])

    /// Work that notes its number.
    private func noting(_ number: Int) -> WorkQueue.Work {
        { [done] in done.withLock { $0.append(number) } }
    }

    private var numbers: [Int] { done.withLock { $0 } }

    @Test("Work is done in order of arrival by one thread, which ends when none is left")
    func order() {
        let threads = Threads()
        let queue = WorkQueue { threads.start($0) }
        for number in 0..<3_000 { queue.addUnlimited(noting(number)) }
        #expect(threads.count == 1)
        threads.run()
        #expect(numbers == Array(0..<3_000))
        #expect(queue.count == 0)
        #expect(queue.add(noting(3_000)))
        #expect(threads.count == 1)
        threads.run()
        #expect(numbers == Array(0...3_000))
    }

    @Test("More work than the queue takes is refused until some is done")
    func full() {
        let threads = Threads()
        let queue = WorkQueue(capacity: 2) { threads.start($0) }
        #expect(queue.add(noting(1)))
        #expect(queue.add(noting(2)))
        #expect(!queue.add(noting(3)))
        queue.addUnlimited(noting(4))
        threads.run()
        #expect(queue.add(noting(5)))
        #expect(numbers == [1, 2, 4])
        // Work that is never done would keep the queue, and the queue its work.
        threads.run()
        #expect(numbers == [1, 2, 4, 5])
    }

    @Test("Work may add work, which is done after what waits already")
    func nested() {
        let threads = Threads()
        let queue = WorkQueue { threads.start($0) }
        let (first, last) = (noting(1), noting(3))
        queue.addUnlimited {
            first()
            queue.addUnlimited(last)
        }
        queue.addUnlimited(noting(2))
        threads.run()
        #expect(numbers == [1, 2, 3])
    }

    @Test("A thread of its own does the work, if none is given")
    func thread() async {
        await withCheckedContinuation { continuation in
            WorkQueue().addUnlimited { continuation.resume() }
        }
    }
}

import Dispatch
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

    @Test("Work is done in order of arrival by one thread, which ends when the queue is empty")
    func order() {
        let threads = Threads()
        let queue = WorkQueue(start: { threads.start($0) })
        for number in 0..<3_000 { queue.addBehind(noting(number)) }
        #expect(threads.count == 1)
        threads.run()
        #expect(numbers == Array(0..<3_000))
        #expect(queue.count == 0)
        #expect(queue.add(noting(3_000)))
        #expect(threads.count == 1)
        threads.run()
        #expect(numbers == Array(0...3_000))
    }

    @Test("More requests than the queue takes are refused until some are done; work behind them takes no place")
    func full() {
        let threads = Threads()
        let queue = WorkQueue(capacity: 2, start: { threads.start($0) })
        for number in 10..<20 { queue.addBehind(noting(number)) }
        #expect(queue.add(noting(1)))
        #expect(queue.add(noting(2)))
        #expect(!queue.add(noting(3)))
        threads.run()
        #expect(queue.add(noting(5)))
        #expect(Set(numbers) == [1, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
        // Work that is never done would keep the queue, and the queue its work.
        threads.run()
        #expect(numbers.last == 5)
    }

    /// Time that passes when work says so.
    private let now = Guarded(Duration.zero)

    private func taking(_ seconds: Int, _ number: Int) -> WorkQueue.Work {
        { [now, done] in
            now.withLock { $0 += .seconds(seconds) }
            done.withLock { $0.append(number) }
        }
    }

    private func queue(_ threads: Threads) -> WorkQueue {
        WorkQueue(capacity: 200, clock: { [now] in now.withLock { $0 } }, start: { threads.start($0) })
    }

    @Test("Requests come first; work behind them gets a ninth of the time while there are always requests")
    func share() {
        let threads = Threads()
        let queue = queue(threads)
        for _ in 0..<4 { queue.addBehind(taking(1, 0)) }
        for _ in 0..<20 { #expect(queue.add(taking(1, 1))) }
        threads.run()
        #expect(
            numbers == [1, 0] + Array(repeating: 1, count: 8) + [0] + Array(repeating: 1, count: 8) + [0, 1, 1, 1, 0])
    }

    @Test("Work behind them that comes one at a time gets no more of the time")
    func oneAfterTheOther() {
        let threads = Threads()
        let queue = queue(threads)
        let (first, second, third) = (taking(1, 0), taking(1, 0), taking(1, 0))
        queue.addBehind {
            first()
            queue.addBehind {
                second()
                queue.addBehind(third)
            }
        }
        for _ in 0..<20 { #expect(queue.add(taking(1, 1))) }
        threads.run()
        #expect(
            numbers == [1, 0] + Array(repeating: 1, count: 8) + [0] + Array(repeating: 1, count: 8) + [0, 1, 1, 1])
    }

    @Test("A long check takes the share of background work by its own time, whatever else was waiting")
    func costly() {
        let threads = Threads()
        let queue = queue(threads)
        let (long, short) = (taking(10, 6), (1...5).map { taking(1, $0) })
        queue.addBehind(cost: 10_000_000) {
            for (number, work) in short.enumerated() {
                queue.addBehind(cost: [0, 100, 1_000, 10_000, 100_000][number], work)
            }
            long()
            queue.addBehind(cost: 10_000_000, long)
        }
        for _ in 0..<200 { #expect(queue.add(taking(1, 0))) }
        threads.run()
        // Eight times 10 s, and eight times 1 s for each short check.
        let background = numbers.enumerated().filter { $0.element > 0 }
        #expect(background.map(\.element) == [6, 1, 2, 3, 4, 5, 6])
        #expect(background.map(\.offset) == [1, 82, 91, 100, 109, 118, 127])
    }

    @Test("A request comes before the background work that a long request has delayed")
    func afterLongRequest() {
        let threads = Threads()
        let queue = queue(threads)
        let (check, last) = (taking(1, 0), taking(1, 2))
        let first: WorkQueue.Work = { [now] in
            now.withLock { $0 += .seconds(100) }
            queue.addBehind {
                check()
                #expect(queue.add(last))
            }
            for _ in 0..<3 { queue.addBehind(check) }
        }
        #expect(queue.add(first))
        threads.run()
        #expect(numbers == [0, 2, 0, 0, 0])
    }

    @Test("Requests that took long before there was other work leave it no more than its share")
    func shareAnew() {
        let threads = Threads()
        let queue = queue(threads)
        #expect(queue.add(taking(100, 9)))
        threads.run()
        for _ in 0..<3 { queue.addBehind(taking(1, 0)) }
        for _ in 0..<3 { #expect(queue.add(taking(1, 1))) }
        threads.run()
        #expect(numbers == [9, 1, 0, 1, 1, 0, 0])
    }

    @Test("The expected time is that of the requests ahead, and of the work between them")
    func expectedTime() {
        let threads = Threads()
        let queue = queue(threads)
        #expect(queue.expectedTime == .zero)
        #expect(queue.add(taking(4, 1)))
        threads.run()
        for _ in 0..<8 { #expect(queue.add(taking(4, 1))) }
        #expect(queue.expectedTime == .seconds(32))
        queue.addBehind(taking(1, 0))
        #expect(queue.expectedTime == .seconds(36))
        // Work that is never done would keep the queue, and the queue its work.
        threads.run()
        #expect(queue.expectedTime == .zero)
    }

    @Test("Work may add work, which is done after the waiting work")
    func nested() {
        let threads = Threads()
        let queue = WorkQueue(start: { threads.start($0) })
        let (first, last) = (noting(1), noting(3))
        queue.addBehind {
            first()
            queue.addBehind(last)
        }
        queue.addBehind(noting(2))
        threads.run()
        #expect(numbers == [1, 2, 3])
    }

    @Test("A separate thread does the work, unless one is given")
    func thread() {
        let isDone = DispatchSemaphore(value: 0)
        WorkQueue().addBehind { isDone.signal() }
        #expect(isDone.wait(timeout: .now() + 30) == .success)
    }

    @Test("Each lane of background work gets the same time, and its work is done in order of arrival")
    func lanes() {
        let threads = Threads()
        let queue = queue(threads)
        for number in 10..<13 { queue.addBehind(cost: 10_000, taking(3, number)) }
        for number in 0..<6 { queue.addBehind(cost: 2, taking(1, number)) }
        threads.run()
        #expect(numbers == [0, 10, 1, 2, 3, 11, 4, 5, 12])
    }

    @Test("A lane that was empty has no time to make up for, nor any saved")
    func late() {
        let threads = Threads()
        let queue = queue(threads)
        queue.addBehind(cost: 10_000, taking(100, 9))
        threads.run()
        for number in 2...3 { queue.addBehind(cost: 10_000, taking(1, number)) }
        for number in 4...5 { queue.addBehind(taking(1, number)) }
        threads.run()
        #expect(numbers == [9, 4, 2, 5, 3])
    }

    @Test("A lane that was empty while another one had time does not go before it until it has had as much")
    func lateAmongOthers() {
        let threads = Threads()
        let queue = queue(threads)
        queue.addBehind(cost: 10_000, taking(100, 1))
        let (second, short) = (taking(1, 2), (4...6).map { taking(1, $0) })
        queue.addBehind(cost: 10_000) {
            for work in short { queue.addBehind(work) }
            second()
        }
        queue.addBehind(cost: 10_000, taking(1, 3))
        threads.run()
        #expect(numbers == [1, 2, 4, 5, 3, 6])
    }
}

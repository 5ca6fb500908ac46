import Locking
import Threads
import TreeStore

/// Runs long work on one or a few threads of low priority, so that the work hardly delays other requests.
///
/// The work is in lanes. The lane of requests comes first; its work is done in order of arrival. Background work, such as
/// checks after a change, comes behind the requests and does not count against their capacity. If requests are always
/// waiting, background work still gets a small share of the time.
///
/// Background work is divided into lanes by cost, which get equal shares of the time. So a thousand long checks delay a
/// short check by at most one long check, and any number of short checks cannot stop the long checks.
///
/// A thread begins when work arrives, unless the maximum number of threads is running. A thread ends when no work
/// is left.
final class WorkQueue: Sendable {
    typealias Work = @Sendable () -> Void
    /// Runs work on another thread.
    typealias Start = @Sendable (@escaping Work) -> Void

    fileprivate struct State {
        /// The lane of requests, and then the lanes of background work by the number of decimal digits of the cost.
        var lanes = [Lane](repeating: Lane(), count: 7)
        /// The number of threads that do work.
        var running = 0
        /// The most that had been spent on a lane when its latest work began, or on any lane when no work was left.
        var reached = Duration.zero
        /// The mean time of requests, in which the latest requests weigh most.
        var mean = Duration.zero
    }

    fileprivate struct Lane {
        var work = NumberedQueue<Work>()
        /// The time spent on the lane, times the lane's weight. The lane with the least time is next. A lane that was
        /// empty continues at `reached`, or later if its own latest work took it further (start-time fair queueing).
        var spent = Duration.zero
    }

    private let state = Guarded(State())
    /// The maximum number of requests in the queue.
    private let capacity: Int
    private let threads: Int
    private let start: Start
    private let clock: @Sendable () -> Duration

    /// The time for requests, as a multiple of the time for background work, while both kinds are waiting.
    private static let requestShare = 8

    /// - Parameters:
    ///   - threads: the maximum number of threads.
    ///   - clock: returns the time since a fixed moment; tests replace it.
    ///   - start: runs its argument on a thread of its own; tests choose when it runs.
    init(
        capacity: Int = 128, threads: Int = 1, clock: @escaping @Sendable () -> Duration = WorkQueue.time,
        start: @escaping Start = WorkQueue.onThread
    ) {
        self.capacity = capacity
        self.threads = threads
        self.clock = clock
        self.start = start
    }

    /// Adds the work of a request. Returns false if the queue is full.
    func add(_ work: @escaping Work) -> Bool {
        let (isTaken, isFirst) = state.withLock { state in
            guard state.lanes[0].work.count < capacity else { return (false, false) }
            return (true, state.add(work, to: 0, threads: threads))
        }
        if isFirst { start { self.run() } }
        return isTaken
    }

    /// Adds background work, which comes behind all requests. The callers limit the amount of background work.
    ///
    /// - Parameter cost: the approximate number of rows that the work looks at.
    func addBehind(cost: Int = 0, _ work: @escaping Work) {
        let isFirst = state.withLock { state in
            var (lane, rest) = (1, cost / 100)
            while rest > 0, lane < state.lanes.count - 1 { (lane, rest) = (lane + 1, rest / 10) }
            return state.add(work, to: lane, threads: threads)
        }
        if isFirst { start { self.run() } }
    }

    var count: Int { state.withLock { $0.lanes.reduce(0) { $0 + $1.work.count } } }

    /// The expected time until all requests in the queue are done, including the background work between them.
    var expectedTime: Duration {
        state.withLock { state in
            let requests = state.mean * state.lanes[0].work.count
            return state.busy.contains { $0 > 0 } ? requests + requests / Self.requestShare : requests
        }
    }

    private func run() {
        while let (work, lane) = state.withLock({ $0.takeNext() }) {
            let began = clock()
            work()
            let took = clock() - began
            state.withLock { $0.note(took, in: lane, share: Self.requestShare) }
        }
    }

    private static let epoch = ContinuousClock.now
    static let time: @Sendable () -> Duration = { epoch.duration(to: .now) }

    /// Runs brief work on a thread of the usual priority. If the priority were lower, each finished answer would make
    /// way for the thread that sends the answer, and both threads would lose time to these changes.
    static let onUsualThread: Start = start(niceness: 0)
    /// Runs work on a thread of low priority: threads that serve other requests go first.
    static let onThread: Start = start(niceness: 5)
    /// Runs long work on a thread of still lower priority: other work goes first, too.
    static let onThreadBehind: Start = start(niceness: 15)

    private static func start(niceness: Int32) -> Start {
        let threads = StandbyThreads(name: "work", niceness: niceness)
        return { threads.run($0) }
    }
}

extension WorkQueue.State {
    /// The lanes with work.
    fileprivate var busy: [Int] { lanes.indices.filter { lanes[$0].work.count > 0 } }

    /// Adds work. Returns whether a thread must be started for the work.
    fileprivate mutating func add(_ work: @escaping WorkQueue.Work, to lane: Int, threads: Int) -> Bool {
        if lanes[lane].work.count == 0 { lanes[lane].spent = max(lanes[lane].spent, reached) }
        lanes[lane].work.append(work)
        guard running < threads else { return false }
        running += 1
        return true
    }

    /// The next work, and its lane. Nil if there is none; the thread must then end.
    fileprivate mutating func takeNext() -> (work: WorkQueue.Work, lane: Int)? {
        let next = busy.min { lanes[$0].spent < lanes[$1].spent }
        if let next, let work = lanes[next].work.removeFirst() {
            reached = max(reached, lanes[next].spent)
            return (work, next)
        }
        running -= 1
        if running == 0 { reached = lanes.map(\.spent).max() ?? .zero }
        return nil
    }

    /// Notes the time of work. The lanes of background work have together one share of the time for each `share` of the
    /// requests.
    fileprivate mutating func note(_ time: Duration, in lane: Int, share: Int) {
        lanes[lane].spent += lane == 0 ? time : time * (share * max(busy.count { $0 > 0 }, 1))
        if lane == 0 { mean = mean == .zero ? time : (mean * 3 + time) / 4 }
    }
}

import Locking
import Threads
import TreeStore

/// Runs long work on one or a few threads of low priority, so that the work hardly delays other requests.
///
/// Requests come first, in order of arrival. Background work, such as checks after a change, comes behind the requests and
/// does not count against their capacity. If requests are always waiting, background work still gets a small share of the
/// time.
///
/// Background work is divided into lanes by cost, which get equal shares of the time of background work. So a thousand
/// long checks delay a short check by at most one long check, and any number of short checks cannot stop the long checks.
///
/// A thread begins when work arrives, unless the maximum number of threads is running. A thread ends when no work
/// is left.
final class WorkQueue: Sendable {
    typealias Work = @Sendable () -> Void
    /// Runs work on another thread.
    typealias Start = @Sendable (@escaping Work) -> Void

    fileprivate struct State {
        var requests = NumberedQueue<Work>()
        /// The lanes of background work, by the number of decimal digits of the cost.
        var lanes = [Lane](repeating: Lane(), count: 6)
        /// The time spent on requests, and the time spent on background work times its weight. The kind with less time is
        /// next (start-time fair queueing).
        var requestTime = Duration.zero
        var backgroundTime = Duration.zero
        /// The time of the kind and of the lane of the latest work, as they were when it began. When no work is left, the
        /// largest times.
        var reached = Duration.zero
        var reachedLane = Duration.zero
        /// The number of threads that do work.
        var running = 0
        /// The mean time of requests, in which the latest requests weigh most.
        var mean = Duration.zero
    }

    fileprivate struct Lane {
        var work = NumberedQueue<Work>()
        /// The time spent on the lane. The lane with the least time is next.
        var time = Duration.zero
    }

    private let state = Guarded(State())
    /// The maximum number of requests in the queue.
    private let capacity: Int
    private let threads: Int
    private let start: Start
    private let clock: @Sendable () -> Duration

    /// The time for requests, as a multiple of the time for background work, while both kinds are waiting.
    fileprivate static let requestWeight = 8

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
            guard state.requests.count < capacity else { return (false, false) }
            return (true, state.add(work, threads: threads))
        }
        if isFirst { start { self.run() } }
        return isTaken
    }

    /// Adds background work, which comes behind all requests. The callers limit the amount of background work.
    ///
    /// - Parameter cost: the approximate number of rows that the work looks at.
    func addBehind(cost: Int = 0, _ work: @escaping Work) {
        let isFirst = state.withLock { state in
            var (lane, rest) = (0, cost / 100)
            while rest > 0, lane < state.lanes.count - 1 { (lane, rest) = (lane + 1, rest / 10) }
            return state.add(work, behindIn: lane, threads: threads)
        }
        if isFirst { start { self.run() } }
    }

    var count: Int { state.withLock { $0.lanes.reduce($0.requests.count) { $0 + $1.work.count } } }

    /// The expected time until all requests in the queue are done, including the background work between them.
    var expectedTime: Duration {
        state.withLock { state in
            let requests = state.mean * state.requests.count
            return state.nextLane == nil ? requests : requests + requests / Self.requestWeight
        }
    }

    private func run() {
        while let (work, lane) = state.withLock({ $0.takeNext() }) {
            let began = clock()
            work()
            let took = clock() - began
            state.withLock { $0.note(took, in: lane) }
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
    /// The lane whose work is next; nil without background work.
    fileprivate var nextLane: Int? {
        lanes.indices.filter { lanes[$0].work.count > 0 }
            .min { lanes[$0].time < lanes[$1].time }
    }

    /// Adds a request. Returns whether a thread must be started.
    fileprivate mutating func add(_ work: @escaping WorkQueue.Work, threads: Int) -> Bool {
        // Requests come first: a new one does not wait for background work to make up for earlier requests.
        if requests.count == 0 { requestTime = reached }
        requests.append(work)
        return startsThread(threads)
    }

    /// Adds background work. Returns whether a thread must be started.
    fileprivate mutating func add(
        _ work: @escaping WorkQueue.Work, behindIn lane: Int, threads: Int
    ) -> Bool {
        // Without work for a time, neither has time to make up for, nor does it forget the time that it took.
        if nextLane == nil { backgroundTime = max(backgroundTime, reached) }
        if lanes[lane].work.count == 0 {
            lanes[lane].time = max(lanes[lane].time, reachedLane)
        }
        lanes[lane].work.append(work)
        return startsThread(threads)
    }

    private mutating func startsThread(_ threads: Int) -> Bool {
        guard running < threads else { return false }
        running += 1
        return true
    }

    /// Takes the next work, and its lane, which is nil for a request. Nil if there is no work; the thread must then end.
    fileprivate mutating func takeNext() -> (work: WorkQueue.Work, lane: Int?)? {
        let lane = nextLane
        if lane == nil || requestTime <= backgroundTime, let work = requests.removeFirst() {
            reached = max(reached, requestTime)
            return (work, nil)
        }
        if let lane, let work = lanes[lane].work.removeFirst() {
            reached = max(reached, backgroundTime)
            reachedLane = max(reachedLane, lanes[lane].time)
            return (work, lane)
        }
        running -= 1
        if running == 0 {
            reached = max(requestTime, backgroundTime)
            reachedLane = lanes.map(\.time).max() ?? .zero
        }
        return nil
    }

    /// Notes the time of a request or, if `lane` is given, of background work.
    fileprivate mutating func note(_ time: Duration, in lane: Int?) {
        guard let lane else {
            requestTime += time
            mean = mean == .zero ? time : (mean * 3 + time) / 4
            return
        }
        backgroundTime += time * WorkQueue.requestWeight
        lanes[lane].time += time
    }
}

import Locking
import Threads
import TreeStore

/// Runs long work on one or a few threads of low priority, so that the work hardly delays other requests.
///
/// The work of requests comes first, in order of arrival. Background work, such as checks after a change, comes behind
/// the requests and does not count against their capacity. If requests are always waiting, background work still gets a
/// small share of the time.
///
/// A thread begins when work arrives, unless the maximum number of threads is running. A thread ends when no work
/// is left.
final class WorkQueue: Sendable {
    typealias Work = @Sendable () -> Void
    /// Runs work on another thread.
    typealias Start = @Sendable (@escaping Work) -> Void

    fileprivate struct State {
        var requests = NumberedQueue<Work>()
        var behind = NumberedQueue<Work>()
        /// The number of threads that do work.
        var running = 0
        /// The time spent on each kind of work while both kinds were waiting.
        var spent = (requests: Duration.zero, behind: Duration.zero)
        /// The mean time of requests, in which the latest requests weigh most.
        var mean = Duration.zero
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
            guard state.requests.count < capacity else { return (false, false) }
            state.requests.append(work)
            return (true, state.begin(threads))
        }
        if isFirst { start { self.run() } }
        return isTaken
    }

    /// Adds background work, which comes behind all requests. The callers limit the amount of background work.
    func addBehind(_ work: @escaping Work) {
        let isFirst = state.withLock { state in
            state.behind.append(work)
            return state.begin(threads)
        }
        if isFirst { start { self.run() } }
    }

    var count: Int { state.withLock { $0.requests.count + $0.behind.count } }

    /// The expected time until all requests in the queue are done, including the background work between them.
    var expectedTime: Duration {
        state.withLock { state in
            let requests = state.mean * state.requests.count
            return state.behind.count == 0 ? requests : requests + requests / Self.requestShare
        }
    }

    private func run() {
        while let (work, isRequest) = next() {
            let began = clock()
            work()
            let took = clock() - began
            state.withLock { $0.note(took, isRequest: isRequest) }
        }
    }

    private func next() -> (work: Work, isRequest: Bool)? {
        state.withLock { state in
            if let work = state.takeNext(share: Self.requestShare) { return work }
            state.running -= 1
            return nil
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
    /// Notes that work arrived. Returns whether a thread must be started for the work.
    fileprivate mutating func begin(_ threads: Int) -> Bool {
        guard running < threads else { return false }
        running += 1
        return true
    }

    fileprivate mutating func takeNext(share: Int) -> (work: WorkQueue.Work, isRequest: Bool)? {
        if requests.count == 0 || behind.count == 0 { spent = (.zero, .zero) }
        let isBehindDue = requests.count == 0 || spent.behind * share < spent.requests
        if isBehindDue, let work = behind.removeFirst() { return (work, false) }
        return requests.removeFirst().map { ($0, true) }
    }

    fileprivate mutating func note(_ time: Duration, isRequest: Bool) {
        if isRequest {
            spent.requests += time
            mean = mean == .zero ? time : (mean * 3 + time) / 4
        } else {
            spent.behind += time
        }
    }
}

/// The pending checks, in classes by cost.
///
/// Each class gets an equal share of the time, and its checks are made in order of arrival. A thousand long checks
/// delay a short check by at most one long check. Any number of short checks cannot stop the long checks.
struct RecheckClasses<Key: Sendable>: Sendable {
    private struct Class {
        var keys = NumberedQueue<Key>()
        /// The time spent on the class; a class that was empty begins with the least time of the other classes.
        var spent = Duration.zero
    }

    /// The classes, in ascending order of the number of decimal digits of the cost.
    private var classes = [Class](repeating: Class(), count: 6)

    var isEmpty: Bool { classes.allSatisfy { $0.keys.count == 0 } }

    /// - Parameter cost: the approximate number of rows that the check looks at.
    mutating func add(_ key: Key, cost: Int) {
        var (number, rest) = (0, cost / 100)
        while rest > 0, number < classes.count - 1 { (number, rest) = (number + 1, rest / 10) }
        if classes[number].keys.count == 0 {
            classes[number].spent = classes.filter { $0.keys.count > 0 }.map(\.spent).min() ?? .zero
        }
        classes[number].keys.append(key)
    }

    /// The next check of the class that has had the least time.
    mutating func takeNext() -> (key: Key, class: Int)? {
        let waiting = classes.indices.filter { classes[$0].keys.count > 0 }
        guard let number = waiting.min(by: { classes[$0].spent < classes[$1].spent }) else { return nil }
        return classes[number].keys.removeFirst().map { ($0, number) }
    }

    mutating func note(_ time: Duration, in number: Int) { classes[number].spent += time }
}

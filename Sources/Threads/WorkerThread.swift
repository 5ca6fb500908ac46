internal import Glibc
internal import Locking
internal import Synchronization

/// A thread that runs jobs one after the other, while the threads that add them go on, or wait for something else.
public final class WorkerThread: Sendable {
    /// Something to be done once.
    public typealias Job = @Sendable () -> Void

    private let jobs: JobQueue
    private let thread: Thread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: as that of `Thread`.
    ///   - limit: how many jobs may wait.
    ///   - niceness: with a low priority, where there are fewer processors than threads, it fills the time in which the
    ///     others wait.
    /// - Throws: `SystemCallError` if the system starts no more threads.
    public init(name: String, limit: Int = 1, niceness: Int32 = 10) throws(SystemCallError) {
        let jobs = JobQueue(limit: limit)
        thread = try Thread(name: name) {
            if niceness != 0 { Thread.setNiceness(niceness) }
            // It is woken for work beside which the caller has more to do.
            Thread.setBatchScheduling()
            while let job = jobs.next() { job() }
        }
        self.jobs = jobs
    }

    deinit { stop() }

    /// Has the thread run a job; returns at once.
    ///
    /// - Returns: false if too many jobs wait, or the thread was stopped: the job will not run.
    public func add(_ job: @escaping Job) -> Bool { jobs.add(job) }

    /// Ends the thread after all its jobs, and waits for its end.
    public func stop() {
        jobs.close()
        thread.join()
    }
}

/// A thread that takes the same turn again and again, until it is stopped.
public final class LoopThread: Sendable {
    private let thread: Thread
    private let bell: Wakeup
    private let isStopped: StopFlag

    private final class StopFlag: Sendable {
        let isSet = Atomic(false)
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: as that of `Thread`.
    ///   - bell: wakes the thread when it is stopped; each turn waits for this one.
    ///   - turn: called again and again on the thread.
    /// - Throws: `SystemCallError` if the system starts no more threads.
    public init(
        name: String, bell: Wakeup, _ turn: @escaping @Sendable () -> Void
    ) throws(SystemCallError) {
        let isStopped = StopFlag()
        thread = try Thread(name: name) { while !isStopped.isSet.load(ordering: .acquiring) { turn() } }
        (self.bell, self.isStopped) = (bell, isStopped)
    }

    deinit { stop() }

    /// Ends the thread after its current turn, and waits for its end; does nothing the second time.
    public func stop() {
        isStopped.isSet.store(true, ordering: .releasing)
        bell.signal()
        thread.join()
    }
}

/// The jobs that wait for a thread.
private final class JobQueue: Sendable {
    private struct Waiting {
        var jobs: [WorkerThread.Job] = []
        var isClosed = false
    }

    private let waiting = Guarded(Waiting())
    private let limit: Int
    /// One signal for each job, and one for the end.
    private let arrival = Semaphore()

    init(limit: Int) { self.limit = limit }

    func add(_ job: @escaping WorkerThread.Job) -> Bool {
        let isTaken = waiting.withLock { waiting in
            guard !waiting.isClosed, waiting.jobs.count < limit else { return false }
            waiting.jobs.append(job)
            return true
        }
        if isTaken { arrival.signal() }
        return isTaken
    }

    func close() {
        waiting.withLock { $0.isClosed = true }
        arrival.signal()
    }

    /// Waits for the next job; nil if there will be no more.
    func next() -> WorkerThread.Job? {
        arrival.wait()
        return waiting.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }
}

/// Counts signals that a thread waits for (`sem_overview(7)`); needs no descriptor, and no call of the system if nobody
/// has to be woken or to wait.
@safe
public final class Semaphore: Sendable {
    /// Only passed to functions that any number of threads may call at once.
    private nonisolated(unsafe) let counter: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore without signals.
    public init() {
        unsafe counter = .allocate(capacity: 1)
        unsafe counter.initialize(to: sem_t())
        unsafe sem_init(counter, 0, 0)
    }

    deinit {
        unsafe sem_destroy(counter)
        unsafe counter.deallocate()
    }

    /// Adds a signal, and wakes a thread that waits for it.
    public func signal() { unsafe sem_post(counter) }

    /// Waits for a signal, and takes it.
    public func wait() {
        // A signal handler of the process ends the wait early.
        while unsafe sem_wait(counter) != 0 {}
    }
}

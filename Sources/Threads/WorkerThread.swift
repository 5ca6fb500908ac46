internal import CThreads
internal import Glibc
internal import Locking

/// A thread that runs jobs one after the other, while other threads continue.
public final class WorkerThread: Sendable {
    public typealias Job = @Sendable () -> Void

    private let jobs: Mailbox<Job>
    /// One signal for each job, and one signal for the end of the thread.
    private let arrival: Semaphore
    private let thread: Thread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: the name of the `Thread`.
    ///   - limit: the maximum number of waiting jobs.
    /// - Throws: `SystemCallError` if the system starts no more threads.
    public init(name: String, limit: Int = 1) throws(SystemCallError) {
        let arrival = Semaphore()
        let jobs = Mailbox<Job>(limit: limit) { arrival.signal() }
        thread = try Thread(name: name) { while Self.runNext(jobs, arrival: arrival) {} }
        (self.jobs, self.arrival) = (jobs, arrival)
    }

    deinit { stop() }

    /// Runs the next job, and releases it. Returns false after the last job.
    private static func runNext(_ jobs: Mailbox<Job>, arrival: Semaphore) -> Bool {
        arrival.wait()
        guard let job = jobs.takeFirst() else { return false }
        job()
        return true
    }

    /// Adds a job. Returns at once.
    ///
    /// - Returns: false if the job will not run, because too many jobs wait or the thread was stopped.
    public func add(_ job: @escaping Job) -> Bool { jobs.add(job) == .taken }

    /// Ends the thread after all its jobs, and waits until it has ended.
    public func stop() {
        jobs.close()
        arrival.signal()
        thread.join()
    }
}

/// A thread that calls the same closure repeatedly, until it is stopped.
public final class LoopThread: Sendable {
    private let thread: Thread
    private let bell: Wakeup
    private let isStopped: Guarded<Bool>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: the name of the `Thread`.
    ///   - bell: wakes the thread when it is stopped; each turn waits for this bell.
    ///   - turn: called repeatedly on the thread.
    /// - Throws: `SystemCallError` if the system starts no more threads.
    public init(name: String, bell: Wakeup, _ turn: @escaping @Sendable () -> Void) throws(SystemCallError) {
        let isStopped = Guarded(false)
        thread = try Thread(name: name) { while !isStopped.withLock({ $0 }) { turn() } }
        (self.bell, self.isStopped) = (bell, isStopped)
    }

    deinit { stop() }

    /// Ends the thread after its current turn, and waits until it has ended. Does nothing the second time.
    public func stop() {
        isStopped.withLock { $0 = true }
        bell.signal()
        thread.join()
    }
}

/// A counter of signals that a thread waits for (`sem_overview(7)`). A semaphore needs no descriptor, and needs a
/// system call only to wait or to wake.
@safe
public final class Semaphore: Sendable {
    /// Passed only to functions that any number of threads may call at the same time.
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

    /// Waits for a signal, and takes it. Returns false after a number of seconds without a signal.
    func wait(seconds: Int) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &end)
        end.tv_sec += seconds
        while unsafe sem_timedwait(counter, &end) != 0 {
            // A signal handler of the process ends the wait early.
            guard errno == EINTR else { return false }
        }
        return true
    }
}

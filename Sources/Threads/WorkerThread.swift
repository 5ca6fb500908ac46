internal import Glibc
internal import Locking

/// A thread that runs jobs one after the other, while other threads continue or wait for them.
public final class WorkerThread: Sendable {
    public typealias Job = @Sendable () -> Void

    private struct Entry {
        let run: Job
        /// Signalled after the job was run and released.
        var end = Semaphore()
    }

    private let jobs: Mailbox<Entry>
    /// One signal for each job, and one signal for the end of the thread.
    private let arrival: Semaphore
    private let thread: Thread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: the name of the `Thread`.
    ///   - limit: the maximum number of waiting jobs.
    ///   - niceness: the niceness of the thread (`Thread.setNiceness(_:)`). By default, other threads have precedence.
    ///   - stackBytes: the size of the thread's stack; nil for the system's default.
    /// - Throws: `SystemCallError` if the system starts no more threads.
    public init(
        name: String, limit: Int = 1, niceness: Int32 = 10, stackBytes: Int? = nil
    ) throws(SystemCallError) {
        let arrival = Semaphore()
        let jobs = Mailbox<Entry>(limit: limit) { arrival.signal() }
        thread = try Thread(name: name, stackBytes: stackBytes) {
            if niceness != 0 { Thread.setNiceness(niceness) }
            // A job does not preempt the thread that adds the job. That thread has more to do, or waits for the job.
            Thread.setBatchScheduling()
            while let end = Self.runNext(jobs, arrival: arrival) { end.signal() }
        }
        (self.jobs, self.arrival) = (jobs, arrival)
    }

    deinit { stop() }

    /// Runs the next job, and releases it.
    ///
    /// - Returns: the semaphore to signal; nil after the last job.
    private static func runNext(_ jobs: Mailbox<Entry>, arrival: Semaphore) -> Semaphore? {
        arrival.wait()
        guard let job = jobs.takeFirst() else { return nil }
        job.run()
        return job.end
    }

    /// Adds a job. Returns at once.
    ///
    /// - Returns: false if the job will not run, because too many jobs wait or the thread was stopped.
    public func add(_ job: @escaping Job) -> Bool { jobs.add(Entry(run: job)) == .taken }

    /// Runs a closure on the thread, and waits until the closure has ended. Only one caller at a time may call this.
    ///
    /// The two threads never run at the same time, so the closure may use everything that its caller uses. The closure
    /// runs with the priority of this thread. A caller without privileges could lower its own priority for the closure,
    /// but could not raise its priority again. If too many jobs wait, or if the thread was stopped, the closure runs on
    /// the caller's thread.
    public func perform<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        var result: Result<Value, Failure>?
        run {
            do throws(Failure) {
                result = .success(try body())
            } catch {
                result = .failure(error)
            }
        }
        return if let result { try result.get() } else { try body() }
    }

    /// Unchecked Sendable: the thread that adds the closure waits until the closure was run and released. Only one
    /// thread at a time therefore uses the captured values, and the semaphores order the accesses.
    private struct Work: @unchecked Sendable {
        let run: () -> Void
    }

    private func run(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            let end = Semaphore()
            let work = Work(run: body)
            if jobs.add(Entry(run: { work.run() }, end: end)) == .taken { end.wait() }
        }
    }

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

import Locking
import Threads

/// The thread that watches the sleeping connections: their deadlines, hang-ups and wakes.
///
/// Only this thread resumes connections. A wake is therefore just an entry in a list, so waking a thousand connections
/// blocks nobody; and a reported hang-up always belongs to a connection that is still asleep.
final class SuspendedConnections: Sendable {
    private let connections: Connections
    /// The time that a connection has after it wakes.
    private let milliseconds: Int64
    private let hangUps: EpollSet
    private let book = Guarded(Book())
    private let thread = Guarded<Thread?>(nil)

    private struct Book {
        /// The sleeping ones whose deadline has not passed.
        var deadlines = DeadlineHeap<Suspension>()
        /// Those to resume.
        var woken: [Suspension] = []
        /// The number of those taken in and not yet resumed.
        var count = 0
        var isStopping = false
        /// When the thread will check the deadlines next without a signal.
        var alarm = Int64.max
    }

    /// - Parameter milliseconds: the time that a connection has after it wakes.
    init(connections: Connections, deadline milliseconds: Int64) throws(ServerError) {
        self.connections = connections
        self.milliseconds = milliseconds
        hangUps = try EpollSet()
    }

    /// Starts the thread.
    func start() throws(ServerError) {
        let started = try ServerError.wrapping { () throws(SystemCallError) in
            try Thread(name: "suspended") { self.run() }
        }
        thread.withLock { $0 = started }
    }

    /// Tells all sleepers that the server is stopping, and returns once their connections have been resumed.
    ///
    /// No connection sleeps after that.
    func stop() {
        let sleepers = book.withLock { book in
            book.isStopping = true
            return book.deadlines.entries.map(\.sleeper)
        }
        for sleeper in sleepers { sleeper?.serverStops() }
        guard let thread = thread.withLock({ $0.take() }) else { return }
        hangUps.signal()
        thread.join()
    }

    // MARK: For suspensions

    /// Takes in a connection that is about to sleep; false if the server is stopping.
    func takeIn(_ suspension: Suspension) -> Bool {
        let (isIn, isFirst) = book.withLock { book in
            guard !book.isStopping else { return (false, false) }
            book.count += 1
            book.deadlines.insert(suspension)
            guard suspension.deadline < book.alarm else { return (true, false) }
            book.alarm = suspension.deadline
            return (true, true)
        }
        guard isIn else { return false }
        connections.setAside(suspension.state)
        unsafe hangUps.add(
            suspension.state.descriptor, orInput: suspension.wakesOnInput,
            token: Unmanaged.passUnretained(suspension).toOpaque())
        if isFirst { hangUps.signal() }
        return true
    }

    /// Schedules a connection that was taken in to be resumed; called once for each sleep.
    func wake(_ suspension: Suspension) {
        let isFirst = book.withLock { book in
            book.woken.append(suspension)
            return book.woken.count == 1
        }
        if isFirst { hangUps.signal() }
    }

    // MARK: On the thread

    private func run() {
        while !isOver {
            unsafe hangUps.wait(milliseconds: pause(at: ExactClock.now)) { token in
                // It is registered only while it sleeps, so it exists.
                unsafe Unmanaged<Suspension>.fromOpaque(token)._withUnsafeGuaranteedRef { $0.sleeper?.clientHasGone() }
            }
            for suspension in due() { suspension.sleeper?.timeIsOver() }
            resumeWoken()
        }
    }

    /// Whether the server stops and every connection was resumed.
    private var isOver: Bool { book.withLock { $0.isStopping && $0.count == 0 } }

    /// How long the thread has nothing to do, in milliseconds; nil until it is signalled.
    func pause(at now: Int64) -> Int64? {
        book.withLock { book in
            // An alarm that has become unnecessary is kept: the next sleeper's deadline, which is probably later, then
            // needs no signal.
            let kept = book.alarm > now ? book.alarm : .max
            book.alarm = min(kept, book.deadlines.next ?? .max)
            if !book.woken.isEmpty { return 0 }
            return book.alarm == .max ? nil : max(book.alarm - now, 0)
        }
    }

    private func due() -> [Suspension] {
        let now = ExactClock.now
        return book.withLock { book in
            var due: [Suspension] = []
            while let suspension = book.deadlines.removeFirst(at: now) { due.append(suspension) }
            return due
        }
    }

    private func resumeWoken() {
        let woken = book.withLock { book in
            for suspension in book.woken { book.deadlines.remove(suspension) }
            defer { book.woken = [] }
            return book.woken
        }
        guard !woken.isEmpty else { return }
        let deadline = CoarseClock.now + milliseconds
        for suspension in woken {
            hangUps.remove(suspension.state.descriptor)
            suspension.state.work(until: deadline)
        }
        connections.takeBack(woken.map(\.state))
        for suspension in woken { suspension.resume() }
        book.withLock { $0.count -= woken.count }
    }
}

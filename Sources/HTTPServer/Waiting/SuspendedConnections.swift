import Locking
import Threads

/// The thread that watches over the connections that sleep: their deadlines, hang-ups, and wakes.
///
/// It alone resumes connections. So a wake is an entry in a list, and whoever wakes a thousand waits for nobody; and a
/// hang-up that it was told of is of a connection that still sleeps.
final class SuspendedConnections: Sendable {
    private let connections: Connections
    /// What a connection that wakes has until its next deadline.
    private let milliseconds: Int64
    private let hangUps: EpollSet
    private let book = Guarded(Book())
    private let thread = Guarded<Thread?>(nil)

    private struct Book {
        /// Those that sleep, until their deadline passes.
        var deadlines = DeadlineHeap<Suspension>()
        /// Those that are to be resumed.
        var woken: [Suspension] = []
        /// How many have been taken in and not yet resumed.
        var count = 0
        var isStopping = false
        /// When the thread will look at the agenda again by itself.
        var alarm = Int64.max
    }

    /// - Parameter milliseconds: the deadline that a connection has when it wakes.
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

    /// Tells all who sleep that the server stops, and returns when their connections have been resumed.
    ///
    /// None sleeps from then on.
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

    /// Takes charge of a connection that is about to sleep; false where the server stops.
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
        unsafe hangUps.add(suspension.state.descriptor, token: Unmanaged.passUnretained(suspension).toOpaque())
        if isFirst { hangUps.signal() }
        return true
    }

    /// Has a connection resumed that was taken in; once for each time.
    func wake(_ suspension: Suspension) {
        let isFirst = book.withLock { book in
            book.woken.append(suspension)
            return book.woken.count == 1
        }
        if isFirst { hangUps.signal() }
    }

    // MARK: On the thread

    private func run() {
        while let pause = plan() {
            unsafe hangUps.wait(milliseconds: pause) { token in
                // Registered only while it sleeps, and so alive.
                unsafe Unmanaged<Suspension>.fromOpaque(token)._withUnsafeGuaranteedRef { $0.sleeper?.clientHasGone() }
            }
            for suspension in due() { suspension.sleeper?.timeIsOver() }
            resumeWoken()
        }
    }

    /// How long there is nothing to do, unless there is a signal; `nil` at the end.
    private func plan() -> Int64? {
        let now = ExactClock.now
        return book.withLock { book in
            if book.isStopping && book.count == 0 { return nil }
            book.alarm = book.deadlines.next ?? .max
            return book.woken.isEmpty ? min(book.alarm, now + 60_000) - now : 0
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

import Glibc
import Locking
import Synchronization
import Threads

/// The thread that watches the sleeping connections: their deadlines, hang-ups and wakes.
///
/// Only this thread resumes the connections that it watches. So a wake is only an entry in a list, and a caller that
/// wakes a thousand connections does not block. Also, a reported hang-up always belongs to a connection that is still
/// asleep.
///
/// Connections that sleep briefly are not watched for the first second. In that second, the thread that wakes them also
/// resumes them. If a thread wakes several of them together, it resumes only one connection of each of the library's
/// threads: the leader. The leader's thread then resumes its other connections: the followers. So each of the library's
/// threads is woken only once.
final class SuspendedConnections: Sendable {
    private let connections: Connections
    /// The time in which a request must be finished after its connection wakes, in milliseconds.
    private let milliseconds: Int64
    private let hangUps: EpollSet<Suspension>
    private let book = Guarded(Book())
    private let thread = Guarded<Thread?>(nil)
    /// Whether there may be followers.
    private let hasFollowers = Atomic(false)

    fileprivate struct Book {
        /// The sleeping connections whose deadline has not passed.
        var deadlines = DeadlineHeap<Suspension>()
        /// The watched connections that were woken and are to be resumed.
        var woken: [Suspension] = []
        /// The followers, by the thread of the library that serves and resumes them.
        var followers: [pthread_t: [Suspension]] = [:]
        /// The number of connections that were taken in and have not yet been resumed.
        var count = 0
        var isStopping = false
        /// The time at which the thread will check the deadlines without a signal, in milliseconds of the exact clock.
        var alarm = Int64.max
    }

    /// - Parameter milliseconds: the time in which a request must be finished after its connection wakes.
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

    /// Notifies all sleepers that the server is stopping, and returns once their connections have been resumed.
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
        let (isIn, isFirst, isWatched) = book.withLock { book in
            guard !book.isStopping else { return (false, false, false) }
            book.count += 1
            book.deadlines.insert(suspension)
            let isFirst = suspension.deadline < book.alarm
            if isFirst { book.alarm = suspension.deadline }
            return (true, isFirst, suspension.isWatched)
        }
        guard isIn else { return false }
        connections.setAside(suspension.state)
        if isWatched { watch(suspension) }
        if isFirst { hangUps.signal() }
        return true
    }

    private func watch(_ suspension: Suspension) {
        hangUps.add(suspension.state.descriptor, orInput: suspension.wakesOnInput, for: suspension)
    }

    /// Ends the sleep of a connection that was taken in. The connection is then resumed. Called once for each sleep.
    func wake(_ suspension: Suspension) { wake([suspension]) }

    /// Ends the sleep of connections that were taken in.
    ///
    /// Watched connections are resumed on the thread of this object. Of the unwatched connections, the leaders are
    /// resumed immediately on the calling thread, and the followers on their own thread of the library.
    func wake(_ suspensions: [Suspension]) {
        let (leaders, isFirst) = book.withLock { book in
            let hadWoken = !book.woken.isEmpty
            var unwatched: [Suspension] = []
            for suspension in suspensions {
                if suspension.isWatched { book.woken.append(suspension) } else { unwatched.append(suspension) }
            }
            prepare(unwatched, in: &book)
            let leaders = book.takeLeaders(of: unwatched)
            hasFollowers.store(!book.followers.isEmpty, ordering: .releasing)
            return (leaders, !hadWoken && !book.woken.isEmpty)
        }
        if isFirst { hangUps.signal() }
        resume(leaders)
    }

    /// Resumes the followers that a thread of the library serves; called on that thread.
    func resumeFollowers(of worker: pthread_t) {
        // A thread that was woken because its leader was resumed sees all earlier stores.
        guard hasFollowers.load(ordering: .acquiring) else { return }
        let followers = book.withLock { book in
            let followers = book.followers.removeValue(forKey: worker)
            hasFollowers.store(!book.followers.isEmpty, ordering: .releasing)
            return followers
        }
        if let followers { resume(followers) }
    }

    /// Returns connections to the library, after they were removed from all lists.
    private func resume(_ suspensions: [Suspension]) {
        guard !suspensions.isEmpty else { return }
        for suspension in suspensions { suspension.resume() }
        let isOver = book.withLock { book in
            book.count -= suspensions.count
            return book.isStopping && book.count == 0
        }
        if isOver { hangUps.signal() }
    }

    /// Notes that connections are no longer asleep, before any thread can resume them.
    private func prepare(_ woken: [Suspension], in book: inout Book) {
        guard !woken.isEmpty else { return }
        let deadline = CoarseClock.now + milliseconds
        for suspension in woken {
            book.deadlines.remove(suspension)
            suspension.sleeper = nil
            suspension.state.work(until: deadline)
        }
        connections.takeBack(woken.map(\.state))
    }

    // MARK: On the thread

    private func run() {
        while !isOver {
            hangUps.wait(milliseconds: pause(at: ExactClock.now)) { $0.sleeper?.clientHasGone() }
            for sleeper in due() { sleeper.timeIsOver() }
            resumeWoken()
        }
    }

    /// Whether the server is stopping and every connection has been resumed.
    private var isOver: Bool { book.withLock { $0.isStopping && $0.count == 0 } }

    /// The time until the thread has something to do, in milliseconds; nil if it has to wait for a signal.
    func pause(at now: Int64) -> Int64? {
        book.withLock { book in
            // An alarm that has become unnecessary is kept. The next sleeper's deadline is probably later than this
            // alarm, and then needs no signal.
            let kept = book.alarm > now ? book.alarm : .max
            book.alarm = min(kept, book.deadlines.next ?? .max)
            if !book.woken.isEmpty { return 0 }
            return book.alarm == .max ? nil : max(book.alarm - now, 0)
        }
    }

    /// Takes the sleepers whose time is over, and begins to watch brief sleepers that sleep longer than expected.
    private func due() -> [any Sleeper] {
        let now = ExactClock.now
        return book.withLock { book in
            var due: [any Sleeper] = []
            while let suspension = book.deadlines.removeFirst(at: now) {
                if suspension.end > now {
                    suspension.deadline = suspension.end
                    suspension.isWatched = true
                    book.deadlines.insert(suspension)
                    watch(suspension)
                } else if let sleeper = suspension.sleeper {
                    due.append(sleeper)
                }
            }
            return due
        }
    }

    private func resumeWoken() {
        let woken = book.withLock { book in
            prepare(book.woken, in: &book)
            defer { book.woken = [] }
            return book.woken
        }
        // The sockets are removed first: a resumed connection may be closed, and the system may then reuse its
        // descriptor.
        for suspension in woken { hangUps.remove(suspension.state.descriptor) }
        resume(woken)
    }
}

extension SuspendedConnections.Book {
    /// Makes the first connection of each of the library's threads a leader, and stores the others as followers.
    /// Returns the leaders.
    fileprivate mutating func takeLeaders(of woken: [Suspension]) -> [Suspension] {
        var leaders: [Suspension] = []
        for suspension in woken {
            if leaders.contains(where: { $0.worker == suspension.worker }) {
                followers[suspension.worker, default: []].append(suspension)
            } else {
                leaders.append(suspension)
            }
        }
        return leaders
    }
}

/// A binary heap ordered by deadline, from which any entry can be removed in logarithmic time.
struct DeadlineHeap<Entry: Scheduled> {
    /// The deadlines are stored beside the entries, so that a comparison follows no pointer.
    private var heap: [(deadline: Int64, entry: Entry)] = []

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }
    /// All entries, in no particular order.
    var entries: [Entry] { heap.map(\.entry) }
    /// The earliest deadline; nil if the heap is empty.
    var next: Int64? { heap.first?.deadline }

    /// Inserts an entry that is not in a heap.
    mutating func insert(_ entry: Entry) {
        heap.append((entry.deadline, entry))
        rise(from: heap.count - 1)
    }

    /// Removes an entry, if it is in the heap.
    mutating func remove(_ entry: Entry) {
        let place = entry.place
        guard place >= 0 else { return }
        entry.place = -1
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        last.entry.place = place
        rise(from: place)
        sink(from: last.entry.place)
    }

    /// Removes and returns the first entry, if its deadline has come.
    mutating func removeFirst(at now: Int64) -> Entry? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        remove(first.entry)
        return first.entry
    }

    private mutating func rise(from start: Int) {
        var place = start
        let moving = heap[place]
        while place > 0, heap[(place - 1) / 2].deadline > moving.deadline {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(moving, at: place)
    }

    private mutating func sink(from start: Int) {
        var place = start
        let moving = heap[place]
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, heap[child + 1].deadline < heap[child].deadline { child += 1 }
            guard heap[child].deadline < moving.deadline else { break }
            put(heap[child], at: place)
            place = child
        }
        put(moving, at: place)
    }

    private mutating func put(_ element: (deadline: Int64, entry: Entry), at place: Int) {
        heap[place] = element
        element.entry.place = place
    }
}

/// An entry of a `DeadlineHeap`.
protocol Scheduled: AnyObject {
    /// The deadline, in milliseconds.
    var deadline: Int64 { get }
    /// The entry's index in the heap; -1 if the entry is not in a heap. The heap maintains the index.
    var place: Int { get set }
}

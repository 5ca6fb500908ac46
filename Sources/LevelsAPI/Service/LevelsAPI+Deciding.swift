import Bytes
import HTTPServer
import Heap
import Levels
import PropertyLists
import TreeStore

/// From a representation to what the client gets of it.
extension LevelsAPI {
    /// What a request gets.
    enum Decision {
        case response(Response)
        /// The client has the representation, and waits until it changes; if the time is over, it gets the response.
        case waits(Representation, Wait, otherwise: Response)
    }

    /// Decides by the conditions of a request whether it gets the representation that it selects.
    ///
    /// - Parameter missed: the key that the cache is known to lack; nil if it was not searched.
    func decide(
        _ inquiry: Inquiry, _ item: Item, in publication: Publication, missed: UInt64? = nil, _ condition: Condition
    ) throws(Problem) -> Decision {
        let selected = try selection.select(inquiry, item, in: publication, missed: missed)
        let added = inquiry.query.wait?.headers ?? []
        guard try condition.isNotModified(selected.entityTag) else {
            return .response(try selected.response(adding: added))
        }
        guard let wait = inquiry.query.wait else { return .response(selected.notModified(adding: added)) }
        // A 304 answers a condition only: a client that just names its version gets the empty change.
        let otherwise =
            condition.isInHeader ? selected.notModified(adding: added) : try selected.response(adding: added)
        return .waits(selected, wait, otherwise: otherwise)
    }

    /// Answers a request when the representation differs from the one that the client has.
    func hold(
        _ place: Waiters.Place, _ inquiry: Inquiry, _ item: Item, having selected: Representation, _ wait: Wait,
        in number: Int
    ) {
        waiters.add(place, inquiry, about: item, having: selected, in: number, for: wait)
        let now = publications.current
        // The waiters may have been woken for a newer publication before this one was added.
        if now.number != number { recheck(place.waiter, inquiry, having: selected, wait, in: now) }
    }

    private func recheck(
        _ waiter: Waiter, _ inquiry: Inquiry, having selected: Representation, _ wait: Wait, in now: Publication
    ) {
        do {
            let item = try Item(at: inquiry.path, in: now.snapshot.document(in: inquiry.language))
            let later = try selection.select(inquiry, item, in: now)
            if later.entityTag != selected.entityTag { waiter.finish(try later.response(adding: wait.headers)) }
        } catch {
            waiter.finish(problem(error, inquiry))
        }
    }

    /// The response to an inquiry that has a problem.
    func problem(_ problem: Problem, _ inquiry: Inquiry) -> Response {
        selection.response(to: problem, at: String(decoding: inquiry.target, as: UTF8.self), inquiry.negotiation)
    }

    /// Answers the requests that wait for what a publication changed: at once as far as the time of the notifying thread
    /// allows, those of little cost first, and all others on the work queue.
    func recheckWaiters() {
        let now = publications.current
        let end = ContinuousClock.now + configuration.notifyingTime
        var due = waiters.due(for: now) { ContinuousClock.now < end }[...]
        while let group = due.first, group.cost <= configuration.largestImmediateWork, ContinuousClock.now < end {
            wake(group.key, in: now)
            due.removeFirst()
        }
        if waiters.queue(due) { recheckLater() }
    }

    /// Checks one group behind the requests, and then the next one in the same way.
    private func recheckLater() {
        laterAnswers.queue.addBehind { [weak self] in
            guard let self else { return }
            if waiters.checkNext({ self.wake($0, in: self.publications.current) }) { recheckLater() }
        }
    }

    /// Answers those who wait for a representation, if it differs in a publication.
    private func wake(_ key: Waiters.Key, in now: Publication) {
        waiters.wake(key, now) { inquiry, item, known throws(Problem) in
            try selection.select(inquiry, item, in: now, known: known)
        } refuse: { [self] in
            problem($0, $1)
        }
    }
}

/// The requests whose answers take long, such as searches of large trees: they are made one after the other on a thread
/// of low priority, and each connection waits without occupying a thread.
struct LaterAnswers {
    let queue: WorkQueue
    /// Admits those that are answered as soon as it is their turn.
    let room = WaitingRoom(capacity: 128, isForEvents: false)
    /// How long a request waits for its turn at most.
    static let longest = Duration.seconds(30)

    /// - Parameter startWork: runs its argument on a thread of its own.
    init(startWork: @escaping @Sendable (@escaping WorkQueue.Work) -> Void) {
        queue = WorkQueue(capacity: room.capacity, start: startWork)
    }
}

/// The conditions of a request, kept after the request itself is gone.
struct KeptConditions: Sendable {
    private let fields: [(name: String, value: String)]

    init(_ request: Request) {
        var fields: [(name: String, value: String)] = []
        for (name, text) in [(FieldName.ifMatch, "If-Match"), (.ifNoneMatch, "If-None-Match")] {
            request.forEachLine(of: name) { line in fields.append((text, String(utf8: line))) }
        }
        self.fields = fields
    }

    /// A request that has only these conditions.
    var request: Request { Request(target: "/", fields: fields) }
}

extension LevelsAPI {
    /// Answers a request on another thread.
    ///
    /// - Throws: `Problem` (503) if too many requests are ahead, or wait.
    func answerLater(_ inquiry: Inquiry, _ call: Call) throws(Problem) -> Answer {
        let conditions = KeptConditions(call.request)
        let queue = laterAnswers.queue
        @Sendable func busy() -> Response { problem(.tooBusy(for: queue.expectedTime), inquiry) }
        let place: Waiters.Place
        if let wait = inquiry.query.wait {
            guard let reserved = waiters.reserve(for: wait, otherwise: busy()) else { throw .tooManyWaiters }
            place = reserved
        } else {
            guard let waiter = laterAnswers.room.admit(for: LaterAnswers.longest, otherwise: busy()) else {
                throw .tooBusy(for: queue.expectedTime)
            }
            place = Waiters.Place(waiter)
        }
        let isTaken = queue.add { [weak self] in self?.finish(place, inquiry, conditions) }
        if !isTaken { place.waiter.finish(busy()) }
        return .later(place.waiter)
    }

    /// Makes an answer from what is current now, unless the client is gone.
    private func finish(_ place: Waiters.Place, _ inquiry: Inquiry, _ conditions: KeptConditions) {
        guard place.waiter.end == nil else { return }
        let now = publications.current
        do throws(Problem) {
            let item = try Item(at: inquiry.path, in: now.snapshot.document(in: inquiry.language))
            guard let memory = MemoryBudget.reserve(selection.memory(for: inquiry, item)) else { throw .outOfMemory }
            defer { withExtendedLifetime(memory) {} }
            let decided = try decide(inquiry, item, in: now, Condition(conditions.request, inquiry.query))
            switch decided {
            case .response(let response): place.waiter.finish(response)
            case .waits(let selected, let wait, let otherwise):
                place.waiter.otherwise = otherwise
                hold(place, inquiry, item, having: selected, wait, in: now.number)
            }
        } catch {
            place.waiter.finish(problem(error, inquiry))
        }
    }
}

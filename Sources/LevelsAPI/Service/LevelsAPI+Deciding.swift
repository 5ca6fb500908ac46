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
    /// - Parameter found: what the cache has for the question; nil if it was not looked up.
    func decide(
        _ inquiry: Inquiry, found: ResponseCache.Found? = nil, _ condition: Condition
    ) throws(Problem) -> Decision {
        let selected = try selection.select(inquiry, found: found)
        let wait = inquiry.question.delivery.wait
        let added = wait?.headers ?? []
        guard try condition.isNotModified(selected.entityTag) else {
            return .response(try selected.response(adding: added))
        }
        guard let wait else { return .response(selected.notModified(adding: added)) }
        // A 304 answers a condition only: a client that just names its version gets the empty change.
        let otherwise =
            condition.isInHeader ? selected.notModified(adding: added) : try selected.response(adding: added)
        return .waits(selected, wait, otherwise: otherwise)
    }

    /// Answers a request when the representation differs from the one that the client has.
    func hold(_ place: Waiters.Place, _ inquiry: Inquiry, having selected: Representation, _ wait: Wait) {
        waiters.add(place, inquiry, having: selected, for: wait)
        let now = publications.current
        // The waiters may have been woken for a newer publication before this one was added.
        guard now.number != inquiry.publication.number else { return }
        do throws(Problem) {
            let later = try selection.select(Inquiry(inquiry.question, in: now, selection.arrangements))
            guard later.entityTag != selected.entityTag else { return }
            place.waiter.finish(try later.response(adding: wait.headers))
        } catch {
            place.waiter.finish(problem(error, inquiry.question))
        }
    }

    /// The response to a question that has a problem.
    func problem(_ problem: Problem, _ question: Question) -> Response {
        selection.response(
            to: problem, at: String(decoding: question.target, as: UTF8.self), question.negotiation)
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
        waiters.wake(key, now) { inquiry, known throws(Problem) in
            try selection.select(inquiry, known: known)
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
    func answerLater(_ question: Question, _ request: Request) throws(Problem) -> Answer {
        let conditions = KeptConditions(request)
        let queue = laterAnswers.queue
        @Sendable func busy() -> Response { problem(.tooBusy(for: queue.expectedTime), question) }
        let place: Waiters.Place
        if let wait = question.delivery.wait {
            guard let reserved = waiters.reserve(for: wait, otherwise: busy()) else { throw .tooManyWaiters }
            place = reserved
        } else {
            guard let waiter = laterAnswers.room.admit(for: LaterAnswers.longest, otherwise: busy()) else {
                throw .tooBusy(for: queue.expectedTime)
            }
            place = Waiters.Place(waiter)
        }
        let isTaken = queue.add { [weak self] in self?.finish(place, question, conditions) }
        if !isTaken { place.waiter.finish(busy()) }
        return .later(place.waiter)
    }

    /// Makes an answer from what is current when it is its turn, unless the client is gone.
    private func finish(_ place: Waiters.Place, _ question: Question, _ conditions: KeptConditions) {
        guard place.waiter.end == nil else { return }
        do throws(Problem) {
            let inquiry = try Inquiry(question, in: publications.current, selection.arrangements)
            guard let memory = MemoryBudget.reserve(selection.memory(for: inquiry)) else { throw .outOfMemory }
            defer { withExtendedLifetime(memory) {} }
            switch try decide(inquiry, Condition(conditions.request, question.delivery)) {
            case .response(let response): place.waiter.finish(response)
            case .waits(let selected, let wait, let otherwise):
                place.waiter.otherwise = otherwise
                hold(place, inquiry, having: selected, wait)
            }
        } catch {
            place.waiter.finish(problem(error, question))
        }
    }
}

import Bytes
import HTTPServer
import Heap
import Levels
import Locking
import PropertyLists
import TreeStore

/// Decides how a request gets its representation: immediately, after a change, or after other requests.
extension LevelsAPI {
    enum Decision {
        case response(Response)
        /// The client has the representation, and waits until it changes. If the time ends without a change, the client
        /// gets `otherwise`.
        case waits(Representation, Wait, otherwise: Response)
    }

    /// Applies the conditions of a request to the representation that the request selects.
    ///
    /// - Parameter found: the result of the look-up in the cache; nil if there was no look-up.
    func decide(
        _ inquiry: Inquiry, found: ResponseCache.Found? = nil, _ condition: Condition
    ) throws(Problem) -> Decision {
        let selected = try selection.select(inquiry, found: found)
        let wait = inquiry.question.delivery.wait
        let added = inquiry.addedHeaders
        guard try condition.isNotModified(selected.entityTag) else {
            return .response(try selected.response(adding: added))
        }
        guard let wait else { return .response(selected.notModified(adding: added)) }
        // Only a condition is answered with 304. A client that names its version only in `since` gets the empty change.
        let otherwise =
            condition.isInHeader ? selected.notModified(adding: added) : try selected.response(adding: added)
        return .waits(selected, wait, otherwise: otherwise)
    }

    /// Holds a request until its representation differs from the client's.
    func hold(_ place: Waiters.Place, inquiry: Inquiry, having selected: Representation, wait: Wait) {
        waiters.add(place, inquiry: inquiry, having: selected, for: wait)
        let now = publications.current
        // The waiters may have been checked for a newer publication before this request was added.
        guard now.number != inquiry.publication.number else { return }
        do throws(Problem) {
            let newer = try Inquiry(question: inquiry.question, in: now, arrangements: selection.arrangements)
            defer { newer.source.end() }
            let later = try selection.select(newer)
            guard later.entityTag != selected.entityTag else { return }
            place.waiter.finish(try later.response(adding: newer.addedHeaders))
        } catch {
            place.waiter.finish(problem(error, question: inquiry.question))
        }
    }

    func problem(_ problem: Problem, question: Question) -> Response {
        selection.response(
            to: problem, at: String(decoding: question.target, as: UTF8.self), negotiation: question.negotiation)
    }

    /// Answers the requests that wait for a change. The notifying thread answers the cheap ones first, as far as its
    /// time allows. The work queue answers all others.
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

    /// Checks one group when the earlier requests in the queue are done, and then the next group in the same way.
    private func recheckLater() {
        laterAnswers.queue.addBehind { [weak self] in
            guard let self else { return }
            if waiters.checkNext({ self.wake($0, in: self.publications.current) }) { recheckLater() }
        }
    }

    /// Answers a group of requests if their representation differs in a publication.
    private func wake(_ key: Waiters.Key, in now: Publication) {
        waiters.wake(key, publication: now) { inquiry, known throws(Problem) in
            try selection.select(inquiry, known: known)
        } refuse: { [self] in
            problem($0, question: $1)
        }
    }
}

/// The requests whose answers take long, such as searches of large trees. One thread of low priority answers these
/// requests in turn. Their connections wait without threads.
struct LaterAnswers {
    let queue: WorkQueue
    /// The queue of requests to sources that do not answer immediately. Each request has a connection of its own.
    let reading: WorkQueue
    /// The queue of requests to such sources that take longer than `briefTime`. Other requests do not wait for this
    /// queue.
    let longReading: WorkQueue
    /// The places of requests that wait for their turn and not for a change.
    let room = WaitingRoom(capacity: 128, isForEvents: false)
    /// The maximum time that a request waits for its turn.
    private static let longestTurn = Duration.seconds(30)
    /// The maximum time in which a source that does not answer immediately makes an answer.
    private let longestReading: Duration

    /// The maximum time of a brief attempt to read an answer. The next attempt comes behind new requests. After the
    /// last brief attempt, the answer is read in `longReading`.
    static let briefTime = Duration.milliseconds(20)
    /// The number of brief attempts. The source may keep the intermediate results of an attempt, so that the next
    /// attempt takes less time.
    static let briefTries = 3

    /// The maximum number of answers that are read at the same time in each of `reading` and `longReading`.
    private static let connections = 4

    /// The queue of requests for an item of a publication.
    func queue(for publication: Publication, at path: ItemPath) -> WorkQueue {
        publication.snapshot.isImmediate(at: path) ? queue : reading
    }

    /// The maximum time until a request of a queue is answered.
    func longest(in queue: WorkQueue) -> Duration { Self.longestTurn + (queue === reading ? longestReading : .zero) }

    init(_ configuration: LevelsAPI.Configuration) {
        longestReading = configuration.longestReading
        let startWork = configuration.startWork
        queue = WorkQueue(capacity: room.capacity, start: startWork ?? WorkQueue.onThread)
        reading = WorkQueue(
            capacity: room.capacity, threads: Self.connections, start: startWork ?? WorkQueue.onUsualThread)
        longReading = WorkQueue(
            capacity: room.capacity, threads: Self.connections, start: startWork ?? WorkQueue.onThreadBehind)
    }
}

/// The conditions of a request, kept after the request itself is gone.
struct KeptConditions: Sendable {
    private let ifMatch, ifNoneMatch: [String]

    init(_ request: Request) {
        ifMatch = request.lines(of: .ifMatch)
        ifNoneMatch = request.lines(of: .ifNoneMatch)
    }

    /// A request with only these conditions.
    var request: Request {
        Request(target: "/", fields: ifMatch.map { ("If-Match", $0) } + ifNoneMatch.map { ("If-None-Match", $0) })
    }
}

extension LevelsAPI {
    /// Answers a request on another thread.
    ///
    /// - Throws: `Problem` (503) if too many requests are ahead of this one, or too many requests wait for changes.
    func answerLater(_ question: Question, request: Request) throws(Problem) -> Answer {
        let queue = laterAnswers.queue(for: publications.current, at: question.path)
        @Sendable func busy() -> Response { problem(.tooBusy(for: queue.expectedTime), question: question) }
        let place: Waiters.Place
        if let wait = question.delivery.wait {
            guard let reserved = waiters.reserve(for: wait.duration, otherwise: busy()) else { throw .tooManyWaiters }
            place = reserved
        } else {
            let waiter = laterAnswers.room.admit(
                for: laterAnswers.longest(in: queue), otherwise: busy(), isBrief: true)
            guard let waiter else { throw .tooBusy(for: queue.expectedTime) }
            place = Waiters.Place(waiter: waiter)
        }
        finishLater(place, question: question, conditions: KeptConditions(request))
        return .later(place.waiter)
    }

    /// Queues a request. The request is answered when its turn comes.
    private func finishLater(_ place: Waiters.Place, question: Question, conditions: KeptConditions) {
        let queue = laterAnswers.queue(for: publications.current, at: question.path)
        let tries = queue === laterAnswers.reading ? LaterAnswers.briefTries : 0
        let isTaken = queue.add { [weak self] in
            self?.finish(place, question: question, conditions: conditions, tries: tries)
        }
        if !isTaken { place.waiter.finish(problem(.tooBusy(for: queue.expectedTime), question: question)) }
    }

    /// Answers from the publication that is current now, unless the client has left.
    ///
    /// - Parameter tries: the number of brief attempts left, including this one; 0 for an attempt without a time limit.
    private func finish(
        _ place: Waiters.Place, question: Question, conditions: KeptConditions, tries: Int = 0
    ) {
        guard !place.waiter.hasEnded else { return }
        let end = tries > 0 ? ContinuousClock.now + LaterAnswers.briefTime : nil
        @Sendable func isOver() -> Bool { end.map { ContinuousClock.now >= $0 } ?? false }
        do throws(Problem) {
            let current = publications.current
            if let revision = question.delivery.revision { _ = try AskedRevision.isHere(revision, in: current) }
            let source = try question.source(in: current, arrangements: selection.arrangements) {
                !place.waiter.hasEnded && !isOver()
            }
            defer { source.end() }
            if let cached = selection.cached(question, in: current, from: source) {
                place.waiter.finish(try cached.response(to: conditions.request, chargedTo: selection.budget))
                return
            }
            let inquiry = try Inquiry(question: question, in: current, source: source)
            guard let memory = MemoryBudget.reserve(selection.memory(for: inquiry)) else { throw .outOfMemory }
            defer { withExtendedLifetime(memory) {} }
            switch try decide(inquiry, Condition(request: conditions.request, delivery: question.delivery)) {
            case .response(let response): place.waiter.finish(response)
            case .waits(let selected, let wait, let otherwise):
                place.waiter.otherwise = otherwise
                hold(place, inquiry: inquiry, having: selected, wait: wait)
            }
        } catch {
            guard isOver() else {
                _ = place.waiter.finish(problem(error, question: question))
                return
            }
            let again: WorkQueue.Work = { [weak self] in
                self?.finish(place, question: question, conditions: conditions, tries: tries - 1)
            }
            // New requests go before this one, because most new requests take little time.
            guard tries == 1 else { return laterAnswers.reading.addBehind(again) }
            let queue = laterAnswers.longReading
            if !queue.add(again) { place.waiter.finish(problem(.tooBusy(for: queue.expectedTime), question: question)) }
        }
    }
}

/// The requests that wait for a revision that is not published here yet.
final class AwaitedRevisions: Sendable {
    /// A request for a revision.
    struct Awaiting {
        let place: Waiters.Place
        let question: Question
        let conditions: KeptConditions
        let revision: String
    }

    private let requests = Guarded<[ObjectIdentifier: Awaiting]>([:])

    /// Adds a request.
    func add(_ request: Awaiting) {
        requests.withLock { $0[ObjectIdentifier(request.place.waiter)] = request }
        // The wait may have ended before the request was added.
        if request.place.waiter.hasEnded { remove(request.place.waiter) }
    }

    /// Removes a request that has ended.
    func remove(_ waiter: Waiter) { requests.withLock { $0[ObjectIdentifier(waiter)] = nil } }

    /// Removes and returns the requests that can be answered after a publication. The revision of such a request is
    /// published, or is no longer part of the history.
    func take(for publication: Publication) -> [Awaiting] {
        requests.withLock { requests in
            let due = requests.filter { _, request in
                do throws(Problem) {
                    return try AskedRevision.isHere(request.revision, in: publication)
                } catch {
                    return true
                }
            }
            for key in due.keys { requests[key] = nil }
            return Array(due.values)
        }
    }
}

extension LevelsAPI {
    /// Answers a request when its revision is published here. If that takes too long, the answer is a problem (503).
    ///
    /// - Throws: `Problem` (503) if too many requests wait.
    func answer(_ question: Question, request: Request, when revision: String) throws(Problem) -> Answer {
        let place = waiters.reserve(
            for: question.delivery.wait?.duration ?? AskedRevision.patience,
            otherwise: self.problem(
                .revisionNotHere(revision, current: self.publications.current.snapshot.revision), question: question)
        ) { [awaited] waiter in awaited.remove(waiter) }
        guard let place else { throw .tooManyWaiters }
        awaited.add(
            AwaitedRevisions.Awaiting(
                place: place, question: question, conditions: KeptConditions(request), revision: revision))
        // The revision may have been published before the request was added.
        answerAwaited()
        return .later(place.waiter)
    }

    /// Answers the requests whose revision is published. The notifying thread answers quick requests, as far as its
    /// time allows. The work queue answers all others.
    func answerAwaited() {
        let now = publications.current
        let end = ContinuousClock.now + configuration.notifyingTime
        for request in awaited.take(for: now) {
            let (place, question, conditions) = (request.place, request.question, request.conditions)
            if ContinuousClock.now < end, isQuick(question, in: now) {
                finish(place, question: question, conditions: conditions)
            } else {
                place.waiter.otherwise = problem(.tooBusy(for: laterAnswers.queue.expectedTime), question: question)
                finishLater(place, question: question, conditions: conditions)
            }
        }
    }

    private func isQuick(_ question: Question, in publication: Publication) -> Bool {
        guard publication.snapshot.isImmediate(at: question.path) else { return false }
        do throws(Problem) {
            let inquiry = try Inquiry(question: question, in: publication, arrangements: selection.arrangements)
            return inquiry.cost <= configuration.largestImmediateWork
        } catch {
            return true
        }
    }
}

import Bytes
import HTTPServer
import Heap
import Levels
import Locking
import PropertyLists
import TreeStore

/// Decides how a request gets its representation: immediately, after a change, or after other requests.
extension LevelsAPI {
    /// The result of the conditions of a request.
    enum Decision {
        case now(Response)
        /// The request waits until the representation differs from the client's. `isKnown` says whether the client has
        /// it; if not, it is too early to answer.
        case later(Representation, isKnown: Bool)
    }

    /// Applies the conditions of a request to the representation that the request selects.
    ///
    /// - Parameter found: the result of the look-up in the cache; nil if there was no look-up.
    func decide(
        _ inquiry: Inquiry, found: ResponseCache.Found? = nil, _ request: Request
    ) throws(Problem) -> Decision {
        let question = inquiry.question
        let selected = try selection.select(inquiry, found: found)
        var isKnown = question.isFollowing ? false : try Condition(request).isNotModified(selected.entityTag)
        if question.turn != nil, !question.isConditional, let since = question.delivery.since {
            isKnown = EntityTag.isTag(selected.entityTag, ofVersion: since.text)
        }
        let second = groups.second
        if question.delivery.wait != nil, isKnown || second < question.turn?.earliest ?? 0 {
            return .later(selected, isKnown: isKnown)
        }
        return .now(try selection.response(to: inquiry, having: selected, isKnown: isKnown, at: second))
    }

    private func queue(of question: Question) -> WorkQueue {
        laterAnswers.queue(for: publications.current, at: question.path)
    }

    /// Admits a request that waits; nil if too many requests wait.
    ///
    /// A request with a turn is answered by the check of its group at the end of the wait. It gets a problem only if the
    /// server stops, or has so much to do that this check does not come for a long time.
    func admit(_ question: Question) -> Waiter? {
        let (target, negotiation, queue) = (question.requested, question.negotiation, queue(of: question))
        let end = question.turn?.end ?? .max
        return room.admit(
            for: question.turn.map(groups.longestWait) ?? question.delivery.wait?.duration ?? .zero,
            otherwise: self.selection.response(
                to: end > self.groups.second ? .stoppedWait : .tooBusy(for: queue.expectedTime), at: target,
                negotiation: negotiation))
    }

    /// Holds a request that came before the second of its turn is over. Nothing is made for it until then.
    ///
    /// - Returns: nil for any other request.
    func answerEarly(_ question: Question, after publication: Publication) throws(Problem) -> Answer? {
        guard question.isFollowing, let turn = question.turn, groups.second < turn.earliest else { return nil }
        guard let waiter = admit(question) else { throw .tooManyWaiters }
        let awaited = AwaitedChange(question, tag: nil, unchanged: nil, selection: selection)
        groups.add(waiter, awaiting: awaited, after: publication.number - 1)
        return .later(waiter)
    }

    /// Holds a request until its representation differs from the client's, or its turn ends.
    func hold(_ waiter: Waiter, inquiry: Inquiry, having selected: Representation, isKnown: Bool) {
        let unchanged = inquiry.question.turn == nil ? selected.notModified(adding: inquiry.addedHeaders) : nil
        let awaited = AwaitedChange(
            inquiry.question, tag: isKnown ? selected.entityTag : nil, unchanged: unchanged, selection: selection)
        // A request that came too early has not seen the publication.
        let number = inquiry.publication.number
        let shared = groups.add(waiter, awaiting: awaited, after: isKnown ? number : number - 1)
        if isKnown { shared.see(inquiry) }
        // One response serves the whole group.
        if let unchanged = shared.unchanged { waiter.otherwise = unchanged }
        groups.check(awaited.key, for: publications.current)
    }

    func problem(_ problem: Problem, question: Question) -> Response {
        selection.response(to: problem, question: question)
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
        let queue = queue(of: question)
        let waits = question.delivery.wait != nil
        let waiter =
            if waits { admit(question) } else {
                laterAnswers.room.admit(
                    for: laterAnswers.longest(in: queue),
                    otherwise: self.problem(.tooBusy(for: queue.expectedTime), question: question), isBrief: true)
            }
        guard let waiter else { throw waits ? .tooManyWaiters : .tooBusy(for: queue.expectedTime) }
        finishLater(waiter, question: question, conditions: KeptConditions(request))
        return .later(waiter)
    }

    /// Queues a request. The request is answered when its turn comes.
    fileprivate func finishLater(_ waiter: Waiter, question: Question, conditions: KeptConditions) {
        let queue = queue(of: question)
        let tries = queue === laterAnswers.reading ? LaterAnswers.briefTries : 0
        let isTaken = queue.add { [weak self] in
            self?.finish(waiter, question: question, conditions: conditions, tries: tries)
        }
        if !isTaken { waiter.finish(problem(.tooBusy(for: queue.expectedTime), question: question)) }
    }

    /// Answers from the publication that is current now, unless the client has left.
    ///
    /// - Parameter tries: the number of brief attempts left, including this one; 0 for an attempt without a time limit.
    fileprivate func finish(
        _ waiter: Waiter, question: Question, conditions: KeptConditions, tries: Int = 0
    ) {
        guard !waiter.hasEnded else { return }
        let end = tries > 0 ? ContinuousClock.now + LaterAnswers.briefTime : nil
        @Sendable func isOver() -> Bool { end.map { ContinuousClock.now >= $0 } ?? false }
        do throws(Problem) {
            let current = publications.current
            if let revision = question.delivery.revision { _ = try AskedRevision.isHere(revision, in: current) }
            let source = try question.source(in: current, arrangements: selection.arrangements) {
                !waiter.hasEnded && !isOver()
            }
            defer { source.end() }
            if let cached = selection.cached(question, in: current, from: source) {
                waiter.finish(try cached.response(to: conditions.request, chargedTo: selection.budget))
                return
            }
            let inquiry = try Inquiry(question: question, in: current, source: source)
            guard let memory = MemoryBudget.reserve(selection.memory(for: inquiry)) else { throw .outOfMemory }
            defer { withExtendedLifetime(memory) {} }
            switch try decide(inquiry, conditions.request) {
            case .now(let response): waiter.finish(response)
            case .later(let selected, let isKnown):
                hold(waiter, inquiry: inquiry, having: selected, isKnown: isKnown)
            }
        } catch {
            guard isOver() else {
                _ = waiter.finish(problem(error, question: question))
                return
            }
            let again: WorkQueue.Work = { [weak self] in
                self?.finish(waiter, question: question, conditions: conditions, tries: tries - 1)
            }
            // New requests go before this one, because most new requests take little time.
            guard tries == 1 else { return laterAnswers.reading.addBehind(again) }
            let queue = laterAnswers.longReading
            if !queue.add(again) { waiter.finish(problem(.tooBusy(for: queue.expectedTime), question: question)) }
        }
    }
}

/// A revision that is not published here yet, for one request.
private struct AwaitedRevision: Awaited {
    let key: WaitingGroups.Key
    let revision: String
    let question: Question
    let conditions: KeptConditions
    weak let api: LevelsAPI?

    private func isHere(in publication: Publication) -> Bool {
        do throws(Problem) { return try AskedRevision.isHere(revision, in: publication) } catch { return true }
    }

    func cost(in publication: Publication, isInTime: Bool) -> Int? {
        // The end of the time is only told; long work is only queued, which is not deferred.
        if let turn = question.turn, let second = api?.groups.second, turn.isOver(at: second) { return -1 }
        return isHere(in: publication) ? isQuick(in: publication) ? 0 : -1 : nil
    }

    func check(in publication: Publication, at second: Int, end: () -> [Waiter]) {
        let isOver = question.turn?.isOver(at: second) ?? false
        guard isHere(in: publication) || isOver else { return }
        for waiter in end() {
            if !isHere(in: publication) {
                waiter.finish(waiter.otherwise)
            } else if isQuick(in: publication) {
                api?.finish(waiter, question: question, conditions: conditions)
            } else {
                api?.finishLater(waiter, question: question, conditions: conditions)
            }
        }
    }

    private func isQuick(in publication: Publication) -> Bool {
        guard let selection = api?.selection, publication.snapshot.isImmediate(at: question.path) else { return false }
        do throws(Problem) {
            let inquiry = try Inquiry(question: question, in: publication, arrangements: selection.arrangements)
            return inquiry.cost <= selection.largestImmediateWork
        } catch {
            return true
        }
    }
}

extension LevelsAPI {
    /// Answers a request when its revision is published here. If that takes too long, the answer is a problem (503).
    ///
    /// - Parameter publication: a publication that is older than the revision.
    /// - Throws: `Problem` (503) if too many requests wait.
    func answer(
        _ question: Question, request: Request, when revision: String, after publication: Publication
    ) throws(Problem) -> Answer {
        let time = question.turn.map(groups.longestWait) ?? question.delivery.wait?.duration ?? AskedRevision.patience
        let waiter = room.admit(
            for: time,
            otherwise: self.problem(
                AskedRevision.problem(revision, current: self.publications.current.snapshot.revision)
                    ?? .tooBusy(for: self.laterAnswers.queue.expectedTime),
                question: question))
        guard let waiter else { throw .tooManyWaiters }
        // Each request has a group of its own, because its conditions are its own.
        let key = WaitingGroups.Key(
            target: question.target, choice: question.negotiation.number, wait: question.delivery.wait, known: nil,
            turn: question.turn, revision: revision, number: Int(bitPattern: ObjectIdentifier(waiter)))
        groups.add(
            waiter,
            awaiting: AwaitedRevision(
                key: key, revision: revision, question: question, conditions: KeptConditions(request), api: self),
            after: publication.number)
        // The revision may have been published before the request was added.
        groups.check(key, for: publications.current)
        return .later(waiter)
    }
}

import HTTPServer
import Levels
import Locking
import Threads
import TreeStore

/// The requests that wait for a change, in groups. The requests of a group await the same, and get the same answer.
///
/// After a publication, each group is checked once, whatever its size. A group whose requests have a turn is also
/// checked at the seconds of the clock at which they may be answered.
final class WaitingGroups: Sendable {
    private let groups = Guarded<[Key: Group]>([:])
    /// Whether a thread checks the groups whose second has come.
    private let hasTicker = Guarded(false)
    private let checksEachSecond: Bool
    private let publications: Publications
    /// The queue of checks that take long; they come behind the queue's requests.
    private let queue: WorkQueue
    /// The maximum time that the notifying thread spends on checks after a publication.
    private let time: Duration
    /// The maximum cost of a check on the notifying thread.
    private let largestCost: Int

    /// The request of a group, and what its clients have.
    struct Key: Hashable {
        let target: [UInt8]
        let choice: UInt64
        let wait: Wait?
        /// The entity tag, the version or the revision that the clients have.
        let known: String?
        /// The time in which the requests are answered, if they have `since`.
        var turn: Turn?
        /// The requested revision. The responses to the group name this revision or a later one.
        let revision: String?
        /// Separates groups that differ in something else.
        let number: Int
    }

    private struct Group {
        let awaited: any Awaited
        /// The number of the newest publication for which the group was checked or a waiter was added. The group
        /// ignores earlier publications. Nil if the group awaits an entry of the log.
        var number: Int?
        /// Whether the group waits for a check on another thread.
        var isQueued = false
        var waiters: [ObjectIdentifier: Waiter] = [:]

        /// Whether a check for a publication may answer the group: it was not checked for this publication, or its time
        /// is over. A group is not checked before the second of its turn is over.
        func isOpen(for publication: Publication, at second: Int) -> Bool {
            let turn = awaited.key.turn
            if let turn, second < turn.earliest { return false }
            guard let number else { return true }
            return number < publication.number || number == publication.number && turn?.isOver(at: second) == true
        }

        mutating func see(_ publication: Int?) {
            if let number, let publication { self.number = max(number, publication) }
        }
    }

    /// The milliseconds since 1970.
    let now: @Sendable () -> Int

    /// - Parameters:
    ///   - now: returns the milliseconds since 1970.
    ///   - checksEachSecond: whether a thread calls `checkTurns` at each second.
    init(
        publications: Publications, queue: WorkQueue, time: Duration, largestCost: Int,
        now: @escaping @Sendable () -> Int, checksEachSecond: Bool
    ) {
        (self.publications, self.queue, self.time, self.largestCost) = (publications, queue, time, largestCost)
        self.now = now
        self.checksEachSecond = checksEachSecond
    }

    /// The seconds since 1970.
    var second: Int { now() / 1_000 }

    /// The time in which a request with a turn is answered, even if its last check has to wait for other work.
    func longestWait(_ turn: Turn) -> Duration { .milliseconds(turn.end * 1_000 - now() + 30_000) }

    /// Adds a request to its group, and makes the group unless it exists.
    ///
    /// This call can miss a publication that happens at the same time, so the caller must afterwards check the group.
    ///
    /// - Parameter number: the number of the publication that the request has seen; nil if it awaits an entry of the log.
    /// - Returns: what the group awaits.
    @discardableResult
    func add<Goal: Awaited>(_ waiter: Waiter, awaiting awaited: Goal, after number: Int?) -> Goal {
        let key = awaited.key
        let group = groups.withLock { groups in
            groups[key, default: Group(awaited: awaited, number: number)].waiters[ObjectIdentifier(waiter)] = waiter
            groups[key]?.see(number)
            return groups[key]?.awaited
        }
        if checksEachSecond, key.turn != nil { tick() }
        waiter.onEnd { [weak self] waiter in
            self?.groups.withLock { groups in
                groups[key]?.waiters[ObjectIdentifier(waiter)] = nil
                if groups[key]?.waiters.isEmpty == true { groups[key] = nil }
            }
        }
        return group as? Goal ?? awaited
    }

    /// Checks the groups for the current publication, in ascending order of cost. The calling thread makes the cheap
    /// checks, as far as its time allows. The queue makes all others.
    ///
    /// A waiter whose time ends before the check gets the response for no change, although the answer may have changed.
    /// The client loses nothing: it keeps its version, and the next request with that version is immediately compared
    /// with the newest publication. A check at the end of the waiter's time would render on the thread of the timers,
    /// which the queue avoids.
    ///
    /// - Parameter isWhole: whether to check the groups that await a change of their representation, too.
    func check(isWhole: Bool) {
        let (now, second) = (publications.current, second)
        let open = groups.withLock { $0.filter { !$0.value.isQueued && $0.value.isOpen(for: now, at: second) } }
        check(isWhole ? open : open.filter { !($0.value.awaited is AwaitedChange) }, for: now)
    }

    /// Checks the groups with a turn that may be answered at the present second.
    func checkTurns() {
        let (now, second) = (publications.current, second)
        let open = groups.withLock { groups in
            groups.filter { $0.key.turn != nil && !$0.value.isQueued && $0.value.isOpen(for: now, at: second) }
        }
        check(open, for: now)
    }

    private func check(_ open: [Key: Group], for now: Publication) {
        let end = ContinuousClock.now + time
        var due: [(key: Key, cost: Int)] = []
        for (key, group) in open {
            if let cost = group.awaited.cost(in: now, isInTime: ContinuousClock.now < end) {
                due.append((key, cost))
            } else {
                groups.withLock { $0[key]?.see(now.number) }
            }
        }
        due.sort { $0.cost < $1.cost }
        for (key, cost) in due {
            if cost < 0 || cost <= largestCost && ContinuousClock.now < end {
                check(key, for: now)
            } else {
                checkLater(key, cost: cost)
            }
        }
    }

    /// Lets a thread check the groups at each second of the clock, as long as there are requests with a turn.
    private func tick() {
        let isFirst = hasTicker.withLock { hasTicker in
            defer { hasTicker = true }
            return !hasTicker
        }
        guard isFirst else { return }
        do {
            _ = try Thread(name: "turns") { [weak self] in
                while true {
                    Thread.sleepUntilNextSecond()
                    guard let self, self.goesOnTicking() else { return }
                    self.checkTurns()
                }
            }
        } catch {
            // The next request tries again.
            hasTicker.withLock { $0 = false }
        }
    }

    /// Whether there are requests with a turn. If not, the next one starts a thread again.
    private func goesOnTicking() -> Bool {
        hasTicker.withLock { hasTicker in
            hasTicker = groups.withLock { groups in groups.contains { $0.key.turn != nil } }
            return hasTicker
        }
    }

    private func checkLater(_ key: Key, cost: Int) {
        let awaited = groups.withLock { groups in
            groups[key]?.isQueued = true
            return groups[key]?.awaited
        }
        awaited?.forget()
        queue.addBehind(cost: cost) { [weak self] in
            guard let self else { return }
            // This comes before the newest publication is read, so that a later publication finds the group again.
            groups.withLock { $0[key]?.isQueued = false }
            check(key, for: publications.current)
        }
    }

    /// Answers the requests of a group if their wait is over. Skips a group that was checked for this publication or a
    /// later one, so that no client gets an older state.
    func check(_ key: Key, for publication: Publication) {
        let second = second
        guard let group = groups.withLock({ $0[key] }), group.isOpen(for: publication, at: second) else { return }
        var goesOn = true
        group.awaited.check(in: publication, at: second) {
            goesOn = false
            return groups.withLock { groups in
                guard groups[key]?.isOpen(for: publication, at: second) == true else { return [] }
                return groups.removeValue(forKey: key).map { Array($0.waiters.values) } ?? []
            }
        }
        if goesOn { groups.withLock { $0[key]?.see(publication.number) } }
    }
}

/// What the requests of a group await.
protocol Awaited: Sendable {
    var key: WaitingGroups.Key { get }

    /// The approximate number of rows that a check for a publication looks at. Nil if the wait is known to go on; below
    /// 0 if the check must not be deferred.
    ///
    /// - Parameter isInTime: whether there is time to compare. If not, the cost is estimated.
    func cost(in publication: Publication, isInTime: Bool) -> Int?

    /// Answers the requests if their wait is over.
    ///
    /// - Parameters:
    ///   - second: the time, in seconds since 1970.
    ///   - end: ends the group, and returns its waiters.
    func check(in publication: Publication, at second: Int, end: () -> [Waiter])

    /// Releases the tree before a check that may come much later.
    func forget()
}

extension Awaited {
    func forget() {}
}

/// A representation that differs from the one that the clients have.
final class AwaitedChange: Awaited {
    let key: WaitingGroups.Key
    private let question: Question
    private let selection: Selection
    /// The response if the time ends without a change; nil for requests with a turn, which a check answers.
    let unchanged: Response?
    private let state = Guarded(State())

    private struct State {
        /// An inquiry whose answer the clients have. Nil while the group waits for a check, because the wait may be
        /// long, and many groups would hold many old trees.
        var seen: Inquiry?
        /// The hashes of the answer. Nil for a document, whose entity tag costs little, and for a source that does not
        /// answer immediately.
        var shown: ShownHashes?
    }

    /// - Parameters:
    ///   - tag: the entity tag of the representation that the clients have; nil if they have none, or if the question
    ///     names its version.
    ///   - unchanged: the response if the time ends without a change; nil for requests with a turn.
    init(_ question: Question, tag: String?, unchanged: Response?, selection: Selection) {
        (self.question, self.selection, self.unchanged) = (question, selection, unchanged)
        let version = question.turn == nil || question.isConditional ? nil : question.delivery.since?.text
        key = WaitingGroups.Key(
            target: question.target, choice: question.negotiation.number, wait: question.delivery.wait,
            known: version ?? tag, turn: question.turn, revision: question.delivery.revision,
            number: (question.isConditional ? 1 : 0) + (question.isFollowing ? 2 : 0))
    }

    /// Whether the clients have a representation.
    private func isKnown(_ selected: Representation) -> Bool {
        guard let known = key.known else { return false }
        if question.turn == nil || question.isConditional { return selected.entityTag == known }
        return EntityTag.isTag(selected.entityTag, ofVersion: known)
    }

    private func isOver(at second: Int) -> Bool { question.turn?.isOver(at: second) ?? false }

    /// Notes an inquiry whose answer the clients have.
    func see(_ inquiry: Inquiry) {
        state.withLock { state in
            guard inquiry.publication.number > state.seen?.publication.number ?? -1 else { return }
            let isCompared = inquiry.source.isImmediate && question.subject != .document
            state = State(seen: inquiry, shown: isCompared ? ShownHashes(inquiry) : nil)
        }
    }

    func forget() { state.withLock { $0.seen = nil } }

    func cost(in publication: Publication, isInTime: Bool) -> Int? {
        guard publication.snapshot.isImmediate(at: question.path) else { return .max }
        guard isInTime else { return state.withLock(\.seen)?.cost ?? 0 }
        do throws(Problem) {
            let inquiry = try Inquiry(question: question, in: publication, arrangements: selection.arrangements)
            return showsTheSame(inquiry) && !isOver(at: selection.now() / 1_000) ? nil : inquiry.cost
        } catch {
            return 0
        }
    }

    /// Whether it is known that the clients have the answer to an inquiry.
    private func showsTheSame(_ inquiry: Inquiry) -> Bool {
        guard state.withLock(\.shown)?.isSame(as: inquiry) == true else { return false }
        see(inquiry)
        return true
    }

    func check(in publication: Publication, at second: Int, end: () -> [Waiter]) {
        let isOver = isOver(at: second)
        do throws(Problem) {
            let inquiry = try Inquiry(question: question, in: publication, arrangements: selection.arrangements)
            defer { inquiry.source.end() }
            if !isOver, showsTheSame(inquiry) { return }
            let known = state.withLock(\.seen)?.shown
            let selected = try selection.select(inquiry)
            let isKnown = isKnown(selected)
            if isKnown, !isOver { return see(inquiry) }
            func response() throws(Problem) -> Response {
                try selection.response(to: inquiry, having: selected, isKnown: isKnown, at: second, known: known)
            }
            // If this response cannot be made, the whole group gets the problem below.
            let first = try response()
            for (index, waiter) in end().enumerated() {
                // A response that is a stream can be sent only once.
                waiter.finish(index == 0 || !first.isStream ? first : selection.responding(to: question, response))
            }
        } catch {
            let response = selection.response(to: error, question: question)
            for waiter in end() { waiter.finish(response) }
        }
    }
}

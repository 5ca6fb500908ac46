import HTTPServer
import Levels
import Locking
import TreeStore

/// The requests that wait for a representation to change, grouped by target and by the clients' entity tags.
///
/// After a publication each group is checked once, whatever its size, and answered if its entity tag changed.
final class Waiters: Sendable {
    private let groups = Guarded<[Key: Group]>([:])
    private let rechecks = Guarded(RecheckClasses<Key>())
    private let room: WaitingRoom
    private let arrangements: ArrangementCache

    /// The request of a group, and the representation that its clients have.
    struct Key: Hashable {
        fileprivate let target: [UInt8]
        fileprivate let choice: UInt64
        fileprivate let wait: Wait
        fileprivate let entityTag: String?
        /// The revision that was asked for; a response of the group names this revision or a later one.
        fileprivate let revision: String?
        /// The status of the response if the time ends without a change.
        fileprivate let statusOfNone: Int
    }

    private struct Group {
        let question: Question
        /// The inquiry when the group was last checked; nil while the group waits for a check, which may take so long
        /// that many groups would hold many old trees.
        var seen: Inquiry?
        /// The hashes of the item in place of `seen`; nil for a document, whose tag costs little, and for a source that
        /// does not answer at once.
        var shown: ShownHashes?
        /// The newest publication from which a waiter came or for which the group was checked; earlier publications are
        /// ignored.
        var number: Int
        /// The response if the time ends without a change.
        let unchanged: Response
        /// Whether the group waits for a check on another thread.
        var isQueued = false
        var waiters: [ObjectIdentifier: Waiter] = [:]

        mutating func see(_ inquiry: Inquiry) {
            guard inquiry.publication.number > number else { return }
            (seen, shown, number) = (inquiry, nil, inquiry.publication.number)
        }

        /// Whether the waiters are known to have the answer.
        func showsTheSame(_ now: Inquiry) -> Bool {
            if let seen { return seen.isKnownToShowTheSame(as: now) }
            return shown?.isSame(as: now) ?? false
        }

        /// Releases the tree.
        mutating func queue() {
            isQueued = true
            guard let last = seen.take(), last.source.isImmediate, question.subject != .document else { return }
            shown = ShownHashes(last)
        }
    }

    /// A group to check.
    struct Due {
        let key: Key
        /// The approximate number of rows that are looked at.
        let cost: Int
    }

    /// A request that was admitted; it joins a group in `add`.
    struct Place {
        let waiter: Waiter
        fileprivate let key: Guarded<Key?>

        init(waiter: Waiter, key: Guarded<Key?> = Guarded(nil)) {
            self.waiter = waiter
            self.key = key
        }
    }

    init(room: WaitingRoom, arrangements: ArrangementCache) {
        self.room = room
        self.arrangements = arrangements
    }

    /// Admits a request that will wait until its representation differs from the one that the client has; nil if too
    /// many requests are waiting.
    ///
    /// - Parameters:
    ///   - otherwise: the response if the time ends without a change; made only then.
    ///   - onEnd: called once, at the end of the wait.
    func reserve(
        for time: Duration, otherwise: @autoclosure @escaping @Sendable () -> Response,
        onEnd: @escaping @Sendable (Waiter) -> Void = { _ in }
    ) -> Place? {
        let key = Guarded<Key?>(nil)
        let waiter = room.admit(for: time, otherwise: otherwise()) { [weak self] waiter, _ in
            if let key = key.withLock({ $0 }) { self?.forget(waiter, key: key) }
            onEnd(waiter)
        }
        return waiter.map { Place(waiter: $0, key: key) }
    }

    /// Makes a request wait until its representation differs from the one that the client has.
    ///
    /// Afterwards the caller must check whether something was published meanwhile, because this may have missed it.
    func add(_ place: Place, inquiry: Inquiry, having selected: Representation, for wait: Wait) {
        let (waiter, question) = (place.waiter, inquiry.question)
        let otherwise = waiter.otherwise
        let key = Key(
            target: question.target, choice: question.negotiation.number, wait: wait, entityTag: selected.entityTag,
            revision: question.delivery.revision, statusOfNone: otherwise.status)
        let group = Group(question: question, seen: inquiry, number: inquiry.publication.number, unchanged: otherwise)
        place.key.withLock { $0 = key }
        let shared = groups.withLock { groups in
            groups[key, default: group].waiters[ObjectIdentifier(waiter)] = waiter
            groups[key]?.see(inquiry)
            return groups[key]?.unchanged
        }
        // One response serves the whole group.
        if let shared, shared !== group.unchanged { waiter.otherwise = shared }
        // The wait may have ended before the waiter had a key.
        if waiter.end != nil { forget(waiter, key: key) }
    }

    private func forget(_ waiter: Waiter, key: Key) {
        groups.withLock { groups in
            groups[key]?.waiters[ObjectIdentifier(waiter)] = nil
            if groups[key]?.waiters.isEmpty == true { groups[key] = nil }
        }
    }

    /// The groups that were not checked for a publication yet, and are not in the queue, in ascending order of cost. A
    /// group counts as checked if its answer is known to be the same without rendering.
    ///
    /// - Parameter isInTime: whether groups may still be compared; afterwards, the remaining groups are returned
    ///   without it.
    func due(for publication: Publication, while isInTime: () -> Bool) -> [Due] {
        let number = publication.number
        let open = groups.withLock { groups in groups.filter { $0.value.number < number && !$0.value.isQueued } }
        var due: [Due] = []
        for (key, group) in open {
            guard publication.snapshot.isImmediate(at: group.question.path) else {
                due.append(Due(key: key, cost: .max))
                continue
            }
            guard isInTime() else {
                due.append(Due(key: key, cost: group.seen?.cost ?? 0))
                continue
            }
            do throws(Problem) {
                let inquiry = try Inquiry(question: group.question, in: publication, arrangements: arrangements)
                if group.showsTheSame(inquiry) {
                    groups.withLock { $0[key]?.see(inquiry) }
                } else {
                    due.append(Due(key: key, cost: inquiry.cost))
                }
            } catch {
                due.append(Due(key: key, cost: 0))
            }
        }
        return due.sorted { $0.cost < $1.cost }
    }

    /// Queues groups for a later check, one with each call of `checkNext`.
    ///
    /// A waiter whose time ends before the check gets the response for no change, although there may be one. Its client
    /// loses nothing: it keeps its version, and the next request with that version is compared with the newest
    /// publication at once. A check at the end of its time would render on the thread of the timers, which the queue
    /// avoids.
    ///
    /// - Returns: whether the queue was empty before.
    func queue(_ due: some Sequence<Due>) -> Bool {
        for group in due { groups.withLock { $0[group.key]?.queue() } }
        return rechecks.withLock { rechecks in
            let wasEmpty = rechecks.isEmpty
            for group in due { rechecks.add(group.key, cost: group.cost) }
            return wasEmpty && !rechecks.isEmpty
        }
    }

    /// Checks the next group in the queue; returns whether more groups are in it.
    func checkNext(_ check: (Key) -> Void) -> Bool {
        guard let (key, number) = rechecks.withLock({ $0.takeNext() }) else { return false }
        // Before the newest publication is read, so that a later publication finds the group again.
        groups.withLock { $0[key]?.isQueued = false }
        let began = ContinuousClock.now
        check(key)
        let took = began.duration(to: .now)
        return rechecks.withLock { rechecks in
            rechecks.note(took, in: number)
            return !rechecks.isEmpty
        }
    }

    /// Answers the waiters of a group if their representation differs in a publication. A group that was checked for a
    /// later publication is skipped, so that no client gets an older state.
    ///
    /// - Parameter select: the second argument is the state that the waiters have, if it is still held.
    func wake(
        _ key: Key, publication: Publication, select: (Inquiry, ShownItem?) throws(Problem) -> Representation,
        refuse: (Problem, Question) -> Response
    ) {
        let number = publication.number
        guard let group = groups.withLock({ $0[key] }), group.number < number else { return }
        do throws(Problem) {
            let inquiry = try Inquiry(question: group.question, in: publication, arrangements: arrangements)
            defer { inquiry.source.end() }
            if !group.showsTheSame(inquiry) {
                let selected = try select(inquiry, group.seen?.shown)
                guard selected.entityTag == key.entityTag else {
                    // If it cannot be made, the whole group gets the problem below.
                    let first = try selected.response(adding: inquiry.addedHeaders)
                    for (index, waiter) in take(key, before: number).enumerated() {
                        waiter.finish(
                            index == 0 || !first.isStream
                                ? first : another(selected, inquiry: inquiry) { refuse($0, group.question) })
                    }
                    return
                }
            }
            groups.withLock { $0[key]?.see(inquiry) }
        } catch {
            let response = refuse(error, group.question)
            for waiter in take(key, before: number) { waiter.finish(response) }
        }
    }

    /// Removes a group and returns its waiters, unless one of them came from this or a later publication.
    private func take(_ key: Key, before number: Int) -> [Waiter] {
        groups.withLock { groups in
            guard let group = groups[key], group.number < number else { return [] }
            groups[key] = nil
            return Array(group.waiters.values)
        }
    }

    /// One more response of a representation whose responses can each be sent only once.
    private func another(
        _ selected: Representation, inquiry: Inquiry, refuse: (Problem) -> Response
    ) -> Response {
        do throws(Problem) {
            return try selected.response(adding: inquiry.addedHeaders)
        } catch {
            return refuse(error)
        }
    }
}

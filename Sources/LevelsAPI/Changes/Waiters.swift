import HTTPServer
import Levels
import Locking
import TreeStore

/// The requests that wait for a representation to change, grouped by target and by the clients' entity tags.
///
/// After a publication, each group is checked once, whatever its size. The group is answered if its entity tag changed.
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
        /// The requested revision. The responses to the group name this revision or a later one.
        fileprivate let revision: String?
        /// The status of the response if the time ends without a change.
        fileprivate let statusOfNone: Int
    }

    private struct Group {
        let question: Question
        /// The inquiry of the last check. Nil while the group waits for a check, because the wait may be long, and many
        /// groups would hold many old trees.
        var seen: Inquiry?
        /// The hashes of the item, which take the place of `seen` while the group waits for a check. Nil for a
        /// document, whose entity tag costs little, and for a source that does not answer immediately.
        var shown: ShownHashes?
        /// The number of the newest publication for which the group was checked or a waiter was added. The group
        /// ignores earlier publications.
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

        /// Whether it is known that the waiters have the answer to this inquiry.
        func showsTheSame(_ now: Inquiry) -> Bool {
            if let seen { return seen.isKnownToShowTheSame(as: now) }
            return shown?.isSame(as: now) ?? false
        }

        /// Marks the group as queued, and releases the tree.
        mutating func queue() {
            isQueued = true
            guard let last = seen.take(), last.source.isImmediate, question.subject != .document else { return }
            shown = ShownHashes(last)
        }
    }

    /// A group to check.
    struct Due {
        let key: Key
        /// The approximate number of rows that the check looks at.
        let cost: Int
    }

    /// A request that was admitted. `add` puts the request into a group.
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

    /// Admits a request that will wait until its representation differs from the client's. Returns nil if too many
    /// requests are waiting.
    ///
    /// - Parameters:
    ///   - otherwise: the response if the time ends without a change; made only then.
    ///   - onEnd: called once, at the end of the wait.
    func reserve(
        for time: Duration, otherwise: @autoclosure @escaping @Sendable () -> Response,
        onEnd: @escaping @Sendable (Waiter) -> Void = { _ in }
    ) -> Place? {
        let key = Guarded<Key?>(nil)
        let waiter = room.admit(for: time, otherwise: otherwise()) { [weak self] waiter in
            if let key = key.withLock({ $0 }) { self?.forget(waiter, key: key) }
            onEnd(waiter)
        }
        return waiter.map { Place(waiter: $0, key: key) }
    }

    /// Makes a request wait until its representation differs from the client's.
    ///
    /// This call can miss a publication that happens at the same time, so the caller must afterwards check for a newer
    /// publication.
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
        if waiter.hasEnded { forget(waiter, key: key) }
    }

    private func forget(_ waiter: Waiter, key: Key) {
        groups.withLock { groups in
            groups[key]?.waiters[ObjectIdentifier(waiter)] = nil
            if groups[key]?.waiters.isEmpty == true { groups[key] = nil }
        }
    }

    /// The groups that need a check for a publication, in ascending order of cost, except the groups in the queue. A
    /// group needs no check if its answer is known to be the same without rendering.
    ///
    /// - Parameter isInTime: whether there is time to compare another group. When the time is over, the remaining
    ///   groups are returned without a comparison.
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

    /// Queues groups for later checks. Each call of `checkNext` checks one group.
    ///
    /// A waiter whose time ends before the check gets the response for no change, although the answer may have changed.
    /// The client loses nothing: it keeps its version, and the next request with that version is immediately compared
    /// with the newest publication. A check at the end of the waiter's time would render on the thread of the timers,
    /// which the queue avoids.
    ///
    /// - Returns: whether the queue was empty before this call, and is not empty after it.
    func queue(_ due: some Sequence<Due>) -> Bool {
        for group in due { groups.withLock { $0[group.key]?.queue() } }
        return rechecks.withLock { rechecks in
            let wasEmpty = rechecks.isEmpty
            for group in due { rechecks.add(group.key, cost: group.cost) }
            return wasEmpty && !rechecks.isEmpty
        }
    }

    /// Checks the next group in the queue. Returns whether the queue contains more groups.
    func checkNext(_ check: (Key) -> Void) -> Bool {
        guard let (key, number) = rechecks.withLock({ $0.takeNext() }) else { return false }
        // This comes before `check` reads the newest publication, so that a later publication finds the group again.
        groups.withLock { $0[key]?.isQueued = false }
        let began = ContinuousClock.now
        check(key)
        let took = began.duration(to: .now)
        return rechecks.withLock { rechecks in
            rechecks.note(took, in: number)
            return !rechecks.isEmpty
        }
    }

    /// Answers the waiters of a group if the representation in a publication differs from the one that the waiters
    /// have. Skips a group that was checked for this publication or a later one, so that no client gets an older state.
    ///
    /// - Parameter select: selects the representation. The second argument is the state that the waiters have; nil if
    ///   that state is no longer held.
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
                    // If this response cannot be made, the whole group gets the problem below.
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

    /// Removes a group, and returns its waiters. Does nothing if the group has seen this publication or a later one.
    private func take(_ key: Key, before number: Int) -> [Waiter] {
        groups.withLock { groups in
            guard let group = groups[key], group.number < number else { return [] }
            groups[key] = nil
            return Array(group.waiters.values)
        }
    }

    /// Makes one more response with a representation whose responses can each be sent only once.
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

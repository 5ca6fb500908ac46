import HTTPServer
import Levels
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

/// The follower of the document's changes: one request waits for the changes of all observed levels and details of a
/// server.
final class ChangeFollower: Sendable {
    private let transport: Transport
    private let session: RenewedSession
    private let state = Guarded(State())

    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        var task: Task<Void, Never>?
        /// Whether the latest request failed.
        var isAway = false
        /// Whether members were notified of the failure.
        var isShown = false

        /// Whether members wait to hear that the server is back.
        var needsAnswer: Bool { isAway && (isShown || members.values.contains { $0.isOutdated }) }
    }

    private struct Member: Sendable {
        let isConcerned: @Sendable (ChangesAnswer) -> Bool
        let interrupt: @Sendable (Problem) -> Void
        let confirm: @Sendable () -> Void
        /// Whether the level or the detail must be read again, because a change may concern it.
        var isOutdated = true
        /// Whether an answer has named the change.
        var isNamed = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    init(_ transport: Transport) {
        self.transport = transport
        session = RenewedSession(connections: 1, transport.configuration)
    }

    func add<Content>(_ observed: ObservedState<Content>, target: some Observed) {
        let member = Member(
            isConcerned: { target.isConcerned(by: $0) }, interrupt: { observed.interrupt($0) },
            confirm: { observed.confirm() })
        state.withLock { $0.members[ObjectIdentifier(observed)] = member }
    }

    func remove(_ observed: AnyObject) {
        state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(observed)) }?.waiting?.resume()
    }

    /// Notes that a read of a level or a detail begins. The answer must include all changes that came before.
    ///
    /// - Returns: whether one of these changes was named since the latest read began.
    func beginReading(_ observed: AnyObject) -> Bool {
        state.withLock { state in
            let isNamed = state.members[ObjectIdentifier(observed)]?.isNamed ?? false
            state.members[ObjectIdentifier(observed)]?.isOutdated = false
            state.members[ObjectIdentifier(observed)]?.isNamed = false
            return isNamed
        }
    }

    /// Waits until a change concerns the level or the detail.
    ///
    /// Returns immediately if a change came since `beginReading`, or if no request waits for changes.
    func wait(for observed: AnyObject) async {
        let id = ObjectIdentifier(observed)
        await wait(id) { $0.task != nil && $0.members[id]?.isOutdated == false }
    }

    /// Notes that the read has failed, so that the level or the detail must be read again.
    func failReading(_ observed: AnyObject) {
        state.withLock { $0.members[ObjectIdentifier(observed)]?.isOutdated = true }
    }

    /// Waits until the server answers again.
    ///
    /// - Returns: true after the wait; false, without a wait, if the latest request for changes succeeded.
    func waitUntilBack(for observed: AnyObject) async -> Bool {
        guard state.withLock(\.isAway) else { return false }
        await wait(ObjectIdentifier(observed)) { $0.isAway }
        return true
    }

    /// Waits until the member is woken. Returns immediately if the condition does not hold.
    private func wait(_ id: ObjectIdentifier, if condition: @Sendable (State) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard condition(state), state.members[id] != nil, !Task.isCancelled else { return false }
                    state.members[id]?.waiting = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            wake(id)
        }
    }

    private func wake(_ id: ObjectIdentifier) {
        state.withLock { state in
            defer { state.members[id]?.waiting = nil }
            return state.members[id]?.waiting
        }?.resume()
    }

    /// Begins to wait for changes.
    ///
    /// - Parameter giveUp: called if the server refuses the requests for changes; afterwards all members are woken.
    func start(_ backoff: Backoff, orElse giveUp: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.task?.cancel()
            state.task = Task { await run(backoff, giveUp) }
        }
    }

    func stop() {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
        }
        session.close(cancelling: true)
    }

    /// Cancels the waiting request, and sends it again.
    func retry() { session.close(cancelling: true) }
}

extension ChangeFollower {
    private func run(_ backoff: Backoff, _ giveUp: @Sendable () -> Void) async {
        var link: String?
        var failures = 0
        var pace = PollingPace()
        while !Task.isCancelled {
            let begin = backoff.now()
            let waits = link != nil && !state.withLock(\.needsAnswer)
            do {
                let answer = try await transport.changes(after: link, waits: waits, over: session)
                take(answer)
                link = answer.follow
                guard waits else { continue }
                failures = 0
                await backoff.pause(pace.pause(after: backoff.now() - begin, isChange: answer.count > 0))
            } catch {
                guard !Task.isCancelled else { return }
                if transport.isGivenUp(error) { continue }
                let problem = error as? Problem ?? .unexpectedAnswer(transport.address)
                if waits, problem.isCut(after: backoff.now() - begin) { failures = 0 }
                let isAnew = !problem.isOutage && link != nil
                if isAnew { link = nil }
                if isAnew, !problem.asksForPause {
                    await backoff.pause(pace.pause(after: backoff.now() - begin, isChange: false))
                    continue
                }
                guard isAnew || !problem.isRefusal else { return end(giveUp) }
                failures += 1
                fail(failures > 1 ? problem : nil)
                await transport.pauses.pause(after: failures, problem, backoff)
            }
        }
    }

    /// Wakes the members that the changes concern.
    private func take(_ answer: ChangesAnswer) {
        let (waiting, confirmed) = state.withLock { state in
            var waiting: [CheckedContinuation<Void, Never>] = []
            var confirmed: [Member] = []
            for (id, member) in state.members {
                let isConcerned = member.isConcerned(answer)
                if isConcerned, !answer.isTruncated { state.members[id]?.isNamed = true }
                if member.isOutdated || isConcerned {
                    state.members[id]?.isOutdated = true
                    state.members[id]?.waiting = nil
                    if let continuation = member.waiting { waiting.append(continuation) }
                } else if state.isShown {
                    confirmed.append(member)
                }
            }
            (state.isAway, state.isShown) = (false, false)
            return (waiting, confirmed)
        }
        for continuation in waiting { continuation.resume() }
        for member in confirmed { member.confirm() }
    }

    /// Notes a failure, and notifies all members of the problem; without a problem, the failure is not shown yet.
    private func fail(_ problem: Problem?) {
        let members = state.withLock { state in
            state.isAway = true
            if problem != nil { state.isShown = true }
            return Array(state.members.values)
        }
        guard let problem else { return }
        for member in members { member.interrupt(problem) }
    }

    /// Ends the follower, because the requests for changes are refused, perhaps by a proxy that passes only levels.
    private func end(_ giveUp: @Sendable () -> Void) {
        giveUp()
        let waiting = state.withLock { state in
            let waiting = state.members.values.compactMap(\.waiting)
            for id in state.members.keys { state.members[id]?.waiting = nil }
            (state.task, state.isAway, state.isShown) = (nil, false, false)
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension Problem {
    /// Whether it is pointless to repeat the request. Unlike in `isTemporary`, a proxy's refusal (a status from 400 to
    /// 499) counts as final.
    fileprivate var isRefusal: Bool {
        !isOutage && !isTransientRefusal && (!isTemporary || (400..<500).contains(status ?? 0))
    }
}

import Foundation

/// The follower of one level or detail for all its observers: it reads, waits for changes, and retries after failures.
struct Follower<Target: Observed>: Sendable {
    let observations: Observations
    let target: Target
    let observed: ObservedState<Target.Content>

    private var transport: Transport { observations.transport }

    /// Follows until the task is cancelled, or the server refuses the level or the detail.
    func run() async {
        let backoff = observations.backoff.withLock { $0 }
        var poller = target.poller(transport)
        if let cache = observations.cache, let content = await poller.restore(from: cache) {
            observed.show(content, isFromCache: true)
        }
        var failures = 0
        var pace = PollingPace()
        // Whether the next answer must include a change. An answer without a wait may be a cache's old copy.
        var isNamed = false
        while !Task.isCancelled {
            let begin = backoff.now()
            let own = observations.ownSession(of: target)
            if own == nil, observations.changes.beginReading(observed) { isNamed = true }
            // A state from the cache, and a failure that is shown, call for an immediate answer. It shows whether the
            // state is current, and that the server is back.
            let waits = own != nil && poller.follow != nil && observed.isCurrent
            do {
                let content = try await poller.next(
                    waits ? .full : isNamed ? .brief : .none, over: own ?? observations.readers)
                isNamed = false
                if let content { show(content, poller: poller) } else { observed.confirm() }
                if poller.isWide { observations.share() }
                guard own != nil else {
                    failures = 0
                    await observations.changes.wait(for: observed)
                    continue
                }
                // An immediate answer without a change does not end an outage, because it does not show whether a
                // proxy lets requests wait.
                if waits || content != nil {
                    failures = 0
                    await backoff.pause(pace.pause(after: backoff.now() - begin, isChange: content != nil))
                }
            } catch {
                guard !Task.isCancelled else { return }
                if transport.isGivenUp(error) { continue }
                let problem = error as? Problem ?? .unexpectedAnswer(transport.address)
                if waits, problem.isCut(after: backoff.now() - begin) { failures = 0 }
                let isAnew = !problem.isOutage && poller.follow != nil
                if isAnew { poller.beginAnew() }
                if isAnew, !problem.asksForPause {
                    await backoff.pause(pace.pause(after: backoff.now() - begin, isChange: false))
                    continue
                }
                guard isAnew || problem.isTemporary else { return end(problem, poller: poller) }
                failures += 1
                // A server that restarts is back at the next attempt, so the first failure is not reported if content
                // is shown.
                if failures > 1 || !observed.hasContent { observed.interrupt(problem) }
                await pause(after: failures, problem, backoff, isShared: own == nil)
            }
        }
    }

    private func pause(after failures: Int, _ problem: Problem, _ backoff: Backoff, isShared: Bool) async {
        if isShared { observations.changes.failReading(observed) }
        let isAskedFor = problem.retryAfter != nil
        if isAskedFor { await transport.pauses.pause(after: failures, problem, backoff) }
        // While the server is away, only the request for changes is repeated.
        let wasAway = isShared ? await observations.changes.waitUntilBack(for: observed) : false
        if !isAskedFor, !wasAway { await transport.pauses.pause(after: failures, problem, backoff) }
    }

    private func show(_ content: Target.Content, poller: any Poller<Target.Content>) {
        // The state is put into the cache before it is shown. If an observer then flushes the cache, the state that the
        // observer has seen is written.
        if let cache = observations.cache { poller.keep(in: cache, isGone: false) }
        observed.show(content, isFromCache: false)
    }

    private func end(_ problem: Problem, poller: any Poller<Target.Content>) {
        // The level is removed from the cache before the end is shown, so that a flush by an observer removes the
        // file. After any other refusal, the level is kept, because the cause may be temporary: a wrong token, or a
        // query that only another version of the server accepts.
        if problem.kind == .noSuchItem, let cache = observations.cache { poller.keep(in: cache, isGone: true) }
        observations.remove(target, observed: observed)
        observed.end(problem)
    }
}

extension Problem {
    /// The minimum time, in seconds, for which a proxy that limits waits lets a request wait.
    private static let shortestWait = 5.0

    /// Returns whether a proxy may have ended a request that waits, which is not an outage: the connection ended, or the
    /// status is 504, after some seconds.
    func isCut(after duration: Duration) -> Bool {
        (isConnectionLost || status == 504) && duration >= .seconds(Self.shortestWait)
    }
}

/// The pace of requests if the server does not wait, for example because a proxy repeats an old answer.
struct PollingPace: Sendable {
    /// The maximum pause, in seconds.
    private static let longest = 30.0
    /// The number of consecutive answers that came early without a change.
    private var early = 0

    /// The minimum time, in seconds, from a request that is answered with a change to the next request.
    static let interval = 0.05
    /// If nothing changes, a server that waits answers after this number of seconds at the earliest.
    private static let earliest = 0.9

    /// Returns the number of seconds to pause before the next request, after an answer that took `duration`.
    mutating func pause(after duration: Duration, isChange: Bool) -> Double {
        let seconds = duration / .seconds(1)
        if isChange {
            early = 0
            return max(0, Self.interval - seconds)
        }
        early = seconds < Self.earliest ? min(early + 1, 10) : 0
        // A single early answer does not show that the server never waits.
        guard early > 1 else { return 0 }
        return min(Self.longest, Double(1 << (early - 2)))
    }
}

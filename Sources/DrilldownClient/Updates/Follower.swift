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
        // The first request does not wait. Its answer shows whether the known state is current and, after a failure,
        // that the server is back. Later requests wait.
        var waits = false
        var outage = Outage(backoff)
        var pace = PollingPace(longest: transport.configuration.allowedWait)
        while !Task.isCancelled {
            let begin = backoff.now()
            let own = observations.ownSession(of: target)
            if own == nil { observations.changes.beginReading(observed) }
            do {
                let wait = waits && own != nil ? transport.configuration.allowedWait : 0
                let content = try await poller.next(wait: wait, over: own ?? observations.readers)
                if let content { show(content, poller: poller) } else { observed.confirm() }
                guard own != nil else {
                    outage.end()
                    await observations.changes.wait(for: observed)
                    continue
                }
                // An immediate answer without a change does not end an outage, because it does not show whether a
                // proxy lets requests wait.
                if waits || content != nil { outage.end() }
                // A long level is requested after each change of the document. Most of these changes concern other
                // levels, so the pause after an early answer without a change stays short.
                if poller.isWide { pace.longest = 1 }
                if waits || content != nil {
                    await backoff.pause(pace.pause(after: backoff.now() - begin, isChange: content != nil))
                }
                waits = true
            } catch {
                guard !Task.isCancelled else { return }
                let isGivenUp = transport.isGivenUp(error)
                // It is not an outage if a proxy ends a request that has waited for some time.
                if waits, isGivenUp || !PollingPace.isEarly(backoff.now() - begin) { outage.end() }
                waits = false
                if isGivenUp { continue }
                let problem = error as? Problem ?? .unexpectedAnswer(transport.address)
                guard problem.isTemporary else { return end(problem, poller: poller) }
                outage.fail()
                // A server that restarts is back at the next attempt, so the first failure is not reported if content
                // is shown.
                if outage.failures > 1 || !observed.hasContent { observed.interrupt(problem) }
                // While the server is away, only the request for changes is repeated.
                if own == nil, await observations.changes.waitUntilBack(for: observed) { continue }
                await transport.pauses.pause(outage.pause(problem), backoff.sleep)
            }
        }
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

/// The pace of requests if the server does not wait, for example because a proxy removes entity tags.
struct PollingPace: Sendable {
    /// The maximum pause, in seconds.
    var longest: Double
    /// The number of consecutive answers that came early without a change.
    private var early = 0

    /// The minimum time, in seconds, from a request that is answered with a change to the next request.
    static let interval = 0.05
    /// If nothing changes, a server that waits answers after this number of seconds at the earliest.
    static let earliest = 0.9

    /// Returns whether an answer without a change came too soon for a server that waits.
    static func isEarly(_ duration: Duration) -> Bool { duration < .seconds(earliest) }

    init(longest seconds: Int) { longest = Double(seconds) }

    /// Returns the number of seconds to pause before the next request, after an answer that took `duration`.
    mutating func pause(after duration: Duration, isChange: Bool) -> Double {
        let seconds = duration / .seconds(1)
        if isChange {
            early = 0
            return max(0, Self.interval - seconds)
        }
        early = Self.isEarly(duration) ? min(early + 1, 10) : 0
        // A single early answer does not show that the server never waits.
        guard early > 1 else { return 0 }
        return min(longest, Double(1 << (early - 2)))
    }
}

extension ServerConfiguration {
    /// The value of `waitSeconds`, limited to the range that the server accepts.
    var allowedWait: Int { min(max(waitSeconds, 1), 300) }
}

import Foundation

/// Follows one level or detail for all its observers: reads it, waits for changes, and retries after failures.
struct Follower<Target: Observed>: Sendable {
    let observations: Observations
    let target: Target
    let observed: ObservedState<Target.Content>

    private var transport: Transport { observations.transport }

    /// Follows until the task is cancelled or the server refuses.
    func run() async {
        let backoff = observations.backoff.withLock { $0 }
        var poller = target.poller(transport)
        if let cache = observations.cache, let content = await poller.restore(from: cache) {
            observed.show(content, isFromCache: true)
        }
        // The first request is answered at once: this shows that what is known is current, and, after a failure, that the
        // server is back. Later requests wait.
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
                // An immediate answer does not show that waiting requests get through.
                if waits || content != nil { outage.end() }
                // A long level is requested after each change of the document, most of which concern other levels.
                if poller.isWide { pace.longest = 1 }
                if waits || content != nil {
                    await backoff.pause(pace.pause(after: backoff.now() - begin, isChange: content != nil))
                }
                waits = true
            } catch {
                guard !Task.isCancelled else { return }
                // The waiting request was given up, because others are observed too, or for `retryNow`.
                let isGivenUp = error is CancellationError && transport.configuration.send == nil
                // A proxy that cuts a request after it has waited for a time does no harm.
                if waits, isGivenUp || !PollingPace.isEarly(backoff.now() - begin) { outage.end() }
                waits = false
                if isGivenUp { continue }
                let problem = error as? Problem ?? .unexpectedAnswer(transport.address)
                guard problem.isTemporary else { return end(problem, poller: poller) }
                outage.fail()
                // A server that restarts is back at the first attempt, so one failure is not shown beside a level.
                if outage.failures > 1 || !observed.hasContent { observed.interrupt(problem) }
                // While the server is away, one asks for all.
                if own == nil, await observations.changes.waitUntilBack(for: observed) { continue }
                await transport.pauses.pause(outage.pause(problem), backoff.sleep)
            }
        }
    }

    private func show(_ content: Target.Content, poller: any Poller<Target.Content>) {
        // Kept first, so that a flush by an observer writes the state that it has seen.
        if let cache = observations.cache { poller.keep(in: cache, isGone: false) }
        observed.show(content, isFromCache: false)
    }

    private func end(_ problem: Problem, poller: any Poller<Target.Content>) {
        // First, so that a flush by an observer that has seen the end removes the level. Any other refusal may be
        // temporary: a wrong token, or a query for another version of the server.
        if problem.kind == .noSuchItem, let cache = observations.cache { poller.keep(in: cache, isGone: true) }
        observations.remove(target, observed: observed)
        observed.end(problem)
    }
}

/// How fast a level is polled if the server does not wait, for example because a proxy removes entity tags.
struct PollingPace: Sendable {
    var longest: Double
    /// The number of consecutive answers that came early without a change.
    private var early = 0

    /// The least time between two changes, in seconds.
    static let interval = 0.05
    /// A server that waits answers later than this if nothing changes, in seconds.
    static let earliest = 0.9

    /// Whether a request that waited came back too soon for a server that waits.
    static func isEarly(_ duration: Duration) -> Bool { duration < .seconds(earliest) }

    init(longest seconds: Int) { longest = Double(seconds) }

    /// The seconds to pause before the next request, after an answer that took `duration`.
    mutating func pause(after duration: Duration, isChange: Bool) -> Double {
        let seconds = duration / .seconds(1)
        if isChange {
            early = 0
            return max(0, Self.interval - seconds)
        }
        early = Self.isEarly(duration) ? min(early + 1, 10) : 0
        // One alone does not show that the server never waits.
        guard early > 1 else { return 0 }
        return min(longest, Double(1 << (early - 2)))
    }
}

extension ServerConfiguration {
    /// The seconds to wait that the server accepts.
    var allowedWait: Int { min(max(waitSeconds, 1), 300) }
}

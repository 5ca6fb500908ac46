/// Follows one level for all its observers: reads it, waits for changes, and comes back after failures.
struct LevelFollower: Sendable {
    private let server: Server
    private let target: LevelTarget
    private let observation: LevelObservation
    private let backoff: Backoff

    init(_ server: Server, _ target: LevelTarget, _ observation: LevelObservation, _ backoff: Backoff) {
        (self.server, self.target) = (server, target)
        (self.observation, self.backoff) = (observation, backoff)
    }

    /// Follows the level until the task is cancelled or the server refuses the level.
    func run() async {
        var poller = LevelPoller(server, target)
        if let copy = await server.levelCache?.copy(of: target) {
            observation.show(copy.level, nil, isFromCache: true)
            poller.copy = copy
        }
        // No request waits before one was answered at once: that shows that a known level is current, and, after a failure,
        // that the server is there again.
        var waits = false
        var failures = 0
        var pace = PollingPace(longest: server.configuration.allowedWait)
        while !Task.isCancelled {
            let begin = backoff.now()
            do {
                let change = try await poller.next(wait: waits)
                if let change { show(change) } else { observation.confirm() }
                // An answer at once says nothing about whether those that wait get through.
                if waits || change != nil { failures = 0 }
                // A long level is asked for after each change of the document, most of which are not its own.
                if let pages = poller.copy?.pages, pages.count > 1 { pace.longest = 1 }
                if waits || change != nil {
                    await pause(pace.pause(after: backoff.now() - begin, isChange: change != nil), backoff.rest)
                }
                waits = true
            } catch {
                guard !Task.isCancelled else { return }
                let problem = error as? Problem ?? .unexpectedAnswer(target)
                guard problem.isTemporary else { return end(problem) }
                // A proxy that cuts a request after it has waited for a time does no harm.
                if waits, PollingPace.isEarly(backoff.now() - begin) == false { failures = 0 }
                waits = false
                failures += 1
                // A server that restarts is back at the first attempt, so one failure is not shown beside a level.
                if failures > 1 || !observation.hasLevel { observation.interrupt(problem) }
                await pause(backoff.delay(after: failures, retryAfter: problem.retryAfter), backoff.sleep)
            }
        }
    }

    private func show(_ change: LevelPoller.Change) {
        // Kept first, so that what an observer has seen is in the folder after it is flushed.
        server.levelCache?.keep(change.copy, of: target)
        observation.show(change.copy.level, change.difference, isFromCache: false)
    }

    private func end(_ problem: Problem) {
        // First, so that the level is gone from the folder once an observer that has seen the end flushes it. Any other
        // refusal may be taken back: a token that is wrong, or a query of another version of the server.
        if problem.kind == .noSuchItem { server.levelCache?.remove(target) }
        server.observations.remove(target, observation)
        observation.end(problem)
    }

    private func pause(_ seconds: Double, _ sleep: (_ seconds: Double) async throws -> Void) async {
        guard seconds > 0 else { return }
        do {
            try await sleep(seconds)
        } catch {
            // Only cancellation ends the pause early, and the loop looks for that.
        }
    }
}

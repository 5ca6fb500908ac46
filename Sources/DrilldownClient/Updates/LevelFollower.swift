import Foundation

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
                if waits, !PollingPace.isEarly(backoff.now() - begin) { failures = 0 }
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
        if problem.kind == .noSuchItem { server.levelCache?.keep(nil, of: target) }
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

/// How fast a level is polled if the server's answers do not wait, for example because a proxy removes entity tags.
struct PollingPace: Sendable {
    var longest: Double
    /// The number of answers in a row that came early and told nothing new.
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
        // One alone is no sign of a server that never waits.
        guard early > 1 else { return 0 }
        return min(longest, Double(1 << (early - 2)))
    }
}

extension Server.Configuration {
    /// The seconds to wait that the server accepts.
    var allowedWait: Int { min(max(waitSeconds, 1), 300) }
}

/// How long to wait after a failure: longer each time, and at random, so that clients do not come back all at once.
///
/// This is "full jitter": any time up to a bound that doubles with each failure.
struct Backoff: Sendable {
    /// The bound after the first failure, in seconds.
    var first = 0.5
    /// The greatest bound, in seconds.
    var greatest = 30.0
    /// How long a server's `Retry-After` is obeyed, in seconds.
    var greatestRetryAfter = 300.0
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// The present time, for telling how long an answer took.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits for a number of seconds; throws `CancellationError` as soon as the task is cancelled.
    var sleep: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// The same after an answer that came early (`PollingPace`), which is not a failure.
    var rest: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

    /// The seconds to wait after a number of failures in a row, from 1.
    func delay(after failures: Int, retryAfter: Double?) -> Double {
        if let retryAfter { return min(max(retryAfter, 0), greatestRetryAfter) + random(0...first) }
        let doublings = Double(min(failures, 32) - 1)
        return random(0...min(greatest, first * pow(2, doublings)))
    }
}

import Foundation

/// Follows one level for all its observers: reads it, waits for changes, and retries after failures.
struct LevelFollower: Sendable {
    let observations: LevelObservations
    let target: LevelTarget
    let observation: LevelObservation

    /// Follows the level until the task is cancelled or the server refuses the level.
    func run() async {
        let backoff = observations.backoff.withLock { $0 }
        var poller = LevelPoller(observations.transport, target)
        if let copy = await observations.cache?.copy(of: target) {
            observation.show(copy.level, isFromCache: true)
            poller.copy = copy
        }
        // The first request is answered at once: this shows that a known level is current, and, after a failure, that the
        // server is back. Later requests wait.
        var waits = false
        var failures = 0
        var pace = PollingPace(longest: observations.transport.configuration.allowedWait)
        while !Task.isCancelled {
            let begin = backoff.now()
            do {
                let copy = try await poller.next(wait: waits)
                if let copy { show(copy) } else { observation.confirm() }
                // An immediate answer does not show that waiting requests get through.
                if waits || copy != nil { failures = 0 }
                // A long level is requested after each change of the document, most of which concern other levels.
                if let pages = poller.copy?.pages, pages.count > 1 { pace.longest = 1 }
                if waits || copy != nil {
                    await pause(pace.pause(after: backoff.now() - begin, isChange: copy != nil), backoff.rest)
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

    private func show(_ copy: LevelCopy) {
        // Kept first, so that a flush by an observer writes the state that it has seen.
        observations.cache?.keep(copy, of: target)
        observation.show(copy.level, isFromCache: false)
    }

    private func end(_ problem: Problem) {
        // First, so that a flush by an observer that has seen the end removes the level. Any other refusal may be
        // temporary: a wrong token, or a query for another version of the server.
        if problem.kind == .noSuchItem { observations.cache?.keep(nil, of: target) }
        observations.remove(target, observation)
        observation.end(problem)
    }

    private func pause(_ seconds: Double, _ sleep: (_ seconds: Double) async throws -> Void) async {
        guard seconds > 0 else { return }
        do {
            try await sleep(seconds)
        } catch {
            // Only cancellation ends the pause early, and the loop checks it.
        }
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

/// How long to wait after a failure: a random time up to a bound that doubles with each failure ("full jitter"), so that
/// clients do not return all at once.
struct Backoff: Sendable {
    /// The bound after the first failure, in seconds.
    var first = 0.5
    /// The greatest bound, in seconds.
    var greatest = 30.0
    /// How long a server's `Retry-After` is obeyed, in seconds.
    var greatestRetryAfter = 300.0
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// The present time, for the duration of an answer.
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

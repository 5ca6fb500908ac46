import Foundation

/// The waiting time after a failure: the server's `Retry-After`, or a time that doubles with each failure. Up to half of
/// it is added at random, so that not all clients return at the same time.
struct Backoff: Sendable {
    var retry = ServerConfiguration.Retry()
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// Returns the current time, from which the durations of answers are computed.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits for a number of seconds; throws `CancellationError` as soon as the task is cancelled.
    var sleep: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// Waits like `sleep`, but after an early answer (`PollingPace`) instead of a failure.
    var rest: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

    /// Returns the number of seconds to wait after a failure.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures, at least 1.
    ///   - retryAfter: the server's `Retry-After` in seconds; nil without this field.
    func delay(after failures: Int, retryAfter: Double?) -> Double {
        let first = max(0.01, retry.first)
        let doubled = min(first * pow(2, Double(min(failures, 32) - 1)), max(first, retry.longest))
        let seconds = retryAfter.map { min(max($0, first), max(first, retry.longestRetryAfter)) } ?? doubled
        return seconds + random(0...seconds / 2)
    }

    /// Waits for a time after an answer that came early.
    func pause(_ seconds: Double) async {
        // Only cancellation throws, and the caller checks for cancellation.
        if seconds > 0 { _ = await Result.catching { try await rest(seconds) } }
    }
}

/// The pauses after failed requests. The next request that succeeds ends them, except for the pauses that the server
/// has asked for.
final class Pauses: Sendable {
    private let pausing = Guarded<[Int: Pause]>([:])
    private let count = Guarded(0)

    private struct Pause {
        let isAskedFor: Bool
        let task: Task<Void, Never>
    }

    /// Pauses after a failure, at most until the pause is ended or the task is cancelled.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures, at least 1.
    ///   - problem: the latest failure.
    func pause(after failures: Int, _ problem: Problem, _ backoff: Backoff) async {
        let seconds = backoff.delay(after: failures, retryAfter: problem.retryAfter)
        let number = count.withLock { count in
            count += 1
            return count
        }
        let task = pausing.withLock { pausing in
            let task = Task { _ = await Result.catching { try await backoff.sleep(seconds) } }
            pausing[number] = Pause(isAskedFor: problem.retryAfter != nil, task: task)
            return task
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        pausing.withLock { $0[number] = nil }
    }

    /// Ends the pauses that the server has not asked for.
    func end() { end { !$0.isAskedFor } }

    /// Ends all pauses, even if the server has asked for them.
    func endAll() { end { _ in true } }

    private func end(_ isOver: @Sendable (Pause) -> Bool) {
        pausing.withLock { pausing in
            for pause in pausing.values where isOver(pause) { pause.task.cancel() }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

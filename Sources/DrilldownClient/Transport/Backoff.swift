import Foundation

/// The waiting time after a failure: the server's `Retry-After`, or a time that doubles with each failure. Up to half of
/// it is added at random, so that not all clients return at the same time.
struct Backoff: Sendable {
    /// The time after the first failure, in seconds.
    private static let first = 1.0
    /// The maximum time without `Retry-After`, in seconds.
    private static let greatest = 30.0
    /// The maximum `Retry-After` of a server, in seconds; a greater number is reduced to this maximum.
    private static let greatestRetryAfter = 300.0
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
        let doubled = min(Self.first * pow(2, Double(min(failures, 32) - 1)), Self.greatest)
        let seconds = retryAfter.map { min(max($0, Self.first), Self.greatestRetryAfter) } ?? doubled
        return seconds + random(0...seconds / 2)
    }

    /// Waits for a time after an answer that came early.
    func pause(_ seconds: Double) async {
        // Only cancellation throws, and the caller checks for cancellation.
        if seconds > 0 { _ = await Result.catching { try await rest(seconds) } }
    }
}

/// The pauses after failed requests. The next request that succeeds ends all pauses.
final class Pauses: Sendable {
    private let sleeping = Guarded<[Int: Task<Void, Never>]>([:])
    private let count = Guarded(0)

    /// Waits for a number of seconds, or less if `end` is called or the task is cancelled.
    func pause(_ seconds: Double, _ sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void) async {
        guard seconds > 0 else { return }
        let number = count.withLock { count in
            count += 1
            return count
        }
        let task = sleeping.withLock { sleeping in
            let task = Task { _ = await Result.catching { try await sleep(seconds) } }
            sleeping[number] = task
            return task
        }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        sleeping.withLock { $0[number] = nil }
    }

    /// Ends all pauses.
    func end() {
        sleeping.withLock { sleeping in
            for task in sleeping.values { task.cancel() }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }
}

import Foundation

/// The waiting time after a failure: a random time up to a bound ("full jitter"), so that not all clients return at the
/// same time.
///
/// The bound doubles with each failure, up to `steady`. In a longer outage it is a sixtieth of the duration of the
/// outage, up to `greatest`. Levels are therefore current soon after a short outage, and a long outage costs few
/// attempts.
struct Backoff: Sendable {
    /// The bound after the first failure, in seconds.
    var first = 0.5
    /// The maximum bound in a short outage, in seconds.
    var steady = 1.0
    /// The maximum bound in a long outage, in seconds.
    var greatest = 30.0
    /// The maximum `Retry-After` of a server, in seconds; a greater number is reduced to this maximum.
    var greatestRetryAfter = 300.0
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// Returns the current time, from which the durations of outages and answers are computed.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits for a number of seconds; throws `CancellationError` as soon as the task is cancelled.
    var sleep: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// Waits like `sleep`, but after an early answer (`PollingPace`) instead of a failure.
    var rest: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

    /// Returns the number of seconds to wait after a failure.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures, at least 1.
    ///   - seconds: the time since the first of these failures.
    ///   - retryAfter: the server's `Retry-After` in seconds, which replaces the bound; nil without this field.
    func delay(after failures: Int, lasting seconds: Double = 0, retryAfter: Double?) -> Double {
        if let retryAfter { return min(max(retryAfter, 0), greatestRetryAfter) + random(0...first) }
        let doubled = first * pow(2, Double(min(failures, 32) - 1))
        return random(0...min(greatest, max(min(doubled, steady), failures > 1 ? seconds / 60 : 0)))
    }

    /// Waits for a time after an answer that came early.
    func pause(_ seconds: Double) async {
        // Only cancellation throws, and the caller checks for cancellation.
        if seconds > 0 { _ = await Result.catching { try await rest(seconds) } }
    }
}

/// A series of consecutive failures, and the time of the first failure.
struct Outage: Sendable {
    private let backoff: Backoff
    private(set) var failures = 0
    private var begin: ContinuousClock.Instant?

    init(_ backoff: Backoff) { self.backoff = backoff }

    mutating func fail() {
        failures += 1
        if begin == nil { begin = backoff.now() }
    }

    mutating func end() { (failures, begin) = (0, nil) }

    /// Returns the number of seconds to pause after the latest failure.
    func pause(_ problem: Problem) -> Double {
        let seconds = begin.map { (backoff.now() - $0) / .seconds(1) } ?? 0
        return backoff.delay(after: failures, lasting: seconds, retryAfter: problem.retryAfter)
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

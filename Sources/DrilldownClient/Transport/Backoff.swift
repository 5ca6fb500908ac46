import Foundation

/// How long to wait after a failure: a random time up to a bound ("full jitter"), so that clients do not return all at once.
///
/// The bound doubles up to a second, and is then a sixtieth of the time that the server has been away, up to `greatest`:
/// levels are current soon after a short outage, and a long one costs few attempts.
struct Backoff: Sendable {
    /// The bound after the first failure, in seconds.
    var first = 0.5
    /// The greatest bound after a short outage, in seconds.
    var steady = 1.0
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
    ///
    /// - Parameter seconds: the time since the first of them.
    func delay(after failures: Int, lasting seconds: Double = 0, retryAfter: Double?) -> Double {
        if let retryAfter { return min(max(retryAfter, 0), greatestRetryAfter) + random(0...first) }
        let doubled = first * pow(2, Double(min(failures, 32) - 1))
        return random(0...min(greatest, max(min(doubled, steady), failures > 1 ? seconds / 60 : 0)))
    }

    /// Rests for a time after an answer that came early.
    func pause(_ seconds: Double) async {
        // Only cancellation ends it early, which the caller checks.
        if seconds > 0 { _ = await Result.catching { try await rest(seconds) } }
    }
}

/// Failures in a row.
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

    /// The seconds to pause after the latest failure.
    func pause(_ problem: Problem) -> Double {
        let seconds = begin.map { (backoff.now() - $0) / .seconds(1) } ?? 0
        return backoff.delay(after: failures, lasting: seconds, retryAfter: problem.retryAfter)
    }
}

/// The pauses of requests that have failed, all of which the next success ends.
final class Pauses: Sendable {
    private let sleeping = Guarded<[Int: Task<Void, Never>]>([:])
    private let count = Guarded(0)

    /// Waits for a time, until `end` is called, or until the task is cancelled.
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

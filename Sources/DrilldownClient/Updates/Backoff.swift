import Foundation

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
    /// A random number within a range.
    var random: @Sendable (ClosedRange<Double>) -> Double = { .random(in: $0) }
    /// The present time, for telling how long an answer took.
    var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Waits for a number of seconds; throws `CancellationError` as soon as the task is cancelled.
    var sleep: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// The same after an answer that came early (`PollingPace`), which is not a failure.
    var rest: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

    /// The seconds to wait.
    ///
    /// - Parameters:
    ///   - failures: The number of failures since the last success, from 1.
    ///   - retryAfter: What the server said.
    func delay(after failures: Int, retryAfter: Double?) -> Double {
        if let retryAfter { return min(max(retryAfter, 0), greatestRetryAfter) + random(0...first) }
        let doublings = Double(min(failures, 32) - 1)
        return random(0...min(greatest, first * pow(2, doublings)))
    }
}

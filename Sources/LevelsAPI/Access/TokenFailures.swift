import Locking

/// Counts the wrong tokens from each address, so that a burst of them is answered with 429.
///
/// Only wrong tokens are counted and slowed down, so clients behind the same proxy as a guesser can still edit.
final class TokenFailures: Sendable {
    private struct Count {
        var value: Double
        var at: ContinuousClock.Instant
        var isTold = false

        func value(at now: ContinuousClock.Instant) -> Double {
            let (seconds, attoseconds) = (now - at).components
            return max(0, value - (Double(seconds) + Double(attoseconds) / 1e18) * TokenFailures.perSecond)
        }
    }

    private let counts = Guarded<[String: Count]>([:])

    /// How many wrong tokens are answered at once.
    static let burst = 100.0
    /// How many of them are forgotten per second.
    static let perSecond = 2.0
    /// How many addresses are kept at most; beyond it, those with the lowest counts are forgotten.
    static let addressLimit = 1_024

    /// Counts one wrong token.
    ///
    /// - Returns: nil if it is answered at once; otherwise the seconds that the client should wait, and whether this is
    ///   the first time in this burst.
    func note(_ address: String, at now: ContinuousClock.Instant = .now) -> (seconds: Int, isFirst: Bool)? {
        counts.withLock { counts in
            if counts[address] == nil, counts.count >= Self.addressLimit { Self.thin(&counts, at: now) }
            let before = counts[address]
            let value = (before?.value(at: now) ?? 0) + 1
            guard value > Self.burst else {
                let isTold = before?.isTold == true && value > Self.burst / 2
                counts[address] = Count(value: value, at: now, isTold: isTold)
                return nil
            }
            counts[address] = Count(value: Self.burst, at: now, isTold: true)
            return (Int((1 / Self.perSecond).rounded(.up)), before?.isTold != true)
        }
    }

    /// How many addresses are kept.
    var count: Int { counts.withLock(\.count) }

    /// Forgets the half with the lowest counts.
    private static func thin(_ counts: inout [String: Count], at now: ContinuousClock.Instant) {
        let kept = counts.sorted { $0.value.value(at: now) > $1.value.value(at: now) }.prefix(addressLimit / 2)
        counts = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}

/// An event about tokens that only the API sees, for logs.
public enum TokenEvent: Sendable, Equatable {
    /// Wrong tokens come from an address faster than they are answered; told once for each burst.
    case wrongTokens(address: String)
}

/// How fast a level is polled if the server's answers do not wait, for example because a proxy removes entity tags.
struct PollingPace: Sendable {
    /// The longest pause, in seconds.
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

    /// The seconds to pause before the next request.
    ///
    /// - Parameters:
    ///   - duration: How long the answer took.
    ///   - isChange: Whether it told anything new.
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

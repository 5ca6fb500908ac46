/// How long an origin may take to begin its response, and then for each part of it.
struct TransferPace: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Why a transfer takes too long.
    enum Fault: Sendable, Equatable {
        /// No response began within this time.
        case silent(Duration)
        /// The response was slower than `leastRate` for this time.
        case slow(Duration)
    }

    /// Bytes per second; a slower response is abandoned.
    static let leastRate = 1_024

    private let patience: Duration
    private let wait: Duration
    /// When the transfer is checked next.
    private(set) var deadline: Instant
    /// Bytes at the previous check; nil while no response has begun.
    private var received: Int?

    /// - Parameters:
    ///   - patience: how long the origin may send nothing, or little.
    ///   - wait: how much longer it may take to begin, because the request asks it to wait.
    init(patience: Duration, wait: Duration?, from now: Instant) {
        self.patience = patience
        self.wait = wait ?? .zero
        deadline = now + patience + self.wait
    }

    /// Notes a redirect: the request begins again at another origin.
    mutating func beginAnew(at now: Instant) {
        deadline = now + patience + wait
        received = nil
    }

    /// Notes that the header is complete and the body follows.
    mutating func beginBody(at now: Instant) {
        deadline = now + patience
        received = 0
    }

    mutating func receive(_ count: Int) { received? += count }

    /// The fault at a deadline; nil if there is none, and then the next deadline is set.
    mutating func fault(at now: Instant) -> Fault? {
        guard now >= deadline else { return nil }
        guard let received else { return .silent(patience + wait) }
        let least = Int(patience.components.seconds) * Self.leastRate
        guard received >= least else { return .slow(patience) }
        beginBody(at: now)
        return nil
    }
}

/// How long an origin may take: to begin its answer, and then for each part of it.
struct TransferPace: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Why a transfer takes too long.
    enum Fault: Sendable, Equatable {
        /// No answer came within this time.
        case silent(Duration)
        /// Less than `leastRate` came for this time.
        case slow(Duration)
    }

    /// Bytes a second; an answer that comes slower than this is given up.
    static let leastRate = 1_024

    private let patience: Duration
    private let wait: Duration
    /// When the transfer is looked at next.
    private(set) var deadline: Instant
    /// Bytes since the look before; nil while no answer has begun.
    private var received: Int?

    /// - Parameters:
    ///   - patience: how long the origin may say nothing, or little.
    ///   - wait: how much longer it may take to begin, since it was asked to.
    init(patience: Duration, wait: Duration?, from now: Instant) {
        self.patience = patience
        self.wait = wait ?? .zero
        deadline = now + patience + self.wait
    }

    /// The origin has sent the request elsewhere, where it begins anew.
    mutating func beginAnew(at now: Instant) {
        deadline = now + patience + wait
        received = nil
    }

    /// The header is there, and the body follows.
    mutating func beginBody(at now: Instant) {
        deadline = now + patience
        received = 0
    }

    mutating func receive(_ count: Int) { received? += count }

    /// What is wrong at a deadline; nil where nothing is, and the next deadline is set.
    mutating func fault(at now: Instant) -> Fault? {
        guard now >= deadline else { return nil }
        guard let received else { return .silent(patience + wait) }
        let least = Int(patience.components.seconds) * Self.leastRate
        guard received >= least else { return .slow(patience) }
        beginBody(at: now)
        return nil
    }
}

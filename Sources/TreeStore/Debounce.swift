/// Groups changes that follow one another closely: the steps of one save, or of several.
struct Debounce {
    /// When the group ends unless another change comes; nil while there is none.
    private(set) var end: ContinuousClock.Instant?
    /// Whether the latest load within the group was refused.
    private(set) var hasFailed = false
    private var begun: ContinuousClock.Instant?

    /// How long nothing must change before the group ends.
    private static let quiet = Duration.milliseconds(100)
    /// How long a refusal is withheld while changes continue.
    private static let patience = Duration.seconds(2)

    /// Notes a change, and whether the load that followed it was refused.
    mutating func goOn(at now: ContinuousClock.Instant, failed: Bool) {
        begun = begun ?? now
        end = now + Self.quiet
        hasFailed = failed
    }

    /// Whether changes have continued for so long that a refusal is reported before the group ends.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool { begun.map { now - $0 > Self.patience } ?? false }
}

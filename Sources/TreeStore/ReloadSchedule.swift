/// Groups changes that closely follow one another, such as the steps of one save, into bursts.
struct Debounce {
    /// The end of the burst if no further change follows; nil between bursts.
    private(set) var end: ContinuousClock.Instant?
    /// Whether the latest load in the burst was refused.
    private(set) var hasFailed = false
    private var begun: ContinuousClock.Instant?

    /// A burst ends after this time without a change.
    private static let quiet = Duration.milliseconds(100)
    /// A refusal is reported after this time, even if changes continue.
    private static let patience = Duration.seconds(2)

    /// Records a change, and whether the load that followed it was refused.
    mutating func goOn(at now: ContinuousClock.Instant, failed: Bool) {
        begun = begun ?? now
        end = now + Self.quiet
        hasFailed = failed
    }

    /// Whether changes have continued for so long that a refusal is reported before the burst ends.
    func isOverdue(at now: ContinuousClock.Instant) -> Bool { begun.map { now - $0 > Self.patience } ?? false }
}

/// Decides when to return freed memory to the system. A return takes milliseconds.
///
/// After a load, memory is returned immediately. After edits, it is returned once a second, because each edit frees
/// only a few levels.
struct TrimPace {
    /// The next time to return memory; nil if nothing was freed since the last time.
    private(set) var next: ContinuousClock.Instant?
    private var lastEdit: ContinuousClock.Instant?

    private static let pause = Duration.seconds(1)

    /// Records that an edit was published.
    mutating func noteEdit(at now: ContinuousClock.Instant) { lastEdit = now }

    /// Whether an edit was published within the last second.
    func isAfterEdit(at now: ContinuousClock.Instant) -> Bool { lastEdit.map { now - $0 < Self.pause } ?? false }

    /// Records whether a turn loaded or freed anything. Returns whether to return memory to the system now.
    mutating func isDue(hasLoaded: Bool, hasFreed: Bool, at now: ContinuousClock.Instant) -> Bool {
        if hasFreed, next == nil {
            next = isAfterEdit(at: now) ? now + Self.pause : now
        }
        guard hasLoaded || next.map({ now >= $0 }) ?? false else { return false }
        next = nil
        return true
    }
}

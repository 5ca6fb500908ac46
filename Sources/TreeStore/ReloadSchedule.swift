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

/// Limits how often a file is read again when it is touched but not changed, in proportion to the time a read takes.
struct RereadPace {
    /// When a postponed read is due; nil if none is postponed.
    private(set) var next: ContinuousClock.Instant?
    /// Reads are postponed until then; nil if they are not.
    private var earliest: ContinuousClock.Instant?

    /// The pause after an unnecessary read, as a multiple of the time that read took.
    private static let ratio = 10
    /// The longest pause, however long the read took.
    private static let longest = Duration.seconds(60)

    /// Notes that a read begins, so that none is postponed any more.
    mutating func begin() { next = nil }

    /// Notes how long a read took, and whether it brought anything new.
    mutating func note(took: Duration, isNew: Bool, at now: ContinuousClock.Instant) {
        earliest = isNew ? nil : now + min(took * Self.ratio, Self.longest)
    }

    /// Returns whether a read must wait; if so, it is due later.
    mutating func putsOff(at now: ContinuousClock.Instant) -> Bool {
        next = earliest.flatMap { now < $0 ? $0 : nil }
        return next != nil
    }
}

/// Decides when memory that trees leave is returned to the system, which takes milliseconds.
///
/// After a load that is at once. After edits, each of which frees a few levels, it is once in a while.
struct TrimPace {
    /// When memory is to be returned; nil if nothing was freed since.
    private(set) var next: ContinuousClock.Instant?
    private var lastEdit: ContinuousClock.Instant?

    private static let pause = Duration.seconds(1)

    /// Notes that an edit was published.
    mutating func noteEdit(at now: ContinuousClock.Instant) { lastEdit = now }

    /// Whether an edit was published within the last second.
    func isAfterEdit(at now: ContinuousClock.Instant) -> Bool { lastEdit.map { now - $0 < Self.pause } ?? false }

    /// Notes what was freed or loaded in a turn; returns whether memory is to be returned now.
    mutating func isDue(hasLoaded: Bool, hasFreed: Bool, at now: ContinuousClock.Instant) -> Bool {
        if hasFreed, next == nil {
            next = isAfterEdit(at: now) ? now + Self.pause : now
        }
        guard hasLoaded || next.map({ now >= $0 }) ?? false else { return false }
        next = nil
        return true
    }
}

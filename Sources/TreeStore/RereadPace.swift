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

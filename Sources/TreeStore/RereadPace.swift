/// How often a file is read again that is touched and not changed: in proportion to what a reading takes.
struct RereadPace {
    /// When a reading is due that was put off; nil where none was.
    private(set) var next: ContinuousClock.Instant?
    /// Until when readings are put off; nil for not at all.
    private var earliest: ContinuousClock.Instant?

    /// So many times what a reading in vain took is the pause after it.
    private static let ratio = 10
    /// The longest pause, however long the reading took.
    private static let longest = Duration.seconds(60)

    /// Notes that a reading begins, so that none is due any more.
    mutating func begin() { next = nil }

    /// Notes a reading that took some time, and whether it brought anything new.
    mutating func note(took: Duration, isNew: Bool, at now: ContinuousClock.Instant) {
        earliest = isNew ? nil : now + min(took * Self.ratio, Self.longest)
    }

    /// Whether the next reading has to wait; then it is due later.
    mutating func putsOff(at now: ContinuousClock.Instant) -> Bool {
        next = earliest.flatMap { now < $0 ? $0 : nil }
        return next != nil
    }
}

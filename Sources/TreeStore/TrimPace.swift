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

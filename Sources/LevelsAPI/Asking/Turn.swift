/// The time in which a request with `since` and `wait` is answered, in whole seconds since 1970 (manual, Refresh).
///
/// All who follow the same thing are answered at the same time, and so send the same request next.
struct Turn: Hashable, Sendable {
    /// The turn that the request names; nil if the request names none.
    let asked: Int?
    /// Whether the request names a turn so far in the future that it is not waited for.
    let isAhead: Bool
    /// The second before which the request is not answered.
    let earliest: Int
    /// The second at which the request is answered even if nothing has changed.
    let end: Int

    /// The possible turns.
    static let limits = 0...(1 << 53) - 2
    /// The seconds by which a turn may be ahead of the clock and is waited for: the clocks of two servers may differ.
    private static let mostAhead = 2

    /// - Parameters:
    ///   - asked: the turn that the request names; nil if the request names none.
    ///   - wait: the wait of the request.
    ///   - hash: the hash of what is followed. It decides the second within a period at which waits end, so that not
    ///     all waits end at the same time.
    ///   - now: the milliseconds since 1970.
    init(asked: Int?, wait: Wait, hash: UInt64, now: Int) {
        self.asked = asked
        let period = wait.seconds
        guard let asked else {
            (isAhead, earliest) = (false, 0)
            end = (now + 999) / 1_000 + period
            return
        }
        isAhead = asked > now / 1_000 + Self.mostAhead
        earliest = isAhead ? 0 : asked + 1
        let least = max((now + 999) / 1_000 + 1, earliest)
        let shift = Int(hash % UInt64(period))
        let rest = (least - shift) % period
        end = rest <= 0 ? least - rest : least + period - rest
    }

    /// Whether the time of the request is over, so that it is answered even if nothing has changed.
    func isOver(at second: Int) -> Bool { end <= second }

    /// The turn that the next request names.
    ///
    /// - Parameter now: the second in which the answer is made.
    func next(at now: Int) -> Int { max(now, asked.map { $0 + 1 } ?? 0) }

    /// The seconds for which shared caches may keep the answer.
    ///
    /// - Parameter isChanged: whether the answer differs from the one that the client has.
    func secondsShared(isChanged: Bool, wait: Wait) -> Int {
        if asked == nil || isAhead { return 1 }
        return isChanged ? 10 : wait.seconds
    }
}

/// Spreads deadlines, so that thousands set at the same time do not expire at the same instant.
///
/// They still expire in a few groups: a wake-up of the library's threads is expensive, and serves all deadlines that
/// have passed.
enum Jitter {
    /// A part of a range that depends on a serial number; consecutive numbers are spread evenly.
    static func part(of range: Int64, number: UInt64) -> Int64 {
        // Multiples of the golden ratio are never close to one another.
        let fraction = number &* 0x9E37_79B9_7F4A_7C15
        return Int64(fraction.multipliedFullWidth(by: UInt64(max(range, 0))).high)
    }

    /// A deadline in milliseconds of the exact clock: never early, and late by at most 5 % of the time or 1 s.
    static func deadline(after milliseconds: Int64, number: UInt64) -> Int64 {
        let most = min(milliseconds / 20, 1000)
        let step = max(most / 8, 1)
        // At most seven steps, and one more from rounding.
        let wanted = ExactClock.next + milliseconds + part(of: most - step, number: number)
        return (wanted + step - 1) / step * step
    }
}

/// Puts deadlines apart, so that thousands that were made at once do not pass at one instant.
///
/// They still fall together in a few steps: each wake-up of the library's threads has its price, and serves all whose
/// deadline it finds passed.
enum Jitter {
    /// A part of a range that goes by a running number, evenly spread for numbers that follow one another.
    static func part(of range: Int64, number: UInt64) -> Int64 {
        // Multiples of the golden section never come close to one another.
        let fraction = number &* 0x9E37_79B9_7F4A_7C15
        return Int64(fraction.multipliedFullWidth(by: UInt64(max(range, 0))).high)
    }

    /// Never before the time asked for, and at most 5 % of it or 1 s after.
    static func deadline(after milliseconds: Int64, number: UInt64) -> Int64 {
        let most = min(milliseconds / 20, 1000)
        let step = max(most / 8, 1)
        // Seven steps at most, and one that rounding adds.
        let wanted = ExactClock.next + milliseconds + part(of: most - step, number: number)
        return (wanted + step - 1) / step * step
    }
}

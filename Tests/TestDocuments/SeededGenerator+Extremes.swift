extension SeededGenerator {
    /// A number of 64 bits, most often one at which arithmetic goes wrong: near an end of a range, or near a power of two
    /// or of ten.
    mutating func extreme() -> Int {
        let near = below(5) - 2
        switch below(6) {
        case 0: return Int.max - below(3)
        case 1: return Int.min + below(3)
        case 2: return near
        case 3: return (1 << below(63) &+ near) &* (one(in: 2) ? 1 : -1)
        case 4: return ((0..<below(19)).reduce(1) { power, _ in power * 10 } &+ near) &* (one(in: 2) ? 1 : -1)
        default: return Int(truncatingIfNeeded: next())
        }
    }

    /// The text of such a number, now and then of one that 64 bits do not hold, or that is not a whole number.
    mutating func extremeText() -> String {
        let number = extreme()
        return switch below(6) {
        case 0: "\(number)\(below(100))"
        case 1: "\(number).\(below(100))"
        case 2: "\(number)e\(extreme())"
        case 3: "\(UInt(bitPattern: number))"
        default: "\(number)"
        }
    }
}

import DrilldownDates
import PropertyLists

/// Values that are the same on every run: SplitMix64 from a seed.
struct RandomTrees: RandomNumberGenerator {
    private var state: UInt64
    /// The values that the format under test can represent.
    let kinds: [Kind]
    let alphabet: [Unicode.Scalar]

    enum Kind: CaseIterable { case string, integer, real, oddReal, boolean, date, fractionalDate, data, uid }

    /// Text that every format carries: markup, quotes, line ends, and characters of one to four bytes.
    static let plainAlphabet: [Unicode.Scalar] = Array(
        "aZ09 <>&\"'\\/\t\n\r\u{7F}\u{85}éß\u{2028}東\u{D7FF}\u{E000}\u{FFFD}\u{1F40D}\u{10FFFF}".unicodeScalars)
    /// The same with values that XML cannot represent.
    static let wholeAlphabet =
        plainAlphabet + ["\0", "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"]

    private static let oddReals: [Double] = [
        .nan, .infinity, -.infinity, -0.0, 0, 1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, 0.1,
    ]

    init(seed: UInt64, kinds: [Kind] = Kind.allCases, alphabet: [Unicode.Scalar] = wholeAlphabet) {
        state = seed
        self.kinds = kinds
        self.alphabet = alphabet
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// A tree of at most `depth` containers one within another.
    mutating func tree(depth: Int) -> Tree {
        guard depth > 0, Int.random(in: 0..<10, using: &self) < 6 else { return scalar() }
        let count = Int.random(in: 0..<6, using: &self)
        if Bool.random(using: &self) { return .array((0..<count).map { _ in tree(depth: depth - 1) }) }
        var entries: [Tree.Entry] = []
        for number in 0..<count {
            // A few keys come again and again, as in real documents; none twice in one dictionary.
            let key = Bool.random(using: &self) ? "Key \(number)" : "\(number)" + text(upTo: 12)
            entries.append(Tree.Entry(key: key, value: tree(depth: depth - 1)))
        }
        return .dictionary(entries)
    }

    mutating func scalar() -> Tree {
        switch kinds.randomElement(using: &self) ?? .string {
        case .string: .string(text(upTo: Int.random(in: 0..<200, using: &self) == 0 ? 20_000 : 40))
        case .integer: .integer(integer())
        case .real: .real(Double(bitPattern: next() & 0x7FEF_FFFF_FFFF_FFFF) * (Bool.random(using: &self) ? 1 : -1))
        case .oddReal: .real(Self.oddReals.randomElement(using: &self) ?? 0)
        case .boolean: .boolean(Bool.random(using: &self))
        case .date: .date(Double.random(in: CivilDate.secondsRange, using: &self).rounded(.down))
        case .fractionalDate: .date(Double.random(in: CivilDate.secondsRange, using: &self))
        case .data: .data((0..<Int.random(in: 0..<300, using: &self)).map { _ in UInt8(truncatingIfNeeded: next()) })
        case .uid: .uid(next() >> UInt64.random(in: 0..<64, using: &self))
        }
    }

    /// Every width of integer alike.
    private mutating func integer() -> PropertyListInteger {
        let magnitude = next() >> UInt64.random(in: 0..<64, using: &self)
        let isNegative = Bool.random(using: &self)
        return PropertyListInteger(magnitude: magnitude, isNegative: isNegative) ?? PropertyListInteger(Int64.min)
    }

    private mutating func text(upTo length: Int) -> String {
        // Half of the texts are ASCII alone, which the binary format stores otherwise.
        let letters = Bool.random(using: &self) ? alphabet : Array(alphabet.prefix(14))
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            text.append(letters.randomElement(using: &self) ?? "a")
        }
        return String(text)
    }
}

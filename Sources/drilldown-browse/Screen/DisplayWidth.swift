/// How many columns of a terminal text takes, as terminals count them (wcwidth(3)).
enum DisplayWidth {
    static func columns(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

    /// The columns of one user-perceived character.
    static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        // A variation selector asks for the coloured picture, and a joiner makes one picture of several.
        if scalars.count > 1, scalars.contains(where: { $0 == "\u{FE0F}" || $0 == "\u{200D}" }),
            scalars.contains(where: { $0.properties.isEmoji })
        {
            return 2
        }
        // Two letters are the picture of one flag.
        if scalars.count == 2, scalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) }) { return 2 }
        return min(2, scalars.reduce(0) { $0 + columns(of: $1) })
    }

    static func columns(of scalar: Unicode.Scalar) -> Int {
        if (0x20..<0x7F).contains(scalar.value) { return 1 }
        switch scalar.properties.generalCategory {
        case .control, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator, .surrogate: return 0
        // The soft hyphen is shown.
        case .format: return scalar == "\u{AD}" ? 1 : 0
        default: break
        }
        // Vowels and finals of Hangul join the consonant before them.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
    }

    /// Whether a character is East Asian Wide or Fullwidth (UAX #11), besides pictures.
    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        return wide.contains { $0.contains(value) }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x2FFFD,
        0x30000...0x3FFFD,
    ]
}

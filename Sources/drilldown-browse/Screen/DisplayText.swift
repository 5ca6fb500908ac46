/// Text from a document in a form that cannot harm a terminal, on one line.
///
/// Control characters, line separators and the characters that change the direction of what follows (UAX #9, section 2)
/// are shown as `\u{1B}`. A character keeps at most eight combining marks.
struct DisplayText: Equatable, Sendable, CustomStringConvertible {
    let description: String

    private static let mostScalars = 9

    init(_ text: some StringProtocol) {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            description = String(text)
            return
        }
        var shown = String.UnicodeScalarView()
        for character in text {
            for scalar in character.unicodeScalars.prefix(Self.mostScalars) {
                if Self.isEscaped(scalar) {
                    shown.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
                } else {
                    shown.append(scalar)
                }
            }
        }
        description = String(shown)
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E...0x200F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        // Invisible, or not characters.
        case 0xFEFF, 0xFFF9...0xFFFB, 0xFDD0...0xFDEF, 0xE0000...0xE007F: true
        case let value: value & 0xFFFE == 0xFFFE
        }
    }
}

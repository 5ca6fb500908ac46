import Bytes
import CUTF8Proc

/// The letter of a title in an index of letters.
enum InitialLetter {
    /// What stands for all titles that begin with no letter.
    static let other = "#"

    /// The first character of the folded title in upper case if it is a letter (general category L), else `#`.
    ///
    /// Letters are told apart in upper case: `i` and `ı` are one.
    static func of(_ title: Span<UInt8>) -> String {
        if let byte = title.isEmpty ? nil : title[0], byte < 0x80 {
            let letter = byte & 0xDF
            return letter &- UInt8(ascii: "A") < 26 ? String(Unicode.Scalar(letter)) : other
        }
        guard let first = FoldedText.first(of: title), isLetter(first) else { return other }
        return first.properties.uppercaseMapping
    }

    /// Appends bytes that are ordered as the letters are, what begins with no letter at the end.
    static func appendKey(of title: Span<UInt8>, to key: inout ByteBuffer) {
        let letter = of(title)
        guard letter != other else { return key.append(0xFF as UInt8) }
        key.append(letter)
        // No letter is the beginning of another one.
        key.append(0 as UInt8)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        let category = utf8proc_category(Int32(bitPattern: scalar.value))
        return category.rawValue >= UTF8PROC_CATEGORY_LU.rawValue && category.rawValue <= UTF8PROC_CATEGORY_LO.rawValue
    }
}

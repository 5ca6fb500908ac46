/// Text with U+0000. PostgreSQL can store U+0000 in JSON but cannot extract such a text, so the whole row would be
/// unusable.
struct UnstorableText: Equatable {
    /// The name of the field whose name or value contains U+0000; nil for an item that is only a title.
    let field: String?

    /// Finds the first text with U+0000.
    ///
    /// - Parameter fields: the fields of an item as JSON, in UTF-8.
    /// - Returns: nil if PostgreSQL can store all fields.
    static func find(in fields: Span<UInt8>) -> UnstorableText? {
        var key: Range<Int>?
        var string: Range<Int>?
        var depth = 0
        var index = 0
        while index < fields.count {
            switch fields[index] {
            case UInt8(ascii: "\""):
                let end = self.end(of: index, in: fields)
                string = index + 1..<end
                guard !hasZero(index + 1..<end, in: fields) else {
                    // Outside of a dictionary, the string is a title. Otherwise, `key` is the key of the current field.
                    // If `key` is nil, the string itself is a key.
                    let place = depth == 0 ? nil : key ?? string
                    return UnstorableText(field: place.map { text($0, in: fields) })
                }
                index = end
            case UInt8(ascii: ":") where depth == 1: key = string
            case UInt8(ascii: ",") where depth == 1: key = nil
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// The index of the quotation mark that closes the string whose first quotation mark is at `start`.
    private static func end(of start: Int, in fields: Span<UInt8>) -> Int {
        var index = start + 1
        while index < fields.count, fields[index] != UInt8(ascii: "\"") {
            index += fields[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index, fields.count)
    }

    /// Whether a string has the escape `\u0000`.
    private static func hasZero(_ string: Range<Int>, in fields: Span<UInt8>) -> Bool {
        var index = string.lowerBound
        while index + 1 < string.upperBound {
            guard fields[index] == UInt8(ascii: "\\") else {
                index += 1
                continue
            }
            if fields[index + 1] == UInt8(ascii: "u"), index + 6 <= string.upperBound,
                (index + 2..<index + 6).allSatisfy({ fields[$0] == UInt8(ascii: "0") })
            {
                return true
            }
            index += 2
        }
        return false
    }

    private static func text(_ range: Range<Int>, in fields: Span<UInt8>) -> String {
        String(decoding: range.map { fields[$0] }, as: UTF8.self)
    }

    /// Returns the reason for refusing an item, as a sentence without its full stop.
    func reason(item: Int64) -> String {
        let place = field.map { "the field '\($0)' of items[\(item)]" } ?? "the title of items[\(item)]"
        return "\(place) contains U+0000, which PostgreSQL cannot store; remove it"
    }
}

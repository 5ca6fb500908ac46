internal import Bytes
internal import DatabaseTrees
internal import PropertyLists

/// Converts the values of a record's key columns to the text of its key, and back (manual, Tables). Different values
/// have different texts.
enum RecordKey {
    /// Returns the text of a key.
    ///
    /// - Parameter values: the values of the key's columns, followed by the rowid if several records have these values.
    static func text(_ values: [DatabaseValue], affinities: [Affinity]) -> [UInt8] {
        var text = Text()
        for (number, value) in values.enumerated() {
            text.append(value, affinity: number < affinities.count ? affinities[number] : .integer)
        }
        return text.finished
    }

    /// The text of a key, to which the values are appended.
    struct Text {
        private var text: [UInt8] = []
        private var isEmpty = true

        /// - Parameter affinity: the affinity of the value's column.
        mutating func append(_ value: DatabaseValue, affinity: Affinity) {
            if !isEmpty { text.append(comma) }
            isEmpty = false
            RecordKey.append(value, affinity: affinity, to: &text)
        }

        var finished: [UInt8] {
            text.first == UInt8(ascii: ".") && (text == dot || text == dots) ? text + Array("~6".utf8) : text
        }
    }

    /// Returns the values in the text of a key; nil for a text that is not a key. If the text contains a rowid, the
    /// rowid is the last value.
    ///
    /// Several texts can give the same values, such as `1.5` and `1.50`. Only the text that `text(_:affinities:)` makes
    /// from the values is the key.
    static func values(_ text: [UInt8], affinities: [Affinity]) -> [DatabaseValue]? {
        var text = text
        if text == dot + Array("~6".utf8) || text == dots + Array("~6".utf8) { text.removeLast(2) }
        let parts = text.split(separator: comma, omittingEmptySubsequences: false)
        guard parts.count == affinities.count || parts.count == affinities.count + 1 else { return nil }
        var values: [DatabaseValue] = []
        for (number, part) in parts.enumerated() {
            guard let value = value(Array(part), affinity: number < affinities.count ? affinities[number] : .integer)
            else {
                return nil
            }
            values.append(value)
        }
        return values
    }

    private static let comma = UInt8(ascii: ",")
    private static let tilde = UInt8(ascii: "~")
    private static let dot = Array(".".utf8)
    private static let dots = Array("..".utf8)

    private static func append(_ value: DatabaseValue, affinity: Affinity, to text: inout [UInt8]) {
        switch value {
        case .null: text += Array("~3".utf8)
        case .integer(let number): text += Array("\(number)".utf8)
        case .real(let number):
            text += Array((number.isInfinite ? number < 0 ? "-Inf" : "Inf" : JSONText.real(number)).utf8)
        case .data(let bytes): text += Array("~4".utf8) + bytes.hexadecimal
        case .text(let bytes):
            guard !bytes.isEmpty else {
                text += Array("~2".utf8)
                return
            }
            guard String(validating: bytes, as: UTF8.self) != nil else {
                text += Array("~7".utf8) + bytes.hexadecimal
                return
            }
            if affinity != .text, readsAsNumber(bytes) { text += Array("~5".utf8) }
            for byte in bytes {
                switch byte {
                case tilde: text += Array("~0".utf8)
                case comma: text += Array("~1".utf8)
                default: text.append(byte)
                }
            }
        }
    }

    private static func value(_ part: [UInt8], affinity: Affinity) -> DatabaseValue? {
        guard part.first == tilde else {
            guard affinity != .text else { return unescaped(part[...]).map { .text($0) } }
            return number(part) ?? unescaped(part[...]).map { .text($0) }
        }
        guard part.count >= 2 else { return nil }
        switch part[1] {
        case UInt8(ascii: "2") where part.count == 2: return .text([])
        case UInt8(ascii: "3") where part.count == 2: return .null
        case UInt8(ascii: "4"): return [UInt8](hexadecimal: part.span.extracting(2...)).map { .data($0) }
        case UInt8(ascii: "5"): return unescaped(part[2...]).map { .text($0) }
        case UInt8(ascii: "7"): return [UInt8](hexadecimal: part.span.extracting(2...)).map { .text($0) }
        case UInt8(ascii: "0"), UInt8(ascii: "1"): return unescaped(part[...]).map { .text($0) }
        default: return nil
        }
    }

    /// Returns the number in a text of digits alone; nil for other texts, and for some numbers.
    static func plainInteger(_ text: [UInt8]) -> DatabaseValue? {
        guard text.count < 19, text.first != UInt8(ascii: "0"), let number = Int(digits: text.span) else { return nil }
        return .integer(Int64(number))
    }

    /// Returns the number in a text that is entirely a JSON number, `Inf` or `-Inf`; nil for any other text.
    static func number(_ text: [UInt8]) -> DatabaseValue? {
        if let number = plainInteger(text) { return number }
        guard readsAsNumber(text) else { return nil }
        let text = String(decoding: text, as: UTF8.self)
        if let number = Int64(text) { return .integer(number) }
        return Double(text).map { .real($0) }
    }

    private static func unescaped(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        var index = part.startIndex
        while index < part.endIndex {
            guard part[index] == tilde else {
                text.append(part[index])
                index += 1
                continue
            }
            guard index + 1 < part.endIndex else { return nil }
            switch part[index + 1] {
            case UInt8(ascii: "0"): text.append(tilde)
            case UInt8(ascii: "1"): text.append(comma)
            default: return nil
            }
            index += 2
        }
        return text
    }

    /// Returns whether a text is entirely a JSON number, `Inf` or `-Inf`.
    private static func readsAsNumber(_ text: [UInt8]) -> Bool {
        text.elementsEqual("Inf".utf8) || text.elementsEqual("-Inf".utf8) || text.span.jsonNumberForm != nil
    }
}

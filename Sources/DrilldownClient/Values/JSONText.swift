/// The JSON text of values (RFC 8259): fields are in their order, and numbers keep all their digits.
package enum JSONText {
    package static func bytes(of value: FieldValue) -> [UInt8] {
        var text: [UInt8] = []
        append(value, to: &text)
        return text
    }

    private static func append(_ value: FieldValue, to text: inout [UInt8]) {
        switch value {
        case .text(let string): append(string, to: &text)
        case .integer(let number): text += String(number).utf8
        case .unsigned(let number): text += String(number).utf8
        case .real(let number): append(number, to: &text)
        case .boolean(let flag): text += (flag ? "true" : "false").utf8
        case .null: text += "null".utf8
        case .list(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(value, to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .dictionary(let fields):
            text.append(UInt8(ascii: "{"))
            for (index, field) in fields.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                append(field.name, to: &text)
                text.append(UInt8(ascii: ":"))
                append(field.value, to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Appends the shortest text that is read as the same number.
    ///
    /// Numbers that JSON cannot carry become texts, as in the service's answers: `nan`, `+infinity`, `-infinity`.
    private static func append(_ number: Double, to text: inout [UInt8]) {
        if number.isFinite {
            text += number.description.utf8
        } else {
            append(number.isNaN ? "nan" : number < 0 ? "-infinity" : "+infinity", to: &text)
        }
    }

    private static func append(_ string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x0A: text += "\\n".utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                text += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}

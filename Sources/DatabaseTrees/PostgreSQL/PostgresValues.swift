internal import Bytes

extension DatabaseValue {
    /// The value as text that PostgreSQL can read; nil for NULL.
    var postgresText: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): Array("\(number)".utf8)
        case .real(let number): Array("\(number)".utf8)
        case .text(let bytes): bytes
        case .data(let bytes): Array("\\x".utf8) + bytes.hexadecimal
        }
    }
}

extension SQL.StringInterpolation {
    /// Binds an array of numbers or texts ("Array Input and Output Syntax" in the manual of PostgreSQL).
    mutating func appendInterpolation(array elements: [DatabaseValue]) {
        var text = Array("{".utf8)
        for element in elements {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            guard case .text(let bytes) = element else {
                text += element.postgresText ?? Array("NULL".utf8)
                continue
            }
            text.append(UInt8(ascii: "\""))
            for byte in bytes {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
                text.append(byte)
            }
            text.append(UInt8(ascii: "\""))
        }
        appendInterpolation(text: text + Array("}".utf8))
    }
}

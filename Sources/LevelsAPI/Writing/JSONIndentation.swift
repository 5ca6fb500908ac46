import Bytes

/// Indents compact JSON, piece by piece. Each member and each element gets a line, and each nesting indents by two
/// spaces. An empty array or object stays `[]` or `{}`.
struct JSONIndentation {
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var isAtStart = false

    /// Appends the next piece of a text. A piece may end anywhere in the text.
    mutating func append(_ json: Span<UInt8>, to output: inout ByteBuffer) {
        var start = 0
        for index in json.indices {
            let byte = json[index]
            if isInString {
                readCharacter(byte)
            } else if !isPlain(byte) {
                output.append(json.extracting(start..<index))
                appendToken(byte, to: &output)
                start = index + 1
            }
        }
        output.append(json.extracting(start..<json.count))
    }

    private mutating func readCharacter(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    /// Whether a byte outside of strings is only copied.
    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","),
            UInt8(ascii: ":"), UInt8(ascii: "\""):
            false
        default: !isAtStart
        }
    }

    private mutating func appendToken(_ byte: UInt8, to output: inout ByteBuffer) {
        let isEnd = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
        if isEnd { depth -= 1 }
        if isAtStart != isEnd { appendLine(to: &output) }
        isAtStart = false
        output.append(byte)
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            isAtStart = true
        case UInt8(ascii: ","): appendLine(to: &output)
        case UInt8(ascii: ":"): output.append(UInt8(ascii: " "))
        case UInt8(ascii: "\""): isInString = true
        default: break
        }
    }

    private func appendLine(to output: inout ByteBuffer) {
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { output.append("  " as StaticString) }
    }
}

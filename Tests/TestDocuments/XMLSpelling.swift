import Bytes
import PropertyLists

/// Writes a value as XML in one of the many ways that mean the same: space, comments, references, CDATA, empty elements.
struct XMLSpelling {
    private var generator: SeededGenerator
    private var text = ""

    /// A whole document; the same for the same seed.
    static func document(_ value: Value, seed: UInt64) -> String {
        var spelling = XMLSpelling(generator: SeededGenerator(seed: seed))
        spelling.write(document: value)
        return spelling.text
    }

    private init(generator: SeededGenerator) { self.generator = generator }

    private mutating func write(document value: Value) {
        if generator.one(in: 2) { text += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + space() }
        if generator.one(in: 3) {
            text += "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\""
            text += " \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">" + space()
        }
        text += generator.one(in: 3) ? "<plist>" : "<plist version=\"1.0\">"
        write(value)
        text += gap() + "</plist>" + space()
    }

    private mutating func write(_ value: Value) {
        text += gap()
        switch value {
        case .string(let string): write(string, as: "string")
        case .integer(let value): element("integer", padded(digits(value)))
        case .real(let value): element("real", value.isFinite ? padded(value.description) : JSONText.real(value))
        case .boolean(let value): text += generator.one(in: 4) ? "<\(value)></\(value)>" : "<\(value)/>"
        case .date(let seconds): element("date", JSONText.date(seconds))
        case .data(let bytes): element("data", lines(bytes))
        case .uid(let value): write(.dictionary([Value.Entry("CF$UID", .integer(PropertyListInteger(value)))]))
        case .array(let values):
            if values.isEmpty, generator.one(in: 2) {
                text += "<array/>"
                return
            }
            text += start("array")
            for value in values { write(value) }
            text += gap() + "</array>"
        case .dictionary(let entries):
            if entries.isEmpty, generator.one(in: 2) {
                text += "<dict/>"
                return
            }
            text += start("dict")
            for entry in entries {
                text += gap()
                write(entry.key, as: "key")
                write(entry.value)
            }
            text += gap() + "</dict>"
        }
    }

    private mutating func element(_ name: String, _ content: String) { text += start(name) + "\(content)</\(name)>" }

    private mutating func start(_ name: String) -> String { generator.one(in: 20) ? "<\(name) a=\"b\" >" : "<\(name)>" }

    private mutating func write(_ string: String, as name: String) {
        if string.isEmpty, generator.one(in: 2) {
            text += "<\(name)/>"
            return
        }
        if generator.one(in: 8), !string.contains("]]>"), !string.utf8.contains(13) {
            return element(name, "<![CDATA[\(string)]]>")
        }
        element(name, string.unicodeScalars.map { spelled($0) }.joined())
    }

    private mutating func spelled(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "&": return generator.one(in: 2) ? "&amp;" : "&#38;"
        case "<": return generator.one(in: 2) ? "&lt;" : "&#x3C;"
        case ">": return generator.one(in: 2) ? "&gt;" : "&#62;"
        case "'": return generator.one(in: 2) ? "&apos;" : "'"
        case "\"": return generator.one(in: 2) ? "&quot;" : "\""
        case "\r": return "&#13;"
        default: break
        }
        switch generator.below(20) {
        case 0: return "&#\(scalar.value);"
        case 1: return "&#x\(String(scalar.value, radix: 16, uppercase: generator.one(in: 2)));"
        default: return String(scalar)
        }
    }

    private mutating func digits(_ value: PropertyListInteger) -> String {
        switch generator.below(4) {
        // Foundation reads no hexadecimal number of 64 bits.
        case 0 where value.magnitude >> 63 == 0:
            (value.isNegative ? "-0x" : "0x") + String(value.magnitude, radix: 16, uppercase: generator.one(in: 2))
        case 1: (value.isNegative ? "-" : "+") + "\(value.magnitude)"
        default: value.description
        }
    }

    private mutating func lines(_ bytes: [UInt8]) -> String {
        var buffer = JSONPropertyListWriter()
        buffer.data(bytes.span)
        let base64 = String(utf8: buffer.output.span).dropFirst().dropLast()
        return space() + base64.map { generator.one(in: 20) ? "\($0)\n\t" : "\($0)" }.joined() + space()
    }

    private mutating func padded(_ text: String) -> String { generator.one(in: 4) ? "\n \(text)" : text }

    private mutating func space() -> String { ["", "", " ", "\n", "\r\n", "\t\n  "][generator.below(6)] }

    private mutating func gap() -> String {
        generator.one(in: 12) ? space() + "<!-- a <comment> & -->" + space() : space()
    }
}

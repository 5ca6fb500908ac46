extension JSONReader {
    /// Reads a text, or null as nil.
    mutating func optionalText() throws(JSONError) -> String? {
        try skipNull() ? nil : text()
    }

    /// Reads a boolean.
    mutating func boolean() throws(JSONError) -> Bool {
        skipWhitespace()
        switch byte {
        case UInt8(ascii: "t"):
            try word("true")
            return true
        case UInt8(ascii: "f"):
            try word("false")
            return false
        default: throw expected("a boolean")
        }
    }

    /// Reads a number of things: a whole number from 0, small enough that sums of a few never overflow.
    mutating func count() throws(JSONError) -> Int {
        skipWhitespace()
        let start = offset
        guard case .integer(let number) = try isNumber ? number() : .null, number >= 0, number < 1 << 53 else {
            offset = start
            throw expected("a whole number from 0")
        }
        return Int(number)
    }

    /// Reads an object as fields.
    mutating func fields() throws(JSONError) -> Fields {
        skipWhitespace()
        guard byte == UInt8(ascii: "{") else { throw expected("an object") }
        return try value().dictionary ?? Fields()
    }

    /// Reads a list of texts.
    mutating func texts() throws(JSONError) -> [String] {
        var texts: [String] = []
        try list { reader throws(JSONError) in texts.append(try reader.text()) }
        return texts
    }

    /// Reads null if it is there.
    mutating func skipNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard byte == UInt8(ascii: "n") else { return false }
        try word("null")
        return true
    }

    private var isNumber: Bool {
        byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

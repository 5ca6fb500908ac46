extension JSONReader {
    /// Reads any value.
    ///
    /// It has its own stack of open containers, so that no document can overflow the thread's.
    mutating func value() throws(JSONError) -> FieldValue {
        var open: [Container] = []
        while true {
            skipWhitespace()
            var value: FieldValue
            switch byte {
            case UInt8(ascii: "{"):
                try self.open(UInt8(ascii: "{"), "an object")
                open.append(Container(isObject: true))
                guard let end = try closedValue(&open) else { continue }
                value = end
            case UInt8(ascii: "["):
                try self.open(UInt8(ascii: "["), "a list")
                open.append(Container(isObject: false))
                guard let end = try closedValue(&open) else { continue }
                value = end
            default: value = try scalar()
            }
            while let last = open.indices.last {
                open[last].append(value)
                guard let end = try closedValue(&open) else { break }
                value = end
            }
            if open.isEmpty { return value }
        }
    }

    /// Reads a value and drops it.
    mutating func skip() throws(JSONError) { _ = try value() }

    /// Reads a value that is no container.
    private mutating func scalar() throws(JSONError) -> FieldValue {
        switch byte {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"):
            try word("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw expected("a value")
        }
    }

    /// Reads the rest of a word whose first letter is at the offset.
    mutating func word(_ word: StaticString) throws(JSONError) {
        let text = word.description
        guard bytes[offset...].starts(with: text.utf8) else { throw expected("a value") }
        offset += text.utf8.count
    }

    /// The value of the innermost container if it ends here; else nil, and the offset is at its next element.
    private mutating func closedValue(_ open: inout [Container]) throws(JSONError) -> FieldValue? {
        let last = open.count - 1
        if try closes(open[last].isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), &open[last].isFirst) {
            return open.removeLast().value
        }
        if open[last].isObject {
            guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
            open[last].name = try string()
            try skipWhitespace(to: UInt8(ascii: ":"), "':'")
        }
        return nil
    }

    /// An open container of `value`.
    private struct Container {
        let isObject: Bool
        var isFirst = true
        var elements: [FieldValue] = []
        var fields = Fields()
        var name = ""

        init(isObject: Bool) { self.isObject = isObject }

        mutating func append(_ value: FieldValue) {
            if isObject {
                fields[name] = value
            } else {
                elements.append(value)
            }
        }

        var value: FieldValue { isObject ? .dictionary(fields) : .list(elements) }
    }
}

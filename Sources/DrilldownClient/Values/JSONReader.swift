/// A strict reader of JSON (RFC 8259), in one pass over its bytes.
///
/// It keeps the order of members and the exact values of whole numbers of 64 bits. The caller reads the members that it
/// expects directly into its own types, without an intermediate tree of `FieldValue`.
struct JSONReader {
    let bytes: [UInt8]
    var offset = 0
    var depth = 0

    /// The maximum depth of nested containers. It is less than the depth that a document may have, because values are
    /// released recursively, and the stack of a thread may be small.
    static let deepest = 512

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads an object; `member` reads the value of each member.
    @inline(__always)
    mutating func object(
        _ member: (_ name: String, _ reader: inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try open(UInt8(ascii: "{"), name: "an object")
        var isFirst = true
        while try !closes(UInt8(ascii: "}"), isFirst: &isFirst) {
            try member(memberName(), &self)
        }
    }

    /// Reads a list; `element` reads each element.
    @inline(__always)
    mutating func list(_ element: (_ reader: inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "["), name: "a list")
        var isFirst = true
        while try !closes(UInt8(ascii: "]"), isFirst: &isFirst) { try element(&self) }
    }

    /// Reads JSON text that is one object.
    static func fields(_ bytes: [UInt8]) throws(JSONError) -> Fields {
        var reader = JSONReader(bytes)
        let fields = try reader.fields()
        try reader.end()
        return fields
    }

    /// Checks that only whitespace follows.
    mutating func end() throws(JSONError) {
        skipWhitespace()
        guard offset == bytes.count else { throw expected("the end") }
    }

    var rest: Int { bytes.count - offset }

    /// The byte at the offset. At the end of the text it is 0, which is never valid in JSON.
    var byte: UInt8 {
        @inline(__always) get { offset < bytes.count ? bytes[offset] : 0 }
    }

    @inline(__always)
    mutating func skipWhitespace() {
        while true {
            switch byte {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    mutating func open(_ bracket: UInt8, name: String) throws(JSONError) {
        skipWhitespace()
        guard byte == bracket else { throw expected(name) }
        guard depth < Self.deepest else { throw .tooDeep(at: offset) }
        depth += 1
        offset += 1
    }

    /// Reads the end of a container, or the comma before its next element.
    ///
    /// - Returns: true if the container has ended. If false, the offset is at the next element.
    @inline(__always)
    mutating func closes(_ bracket: UInt8, isFirst: inout Bool) throws(JSONError) -> Bool {
        skipWhitespace()
        if byte == bracket {
            offset += 1
            depth -= 1
            return true
        }
        if isFirst {
            isFirst = false
            return false
        }
        guard byte == UInt8(ascii: ",") else {
            throw expected("',' or '\(bracket == UInt8(ascii: "}") ? "}" : "]")'")
        }
        offset += 1
        skipWhitespace()
        return false
    }

    /// Reads the name of a member, and the colon after it.
    @inline(__always)
    mutating func memberName() throws(JSONError) -> String {
        guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
        let name = try string()
        skipWhitespace()
        guard byte == UInt8(ascii: ":") else { throw expected("':'") }
        offset += 1
        return name
    }

    /// Returns the error for an unexpected byte at the offset.
    func expected(_ name: String) -> JSONError {
        guard offset < bytes.count else { return JSONError(reason: "it ends where \(name) was expected", at: offset) }
        let found = byte > 0x20 && byte < 0x7F ? "'\(Unicode.Scalar(byte))'" : "byte \(byte)"
        return JSONError(reason: "it has \(found) where \(name) was expected", at: offset)
    }
}

extension JSONReader {
    /// Reads any value.
    ///
    /// Open containers are kept in an array instead of recursive calls, so that no document can overflow the stack.
    mutating func value() throws(JSONError) -> FieldValue {
        var open: [Container] = []
        while true {
            skipWhitespace()
            var value: FieldValue
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append(Container(isObject: byte == UInt8(ascii: "{")))
                try self.open(byte, name: "a value")
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

    mutating func skip() throws(JSONError) { _ = try value() }

    /// Reads a value other than a container.
    private mutating func scalar() throws(JSONError) -> FieldValue {
        switch byte {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean(try boolean())
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw expected("a value")
        }
    }

    /// Reads a word whose first letter is at the offset.
    mutating func word(_ word: StaticString) throws(JSONError) {
        let text = word.description
        guard bytes[offset...].starts(with: text.utf8) else { throw expected("a value") }
        offset += text.utf8.count
    }

    /// Reads the end of the innermost container, or the beginning of the container's next element.
    ///
    /// - Returns: the value of the container; nil if an element follows. The offset is then at the value of the
    ///   element, after the name of a member.
    private mutating func closedValue(_ open: inout [Container]) throws(JSONError) -> FieldValue? {
        let last = open.count - 1
        if try closes(open[last].isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), isFirst: &open[last].isFirst) {
            return open.removeLast().value
        }
        if open[last].isObject {
            open[last].name = try memberName()
        }
        return nil
    }

    /// A container that `value()` has not read to its end.
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

    mutating func optionalText() throws(JSONError) -> String? { try skipNull() ? nil : text() }

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

    /// Reads a count: a whole number from 0 to 2⁵³ − 1, and much less than `Int.max`, so that the sum of a few counts never
    /// overflows.
    mutating func count() throws(JSONError) -> Int {
        skipWhitespace()
        let start = offset
        guard isDigit, case .integer(let number) = try number(), number < min(1 << 53, Int64(Int.max / 4)) else {
            offset = start
            throw expected("a whole number from 0")
        }
        return Int(number)
    }

    mutating func fields() throws(JSONError) -> Fields {
        skipWhitespace()
        guard byte == UInt8(ascii: "{") else { throw expected("an object") }
        return try value().dictionary ?? Fields()
    }

    mutating func texts() throws(JSONError) -> [String] {
        var texts: [String] = []
        try list { reader throws(JSONError) in texts.append(try reader.text()) }
        return texts
    }

    mutating func skipNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard byte == UInt8(ascii: "n") else { return false }
        try word("null")
        return true
    }
}

/// The reason why bytes cannot be read: they are not JSON, or not the JSON that was expected.
struct JSONError: Error, Hashable, CustomStringConvertible {
    /// The fault, as the end of a sentence.
    var reason: String
    /// The position, in bytes from the beginning.
    var offset: Int
    /// Whether the containers in the text are nested deeper than `JSONReader.deepest`.
    private(set) var isTooDeep = false

    init(reason: String, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    static func tooDeep(at offset: Int) -> JSONError {
        var error = JSONError(reason: "it nests deeper than \(JSONReader.deepest) containers", at: offset)
        error.isTooDeep = true
        return error
    }

    var description: String { "\(reason) (at byte \(offset))" }
}

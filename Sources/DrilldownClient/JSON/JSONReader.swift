/// Reads JSON in one pass over its bytes, strictly (RFC 8259), and keeps the order of members and every bit of a number.
///
/// The caller says what it expects, member by member, so that no tree is built of what it knows.
struct JSONReader {
    let bytes: [UInt8]
    var offset = 0
    /// How many containers are open.
    var depth = 0

    /// The greatest number of containers within each other. Values are released recursively, on small stacks too, so this
    /// is less than a document may have.
    static let deepest = 512

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads an object; `member` reads the value of each member.
    @inline(__always)
    mutating func object(
        _ member: (_ name: String, _ reader: inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try open(UInt8(ascii: "{"), "an object")
        var isFirst = true
        while try !closes(UInt8(ascii: "}"), &isFirst) {
            guard byte == UInt8(ascii: "\"") else { throw expected("a member's name") }
            let name = try string()
            try skipWhitespace(to: UInt8(ascii: ":"), "':'")
            try member(name, &self)
        }
    }

    /// Reads a list; `element` reads each element.
    @inline(__always)
    mutating func list(_ element: (_ reader: inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "["), "a list")
        var isFirst = true
        while try !closes(UInt8(ascii: "]"), &isFirst) { try element(&self) }
    }

    /// Checks that nothing follows.
    mutating func end() throws(JSONError) {
        skipWhitespace()
        guard offset == bytes.count else { throw expected("the end") }
    }

    /// How many bytes are left.
    var rest: Int { bytes.count - offset }

    /// The byte at the offset; 0, which is never valid, at the end.
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

    mutating func open(_ bracket: UInt8, _ name: String) throws(JSONError) {
        skipWhitespace()
        guard byte == bracket else { throw expected(name) }
        guard depth < Self.deepest else { throw .tooDeep(at: offset) }
        depth += 1
        offset += 1
    }

    /// Whether the container ends here; if not, the offset is then at its next element.
    @inline(__always)
    mutating func closes(_ bracket: UInt8, _ isFirst: inout Bool) throws(JSONError) -> Bool {
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

    @inline(__always)
    mutating func skipWhitespace(to character: UInt8, _ name: String) throws(JSONError) {
        skipWhitespace()
        guard byte == character else { throw expected(name) }
        offset += 1
    }

    /// What is wrong at the offset, where something else was expected.
    func expected(_ name: String) -> JSONError {
        guard offset < bytes.count else { return JSONError("it ends where \(name) was expected", at: offset) }
        let found = byte > 0x20 && byte < 0x7F ? "'\(Unicode.Scalar(byte))'" : "byte \(byte)"
        return JSONError("it has \(found) where \(name) was expected", at: offset)
    }
}

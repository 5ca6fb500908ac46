import Bytes

/// Reads a property list written as JSON (strictly RFC 8259) and sends its events to a consumer.
///
/// A number without a fraction and without an exponent is an integer; any other number is a real. Most consumers refuse
/// `null`, because a property list cannot contain it.
public struct JSONPropertyListReader: ~Copyable {
    var window: TextWindow
    let limits: PropertyListLimits
    private var open: [Container] = []
    /// Whether the innermost container has just begun, so that no comma is expected.
    private var isFirst = false
    private var values = 0
    /// Whether a real of the text has more than 17 significant digits, so that its value is rounded.
    public internal(set) var hasRoundedReal = false

    private enum Container { case dictionary, array }

    /// Reads a whole document.
    ///
    /// - Parameter asLines: whether the document is any number of values with line ends between, which are read as the
    ///   elements of an array.
    /// - Throws: `PropertyListError` with line and column if the document is not JSON or not a property list, exceeds a
    ///   limit, or is refused by the consumer.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, asLines: Bool = false, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        var reader = try JSONPropertyListReader(input: input, limits: limits)
        do {
            if asLines { try reader.readLines(into: &consumer) } else { try reader.readDocument(into: &consumer) }
        } catch {
            throw error.located(at: reader.window.position, path: consumer.currentPath())
        }
    }

    /// Creates a reader for many short texts, one after the other.
    ///
    /// - Throws: `PropertyListError` for a lack of memory.
    public init(limits: PropertyListLimits) throws(PropertyListError) {
        try self.init(input: .memory([]), limits: limits)
    }

    /// Reads a text, and forgets the previous one.
    ///
    /// - Throws: `PropertyListError` in the same cases as for a whole document.
    public mutating func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ text: Span<UInt8>, into consumer: inout Consumer
    ) throws(PropertyListError) {
        open.removeAll(keepingCapacity: true)
        values = 0
        hasRoundedReal = false
        do {
            try window.restart(with: text)
            try readDocument(into: &consumer)
        } catch {
            throw error.located(at: window.position, path: consumer.currentPath())
        }
    }

    private init(input: DocumentInput, limits: PropertyListLimits) throws(PropertyListError) {
        window = try TextWindow(input: input, as: .json, limits: limits)
        self.limits = limits
    }

    private mutating func readDocument<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        guard let first = try next() else {
            throw PropertyListError(reason: "the document is empty; it needs one value, an array or an object")
        }
        try readWhole(first, into: &consumer)
        if !window.isAtEnd, let byte = try next() {
            guard !isComment(byte) else { throw comment }
            let isNextLine = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            throw continued(isNextLine ? "make an array of its lines, as jq -s . does" : "remove the rest")
        }
    }

    private mutating func readLines<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        try consumer.beginArray(at: window.roughPosition)
        var lastLine = 0
        while let first = try next() {
            guard window.line > lastLine else { throw continued("begin each value on its own line") }
            try readWhole(first, into: &consumer)
            lastLine = window.line
        }
        try consumer.endArray()
    }

    /// Reads a value up to its end.
    private mutating func readWhole<Consumer: PropertyListConsumer & ~Copyable>(
        _ first: UInt8, into consumer: inout Consumer
    ) throws(PropertyListError) {
        try readValue(first, into: &consumer)
        while let container = open.last { try readOn(in: container, into: &consumer) }
    }

    /// Moves to the next byte that is not white space, and returns it. Returns nil at the end of the document.
    @inline(__always)
    mutating func next() throws(PropertyListError) -> UInt8? {
        if let byte = try window.peek(), byte > 0x20 { return byte }
        try window.skipWhitespace()
        return try window.peek()
    }

    /// Reads the next element or entry of a container, or its end.
    @inline(__always)
    private mutating func readOn<Consumer: PropertyListConsumer & ~Copyable>(
        in container: Container, into consumer: inout Consumer
    ) throws(PropertyListError) {
        guard var byte = try next() else { throw cutShort }
        let end = container == .dictionary ? UInt8(ascii: "}") : UInt8(ascii: "]")
        if byte == end { return try close(container, into: &consumer) }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw isComment(byte) ? comment : missingComma(in: container) }
            window.advance(1)
            guard let following = try next() else { throw cutShort }
            guard following != end else { throw trailingComma }
            byte = following
        }
        isFirst = false
        if container == .dictionary {
            guard let first = try readKey(byte, into: &consumer) else { return }
            byte = first
        }
        try readValue(byte, into: &consumer)
    }

    @inline(__always)
    private mutating func close<Consumer: PropertyListConsumer & ~Copyable>(
        _ container: Container, into consumer: inout Consumer
    ) throws(PropertyListError) {
        switch container {
        case .dictionary: try consumer.endDictionary()
        case .array: try consumer.endArray()
        }
        window.advance(1)
        open.removeLast()
        isFirst = false
    }

    /// Reads a key and its colon.
    ///
    /// - Returns: the first byte of the value; nil if the whole entry was omitted.
    @inline(__always)
    private mutating func readKey<Consumer: PropertyListConsumer & ~Copyable>(
        _ first: UInt8, into consumer: inout Consumer
    ) throws(PropertyListError) -> UInt8? {
        guard first == UInt8(ascii: "\"") else { throw isComment(first) ? comment : missingKey }
        let position = window.roughPosition
        let text = try readString()
        if Consumer.omitsNullEntries, try skipNull(after: text) { return nil }
        try consumer.key(window.span(of: text), at: position)
        window.finish(text)
        guard try next() == UInt8(ascii: ":") else { throw try next() == nil ? cutShort : missingColon }
        window.advance(1)
        guard let byte = try next() else { throw cutShort }
        return byte
    }

    /// Moves past the rest of an entry if its value is `null`. Returns whether the value is `null`.
    @inline(__always)
    private mutating func skipNull(after key: TokenText) throws(PropertyListError) -> Bool {
        let start = if case .direct(_, let passing) = key { passing } else { 0 }
        let colon = try offset(ofTokenFrom: start)
        guard try window.peek(colon) == UInt8(ascii: ":") else { return false }
        let value = try offset(ofTokenFrom: colon &+ 1)
        guard try window.peek(value) == UInt8(ascii: "n"), try window.matches("null", at: value) else { return false }
        window.advanceCountingLines(value + 4)
        return true
    }

    /// The offset of the next byte that is not white space. Looks at most 4,096 bytes ahead.
    @inline(__always)
    private mutating func offset(ofTokenFrom start: Int) throws(PropertyListError) -> Int {
        var offset = start
        while offset < start &+ 4_096, let byte = try window.peek(offset), byte <= 0x20 { offset &+= 1 }
        return offset
    }

    /// Reads a value. For a container, reads only the beginning.
    @inline(__always)
    private mutating func readValue<Consumer: PropertyListConsumer & ~Copyable>(
        _ first: UInt8, into consumer: inout Consumer
    ) throws(PropertyListError) {
        values &+= 1
        guard values <= limits.values else { throw tooManyValues }
        switch first {
        case UInt8(ascii: "\""):
            let position = window.roughPosition
            let text = try readString()
            try consumer.string(window.span(of: text), at: position)
            window.finish(text)
        case UInt8(ascii: "{"):
            try consumer.beginDictionary(at: window.roughPosition)
            try open(.dictionary)
        case UInt8(ascii: "["):
            try consumer.beginArray(at: window.roughPosition)
            try open(.array)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let (value, count) = try readNumber(first)
            try consumer.scalar(value)
            window.advance(count)
        case UInt8(ascii: "t") where try window.matches("true", at: 0):
            try consumer.scalar(.boolean(true))
            window.advance(4)
        case UInt8(ascii: "f") where try window.matches("false", at: 0):
            try consumer.scalar(.boolean(false))
            window.advance(5)
        case UInt8(ascii: "n") where try window.matches("null", at: 0):
            try consumer.null()
            window.advance(4)
        default: throw noValue(first)
        }
    }

    private mutating func open(_ container: Container) throws(PropertyListError) {
        guard open.count < limits.nesting else {
            throw PropertyListError(reason: "the document nests deeper than \(limits.nesting) containers; flatten it")
        }
        open.append(container)
        isFirst = true
        window.advance(1)
    }

    private func missingComma(in container: Container) -> PropertyListError {
        switch container {
        case .dictionary: PropertyListError(reason: "a ',' is missing in an object; an entry is followed by ',' or '}'")
        case .array: PropertyListError(reason: "a ',' is missing in an array; an element is followed by ',' or ']'")
        }
    }
}

/// The errors for refused documents.
extension JSONPropertyListReader {
    var cutShort: PropertyListError {
        PropertyListError(reason: "the document ends before its value does; it was truncated")
    }

    var cutShortInString: PropertyListError {
        PropertyListError(reason: "the document ends inside a string; '\"' is missing")
    }

    func continued(_ remedy: String) -> PropertyListError {
        PropertyListError(reason: "the document continues after the end of the JSON value; \(remedy)")
    }

    /// Whether a byte begins a comment, as in some dialects of JSON.
    func isComment(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") }

    var comment: PropertyListError { PropertyListError(reason: "JSON has no comments; remove this one") }

    var trailingComma: PropertyListError {
        PropertyListError(reason: "a comma precedes the end of an array or object; JSON does not allow trailing commas")
    }

    var missingKey: PropertyListError {
        PropertyListError(reason: "an object's key must be a string in double quotes")
    }

    var missingColon: PropertyListError {
        PropertyListError(reason: "an object's key must be followed by ':' and a value")
    }

    var tooManyValues: PropertyListError {
        PropertyListError(reason: "the document holds more than \(limits.values) values; split it")
    }

    /// The error for a byte that does not begin a value.
    func noValue(_ first: UInt8) -> PropertyListError {
        switch first {
        case UInt8(ascii: ","): return PropertyListError(reason: "a value is missing before ','")
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            return PropertyListError(
                reason: "this bracket or brace does not match an open array or object, or a value before it is missing")
        case UInt8(ascii: "'"): return PropertyListError(reason: "a string must be in double quotes")
        case _ where isComment(first): return comment
        default:
            return PropertyListError(
                reason:
                    "this is not a JSON value; the values are objects, arrays, strings in double quotes, numbers, true and false"
            )
        }
    }
}

import Bytes

/// Reads an XML property list (Apple's PropertyList-1.0.dtd) and sends its events to a consumer.
///
/// The reader makes one pass over a sliding window, with an explicit stack, and does not build a tree. It accepts more
/// than the DTD: any declaration or none, attributes (ignored), comments with `--`, and a root element without
/// `<plist>`.
public struct XMLPropertyListReader: ~Copyable {
    var window: TextWindow
    let limits: PropertyListLimits
    /// The tag that does not match the open element; nil if a refusal has another cause.
    var mismatch: Mismatch?
    private var open: [Container] = []
    private var values = 0
    private var hasPlistElement = false

    private enum Container { case dictionaryAwaitingKey, dictionaryAwaitingValue, array }

    /// Reads a whole document.
    ///
    /// - Throws: `PropertyListError` with line and column if the document is not a property list, exceeds a limit, or
    ///   is refused by the consumer.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        var reader = try XMLPropertyListReader(input: input, limits: limits)
        do {
            try reader.readDocument(into: &consumer)
        } catch {
            var refusal = error
            if reader.endsInsideMarkup() {
                refusal = Self.cutShortInMarkup
            } else if let mismatch = reader.mismatch {
                refusal = mismatch.refusal(
                    openedAt: opening(of: mismatch.element, before: mismatch.place, in: input, limits: limits))
            }
            throw refusal.located(at: reader.window.position, path: consumer.currentPath())
        }
    }

    init(input: DocumentInput, limits: PropertyListLimits) throws(PropertyListError) {
        window = try TextWindow(input: input, as: .xml, limits: limits)
        self.limits = limits
    }

    private mutating func readDocument<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        try skipProlog()
        if try window.matches("<plist", at: 0), try !Self.isNameByte(window.peek(6)) {
            hasPlistElement = true
            window.advance(6)
            if try finishStartTag() {
                throw PropertyListError(reason: "<plist/> is empty; it needs one value, an array or a dictionary")
            }
        }
        try readValues(into: &consumer)
        try readEpilog()
    }

    private mutating func readValues<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        repeat {
            try window.skipWhitespace()
            if try readFrequent(into: &consumer) { continue }
            try skipToMarkup()
            if try window.peek(1) == UInt8(ascii: "/") {
                try readEndTag(into: &consumer)
            } else {
                try readElement(into: &consumer)
            }
        } while !open.isEmpty
    }

    private mutating func readEpilog() throws(PropertyListError) {
        if hasPlistElement {
            try skipToMarkup()
            guard try isEndTag("</plist") else {
                if try window.peek(1) == UInt8(ascii: "/") { throw try wrongEndTag(of: "plist") }
                throw PropertyListError(
                    reason: "<plist> contains a second value; a property list has one, so put both into an array")
            }
            window.advance(7)
            try closeTag()
        }
        try skipMiscellany()
        if try window.peek() != nil {
            throw PropertyListError(
                reason: "the document continues after the end of the property list; remove the rest")
        }
    }

    // MARK: Elements

    /// Reads the most frequent elements in their usual spelling. Returns false for all other elements.
    ///
    /// One comparison of eight bytes replaces the comparisons of single bytes in `readElement`.
    @inline(__always)
    private mutating func readFrequent<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) -> Bool {
        let head = window.head
        if head << 24 == Self.tag("<key>") << 24 {
            let position = window.roughPosition
            window.advance(4)
            try willReadKey()
            window.advance(1)
            let text = try readText(closedBy: "</key>")
            try sendKey(text, at: position, to: &consumer)
        } else if head == Self.tag("<string>") {
            let position = window.roughPosition
            window.advance(7)
            try willReadValue()
            window.advance(1)
            let text = try readText(closedBy: "</string>")
            try consumer.string(window.span(of: text), at: position)
            window.finish(text)
            didReadValue()
        } else if head << 16 == Self.tag("<dict>") << 16 {
            let position = window.roughPosition
            window.advance(5)
            try willReadValue()
            try consumer.beginDictionary(at: position)
            window.advance(1)
            try open(.dictionaryAwaitingKey)
        } else if head << 8 == Self.tag("</dict>") << 8, open.last == .dictionaryAwaitingKey {
            window.advance(7)
            open.removeLast()
            try consumer.endDictionary()
            didReadValue()
        } else {
            return false
        }
        return true
    }

    /// The bytes of a tag in the same form as `TextWindow.head`.
    @inline(__always)
    private static func tag(_ text: StaticString) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<text.utf8CodeUnitCount {
            word |= UInt64(unsafe text.utf8Start[index]) &<< UInt64(truncatingIfNeeded: 8 &* index)
        }
        return word
    }

    @inline(never)
    private mutating func readElement<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        let position = window.roughPosition
        switch try window.peek(1) {
        case UInt8(ascii: "k"): try readKey(at: position, into: &consumer)
        case UInt8(ascii: "s"):
            try readScalar("string", endTag: "</string>", into: &consumer) {
                (text, consumer) throws(PropertyListError) in
                try consumer.string(text, at: position)
            }
        case UInt8(ascii: "d"): try readDictionaryDateOrData(at: position, into: &consumer)
        case UInt8(ascii: "a"):
            try startTag("array")
            try willReadValue()
            try consumer.beginArray(at: position)
            if try finishStartTag() {
                try consumer.endArray()
                didReadValue()
            } else {
                try open(.array)
            }
        case UInt8(ascii: "i"):
            try readScalar("integer", endTag: "</integer>", into: &consumer) {
                (text, consumer) throws(PropertyListError) in
                try consumer.scalar(.integer(XMLScalars.integer(text)))
            }
        case UInt8(ascii: "r"):
            try readScalar("real", endTag: "</real>", into: &consumer) { (text, consumer) throws(PropertyListError) in
                try consumer.scalar(.real(XMLScalars.real(text)))
            }
        case UInt8(ascii: "t"): try readBoolean(true, name: "true", endTag: "</true>", into: &consumer)
        case UInt8(ascii: "f"): try readBoolean(false, name: "false", endTag: "</false>", into: &consumer)
        default: throw try unknownElement()
        }
    }

    private mutating func readDictionaryDateOrData<Consumer: PropertyListConsumer & ~Copyable>(
        at position: SourcePosition, into consumer: inout Consumer
    ) throws(PropertyListError) {
        if try window.matches("<dict", at: 0) {
            try startTag("dict")
            try willReadValue()
            try consumer.beginDictionary(at: position)
            if try finishStartTag() {
                try consumer.endDictionary()
                didReadValue()
            } else {
                try open(.dictionaryAwaitingKey)
            }
        } else if try window.matches("<date", at: 0) {
            try readScalar("date", endTag: "</date>", into: &consumer) { (text, consumer) throws(PropertyListError) in
                try consumer.scalar(.date(XMLScalars.date(text)))
            }
        } else {
            try readScalar("data", endTag: "</data>", into: &consumer) { (text, consumer) throws(PropertyListError) in
                var bytes = ByteBuffer()
                try Base64Decoder.decode(text, into: &bytes)
                try consumer.data(bytes.span)
            }
        }
    }

    private mutating func readScalar<Consumer: PropertyListConsumer & ~Copyable>(
        _ name: StaticString, endTag: StaticString, into consumer: inout Consumer,
        send: (Span<UInt8>, inout Consumer) throws(PropertyListError) -> Void
    ) throws(PropertyListError) {
        try startTag(name)
        try willReadValue()
        let text = try readContent(closedBy: endTag)
        try send(window.span(of: text), &consumer)
        window.finish(text)
        didReadValue()
    }

    /// Reads the text of the element whose name was just read.
    @inline(__always)
    private mutating func readContent(closedBy endTag: StaticString) throws(PropertyListError) -> TokenText {
        try finishStartTag() ? .direct(0..<0, passing: 0) : readText(closedBy: endTag)
    }

    private mutating func readBoolean<Consumer: PropertyListConsumer & ~Copyable>(
        _ value: Bool, name: StaticString, endTag: StaticString, into consumer: inout Consumer
    ) throws(PropertyListError) {
        try startTag(name)
        try willReadValue()
        if try !finishStartTag() {
            try skipMiscellany()
            guard try window.matches(endTag, at: 0) else {
                throw PropertyListError(reason: "<\(value)> cannot contain text; write <\(value)/>")
            }
            window.advance(endTag.utf8CodeUnitCount)
        }
        try consumer.scalar(.boolean(value))
        didReadValue()
    }

    private mutating func readKey<Consumer: PropertyListConsumer & ~Copyable>(
        at position: SourcePosition, into consumer: inout Consumer
    ) throws(PropertyListError) {
        try startTag("key")
        try willReadKey()
        try sendKey(readContent(closedBy: "</key>"), at: position, to: &consumer)
    }

    @inline(__always)
    private mutating func sendKey<Consumer: PropertyListConsumer & ~Copyable>(
        _ text: TokenText, at position: SourcePosition, to consumer: inout Consumer
    ) throws(PropertyListError) {
        try consumer.key(window.span(of: text), at: position)
        window.finish(text)
        open[open.count - 1] = .dictionaryAwaitingValue
    }

    private mutating func readEndTag<Consumer: PropertyListConsumer & ~Copyable>(
        into consumer: inout Consumer
    ) throws(PropertyListError) {
        switch open.last {
        case .dictionaryAwaitingKey where try isEndTag("</dict"):
            window.advance(6)
            try closeTag()
            open.removeLast()
            try consumer.endDictionary()
        case .array where try isEndTag("</array"):
            window.advance(7)
            try closeTag()
            open.removeLast()
            try consumer.endArray()
        case .dictionaryAwaitingKey: throw try wrongEndTag(of: "dict")
        case .dictionaryAwaitingValue: throw PropertyListError(reason: "the preceding <key> has no value")
        case .array: throw try wrongEndTag(of: "array")
        case nil:
            throw PropertyListError(reason: "the property list holds no value; it needs one, an array or a dictionary")
        }
        didReadValue()
    }

    // MARK: The stack

    @inline(__always)
    private mutating func willReadKey() throws(PropertyListError) {
        switch open.last {
        case .dictionaryAwaitingKey: break
        case .dictionaryAwaitingValue:
            throw PropertyListError(reason: "a <key> follows a <key>; the first one has no value")
        case .array, nil:
            throw PropertyListError(reason: "a <key> appears outside a <dict>; keys belong in dictionaries")
        }
    }

    @inline(__always)
    private mutating func willReadValue() throws(PropertyListError) {
        values += 1
        guard values <= limits.values else {
            throw PropertyListError(reason: "the document holds more than \(limits.values) values; split it")
        }
        if open.last == .dictionaryAwaitingKey {
            throw PropertyListError(reason: "a value in a <dict> has no <key> before it")
        }
    }

    @inline(__always)
    private mutating func didReadValue() {
        if open.last == .dictionaryAwaitingValue { open[open.count - 1] = .dictionaryAwaitingKey }
    }

    private mutating func open(_ container: Container) throws(PropertyListError) {
        guard open.count < limits.nesting else {
            throw PropertyListError(reason: "the document nests deeper than \(limits.nesting) containers; flatten it")
        }
        open.append(container)
    }
}

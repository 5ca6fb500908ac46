import Bytes
import Levels
import PropertyLists

/// A writer whose output can be taken while it writes.
protocol StreamedWriter: PropertyListConsumer, ~Copyable {
    /// The bytes that were written, but not yet taken.
    var output: ByteBuffer { get set }
    /// - Throws: `PropertyListError` unless exactly one complete value was written.
    mutating func finish() throws(PropertyListError)
    /// Ends the last line, if `finish` leaves it open.
    mutating func endLine()
}

extension BinaryPropertyListWriter: StreamedWriter {
    mutating func endLine() {}
}

/// Writes one answer, as JSON or as an XML property list of the same structure.
protocol AnswerWriter: StreamedWriter, ~Copyable {
    init()
    static var contentType: String { get }

    /// Begins a member of an object.
    mutating func member(_ name: StaticString)
    /// Writes a member that is null. A property list omits the member.
    mutating func nullMember(_ name: StaticString)
    mutating func beginObject()
    mutating func endObject()
    mutating func beginList()
    mutating func endList()
    mutating func integer(_ value: PropertyListInteger)
    mutating func boolean(_ value: Bool)
    /// Writes a link that consists of a prefix in canonical form and a key. The key is percent-encoded here.
    mutating func link(_ prefix: Span<UInt8>, key: Span<UInt8>)
    /// Adds tabs to the indentation of an indented format. The version of a row is the hash of its bytes, so the
    /// indentation of a row must not depend on where the row is written.
    mutating func indent(by levels: Int)
    /// Writes an ASCII text that is replaced later. Returns the offset of the text.
    mutating func placeholder(_ text: StaticString) -> Int
    consuming func takeOutput() -> ByteBuffer
}

extension AnswerWriter where Self: ~Copyable {
    /// The XXH3-64 hash of everything from an offset on.
    @inline(__always)
    func shortHash(since offset: Int) -> UInt64 { ContentHash.short(of: output.span.extracting(offset..<output.count)) }

    /// Ends the answer and returns its bytes.
    consuming func body() throws(PropertyListError) -> ByteBuffer {
        try finish()
        return takeOutput()
    }

    /// Replaces the placeholder of a row's version.
    @inline(__always)
    mutating func fillShortVersion(at offset: Int, hash: UInt64) {
        for digit in 0..<Version.shortWidth {
            output.set(Version.character(hash, digit: Version.shortWidth - 1 - digit), at: offset + digit)
        }
    }

    /// Replaces the placeholder of a level's or detail's version.
    mutating func fillVersion(at offset: Int, hash: ContentHash) {
        for index in 0..<Version.width { output.set(Version.character(of: hash, at: index), at: offset + index) }
    }

    /// Writes the version of an item's own fields (manual, Details).
    mutating func fieldsVersion(of row: Row, in bytes: Span<UInt8>) {
        member("fieldsVersion")
        let offset = placeholder(Version.shortPlaceholder)
        fillShortVersion(at: offset, hash: RowFields.hash(of: row, in: bytes))
    }

    @inline(__always)
    mutating func beginObject(_ name: StaticString) {
        member(name)
        beginObject()
    }

    @inline(__always)
    mutating func beginList(_ name: StaticString) {
        member(name)
        beginList()
    }

    mutating func text(_ text: String) throws(PropertyListError) { try string(text.utf8Span.span) }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Int) {
        member(name)
        integer(PropertyListInteger(Int64(value)))
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Bool) {
        member(name)
        boolean(value)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: String?) throws(PropertyListError) {
        guard let value else { return nullMember(name) }
        member(name)
        try text(value)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Span<UInt8>) throws(PropertyListError) {
        member(name)
        try string(value)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, link prefix: Span<UInt8>, key: Span<UInt8> = Span()) {
        member(name)
        link(prefix, key: key)
    }
}

private let nowhere = SourcePosition.byte(offset: 0)

extension JSONPropertyListWriter: AnswerWriter {
    init() { self.init(output: ByteBuffer(capacity: 4096)) }

    static var contentType: String { "application/json" }

    @inline(__always)
    mutating func member(_ name: StaticString) { rawMember(name) }

    mutating func nullMember(_ name: StaticString) {
        member(name)
        null()
    }

    @inline(__always)
    mutating func beginObject() { beginDictionary(at: nowhere) }
    @inline(__always)
    mutating func endObject() { endDictionary() }
    mutating func beginList() { beginArray(at: nowhere) }
    mutating func endList() { endArray() }

    @inline(__always)
    mutating func link(_ prefix: Span<UInt8>, key: Span<UInt8>) {
        rawString { (output) in
            output.append(prefix)
            PercentEncoding.append(key, to: &output)
        }
    }

    mutating func indent(by levels: Int) {}
    mutating func endLine() { output.append(UInt8(ascii: "\n")) }

    @inline(__always)
    mutating func placeholder(_ text: StaticString) -> Int {
        rawString { (output) in output.append(text) }
        return output.count - text.utf8CodeUnitCount - 1
    }
}

extension XMLPropertyListWriter: AnswerWriter {
    init() { self.init(output: ByteBuffer(capacity: 8192)) }

    static var contentType: String { "application/x-plist" }

    mutating func member(_ name: StaticString) {
        // Names of members are plain ASCII, which XML can always represent.
        do { try key(String(describing: name).utf8Span.span, at: nowhere) } catch {}
    }

    mutating func nullMember(_ name: StaticString) {}
    mutating func beginObject() { beginDictionary(at: nowhere) }
    mutating func endObject() { endDictionary() }
    mutating func beginList() { beginArray(at: nowhere) }
    mutating func endList() { endArray() }

    mutating func link(_ prefix: Span<UInt8>, key: Span<UInt8>) {
        var link = ByteBuffer(capacity: prefix.count + key.count * 3 + 1)
        link.append(prefix)
        PercentEncoding.append(key, to: &link)
        // A link is ASCII without control characters.
        do { try string(link.span) } catch {}
    }

    mutating func indent(by levels: Int) { depth += levels }
    mutating func endLine() {}

    mutating func placeholder(_ text: StaticString) -> Int {
        text.withUTF8Buffer { text in
            // Plain ASCII, which XML can always represent.
            do { try unsafe string(text.span) } catch {}
        }
        return output.count - text.utf8CodeUnitCount - "</string>\n".utf8.count
    }
}

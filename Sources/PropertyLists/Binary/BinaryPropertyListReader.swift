/// Reads a binary property list (`bplist00`) of any size in pieces, in bounded memory.
///
/// Source: `CFBinaryPList.c` of CoreFoundation. If CoreFoundation and Python's plistlib differ, this reader follows
/// plistlib.
public enum BinaryPropertyListReader {
    /// Sends the events of a whole document to a consumer, in document order.
    ///
    /// A shared object is sent each time it appears, and counts toward the limits each time.
    ///
    /// - Throws: `PropertyListError` with the byte offset of the object at which the document violates the format or
    ///   exceeds a limit. The offset is also added to an error of the consumer.
    /// - Complexity: O(values); each file page is read about once if related objects are close together.
    public static func read<Consumer: PropertyListConsumer & ~Copyable>(
        _ input: DocumentInput, limits: PropertyListLimits, into consumer: inout Consumer
    ) throws(PropertyListError) {
        var decoder = try BinaryDecoder(input: input, limits: limits)
        do {
            try send(decoder.root(), of: decoder, to: &consumer)
            while let event = try decoder.next() { try send(event, of: decoder, to: &consumer) }
        } catch {
            let place = SourcePosition.byte(offset: decoder.position)
            // If the document is cyclic, an error of the consumer about the depth would be misleading.
            let error = decoder.openCycle ?? error
            guard !error.isOutOfMemory else { throw error }
            throw error.located(at: place, path: consumer.currentPath())
        }
    }

    @inline(__always)
    private static func send<Consumer: PropertyListConsumer & ~Copyable>(
        _ event: BinaryDecoder.Event, of decoder: borrowing BinaryDecoder, to consumer: inout Consumer
    ) throws(PropertyListError) {
        switch event {
        case .beginDictionary: try consumer.beginDictionary(at: .byte(offset: decoder.position))
        case .key: try consumer.key(decoder.text, at: .byte(offset: decoder.position))
        case .endDictionary: try consumer.endDictionary()
        case .beginArray: try consumer.beginArray(at: .byte(offset: decoder.position))
        case .endArray: try consumer.endArray()
        case .string: try consumer.string(decoder.text, at: .byte(offset: decoder.position))
        case .data: try consumer.data(decoder.text)
        case .scalar(let value): try consumer.scalar(value)
        }
    }
}

/// The positions of the parts of a binary property list, read from its last 32 bytes and checked.
///
/// Source: `CFBinaryPlistTrailer` in CoreFoundation's `ForFoundationOnly.h`.
struct BinaryLayout {
    static let header: StaticString = "bplist00"
    static let headerBytes = 8
    static let trailerBytes = 32

    /// The size of one entry of the offset table in bytes, 1 … 8.
    let offsetWidth: Int
    /// The size of one reference in a container in bytes, 1 … 8.
    let referenceWidth: Int
    /// The number of objects, at least 1.
    let objectCount: Int
    /// The number of the outermost object.
    let root: Int
    /// The range of the objects, which is between the header and the offset table.
    let objects: Range<Int>
    let table: Range<Int>

    /// Reads the header and the trailer.
    ///
    /// - Throws: `PropertyListError` if the trailer does not match the size of the document, or contradicts itself.
    init(_ input: DocumentInput) throws(PropertyListError) {
        let size = input.size
        let least = Self.headerBytes + 2 + Self.trailerBytes
        guard size >= least else {
            let reason = "the document has \(size) bytes, but a binary property list has at least \(least)"
            throw PropertyListError(reason: reason, at: .byte(offset: size))
        }
        var pages = try DocumentPages(input: input, range: 0..<size)
        guard try pages.word(at: 0) == 0x6270_6c69_7374_3030 else {
            let reason = "the document does not begin with bplist00; other versions of the format are not supported"
            throw PropertyListError(reason: reason, at: .byte(offset: 0))
        }
        let trailer = size - Self.trailerBytes
        func refusal(_ reason: String) -> PropertyListError {
            PropertyListError(
                reason: "the trailer \(reason); the document may have been truncated", at: .byte(offset: trailer))
        }
        offsetWidth = Int(try pages.integer(at: trailer + 6, width: 1))
        referenceWidth = Int(try pages.integer(at: trailer + 7, width: 1))
        let count = try pages.word(at: trailer + 8)
        let root = try pages.word(at: trailer + 16)
        let start = try pages.word(at: trailer + 24)

        for (width, name) in [(offsetWidth, "an offset"), (referenceWidth, "a reference")]
        where !(1...8).contains(width) {
            throw refusal("gives \(name) \(width) bytes, but it must be 1 to 8")
        }
        guard root < count else {
            throw refusal("names object \(root) as the root, but the document has \(count) objects")
        }
        guard start > Self.headerBytes, start < trailer, count <= (trailer - Int(start)) / offsetWidth else {
            throw refusal("puts the offset table of \(count) objects at byte \(start), where it does not fit")
        }
        objectCount = Int(count)
        self.root = Int(root)
        objects = Self.headerBytes..<Int(start)
        table = Int(start)..<Int(start) + objectCount * offsetWidth
    }
}

/// The limits on the expansion of a binary property list's shared objects. Without limits, 206 bytes can encode 2⁴⁰
/// values.
struct BinaryAllowance {
    /// The maximum number of values of all types, counted each time they appear.
    let values: Int
    /// The maximum number of bytes of texts, keys and data as stored in the document, counted each time they appear.
    let textBytes: Int

    /// Creates the allowance for a document of a given size. A real document with many shared objects stays far below
    /// the allowance.
    init(documentBytes: Int, limits: PropertyListLimits) {
        values = min(limits.values, Self.product(16, bytes: documentBytes, plus: 100_000))
        textBytes = Self.product(64, bytes: documentBytes, plus: 64 << 20)
    }

    private static func product(_ factor: Int, bytes: Int, plus constant: Int) -> Int {
        let (product, hasOverflown) = bytes.multipliedReportingOverflow(by: factor)
        return hasOverflown || product > Int.max - constant ? Int.max : product + constant
    }
}

public import Bytes

/// Writes a binary property list (`bplist00`) from events, or objects that are added to one.
///
/// A container is written after its contents, so no object is kept: only its number, until its container ends, and its
/// size, in a byte or two, for the offset table. Each short key is written once while a table has room for it.
public struct BinaryPropertyListWriter: PropertyListConsumer, ~Copyable {
    /// The document so far; it may be drained between events.
    public var output: ByteBuffer
    private(set) var sizes = BinaryObjectSizes()
    private(set) var numbers: BinaryObjectNumbers
    private var keys = BinaryKeyTable()
    private(set) var completeness = Completeness()
    private var open: [Container] = []
    /// The objects in the open containers so far; in a dictionary keys and values alternate.
    private(set) var references: [UInt32] = []
    /// The references to each object of the document that objects are added to; nil for a new document.
    var counts: BinaryReferenceCounts?
    private let referenceWidth: Int
    /// The objects for false and true, once they exist.
    private var falseObject: UInt32?
    private var trueObject: UInt32?

    private struct Container {
        let isDictionary: Bool
        /// Where the container's part of `references` begins.
        let start: Int
    }

    /// - Parameter output: the buffer to append the document to.
    public init(output: consuming ByteBuffer = ByteBuffer()) {
        self.output = output
        self.output.append(BinaryLayout.header)
        referenceWidth = 4
        numbers = BinaryObjectNumbers(unused: [], end: 0, referenceWidth: referenceWidth)
    }

    /// Creates a writer of objects that are added to a document.
    ///
    /// - Parameters:
    ///   - unused: the document's objects that are replaced first, in ascending order.
    ///   - counts: the references to each of its objects.
    init(addingTo layout: BinaryLayout, unused: [Int], _ counts: BinaryReferenceCounts) {
        output = ByteBuffer()
        referenceWidth = layout.referenceWidth
        numbers = BinaryObjectNumbers(
            unused: unused, end: layout.objectCount, referenceWidth: layout.referenceWidth)
        self.counts = counts
    }

    /// Ends the document: writes the offset table and the trailer.
    ///
    /// - Throws: `PropertyListError` unless exactly one value was written and all its containers were ended.
    public mutating func finish() throws(PropertyListError) {
        try completeness.check()
        let table = BinaryLayout.headerBytes + sizes.total
        let width = BinaryLayout.offsetWidth(upTo: table)
        sizes.appendOffsets(from: BinaryLayout.headerBytes, width: width, to: &output)
        output.append(
            BinaryLayout(
                offsetWidth: width, referenceWidth: referenceWidth, objectCount: sizes.count,
                root: Int(references.last ?? 0), table: table))
    }

    // MARK: Objects

    /// Assigns a number to the object just appended.
    ///
    /// - Parameter start: where in `output` it begins.
    private mutating func object(from start: Int) throws(PropertyListError) -> UInt32 {
        let number = try numbers.next()
        sizes.append(output.count - start)
        return number
    }

    /// Ends a value that has been appended.
    private mutating func value(from start: Int) throws(PropertyListError) {
        completeness.value()
        references.append(try object(from: start))
    }

    private mutating func begin(isDictionary: Bool) {
        completeness.value()
        completeness.begin()
        open.append(Container(isDictionary: isDictionary, start: references.count))
    }

    private mutating func end() throws(PropertyListError) {
        completeness.end()
        guard let container = open.popLast() else {
            throw PropertyListError("a container was ended that was never begun")
        }
        let start = output.count
        let held = references.count - container.start
        counts?.add(references[container.start...])
        output.reserve(16 + held * referenceWidth)
        if container.isDictionary {
            output.append(token: 0xD0, count: held / 2)
            append(references: stride(from: container.start, to: references.count, by: 2))
            append(references: stride(from: container.start + 1, to: references.count, by: 2))
        } else {
            output.append(token: 0xA0, count: held)
            append(references: stride(from: container.start, to: references.count, by: 1))
        }
        references.removeLast(held)
        references.append(try object(from: start))
    }

    private mutating func append(references indices: StrideTo<Int>) {
        for index in indices { output.append(bigEndian: UInt64(references[index]), width: referenceWidth) }
    }

    public mutating func beginDictionary(at position: SourcePosition) { begin(isDictionary: true) }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        if let known = keys.object(for: name) { return references.append(known) }
        let start = output.count
        output.append(binary: name)
        let number = try object(from: start)
        keys.keep(name, as: number)
        references.append(number)
    }

    /// Refers to an object of the document that objects are added to, as the key of the value that follows.
    package mutating func key(_ object: Int, named name: Span<UInt8>) {
        keys.keep(name, as: UInt32(truncatingIfNeeded: object))
        references.append(UInt32(truncatingIfNeeded: object))
    }

    /// Refers to an object of the document that objects are added to, as a value.
    package mutating func value(_ object: Int) {
        completeness.value()
        references.append(UInt32(truncatingIfNeeded: object))
    }

    public mutating func endDictionary() throws(PropertyListError) { try end() }

    public mutating func beginArray(at position: SourcePosition) { begin(isDictionary: false) }

    public mutating func endArray() throws(PropertyListError) { try end() }

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        let start = output.count
        output.append(binary: text)
        try value(from: start)
    }

    public mutating func integer(_ value: PropertyListInteger) throws(PropertyListError) {
        let start = output.count
        output.append(binary: value)
        try self.value(from: start)
    }

    public mutating func real(_ value: Double) throws(PropertyListError) {
        let start = output.count
        output.append(0x23)
        output.append(bigEndian: value.bitPattern, width: 8)
        try self.value(from: start)
    }

    public mutating func boolean(_ value: Bool) throws(PropertyListError) {
        if let known = value ? trueObject : falseObject {
            completeness.value()
            return references.append(known)
        }
        let start = output.count
        output.append(value ? 0x09 : 0x08)
        try self.value(from: start)
        if value { trueObject = references.last } else { falseObject = references.last }
    }

    public mutating func date(_ seconds: Double) throws(PropertyListError) {
        guard CivilDate.holds(seconds) else { throw CivilDate.outOfRange }
        let start = output.count
        output.append(0x33)
        output.append(bigEndian: seconds.bitPattern, width: 8)
        try value(from: start)
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        let start = output.count
        output.append(token: 0x40, count: bytes.count)
        output.append(bytes)
        try value(from: start)
    }

    public mutating func uid(_ value: UInt64) throws(PropertyListError) {
        let start = output.count
        let width = value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
        output.append(0x80 | UInt8(width - 1))
        output.append(bigEndian: value, width: width)
        try self.value(from: start)
    }
}

public import Bytes
import DrilldownDates

/// Writes a binary property list (`bplist00`) from events.
///
/// A container is written after its contents. The writer keeps the number of an object until the object's container
/// ends. It keeps the size of the object, usually in one or two bytes, for the offset table at the end. A short key is
/// not written again while the key table still holds the key.
public struct BinaryPropertyListWriter: PropertyListConsumer, ~Copyable {
    /// The document so far; it may be drained between events.
    public var output: ByteBuffer
    private var sizes = BinaryObjectSizes()
    private var keys = BinaryKeyTable()
    private var completeness = Completeness()
    private var open: [Container] = []
    /// The numbers of the objects in the open containers so far. In a dictionary, keys and values alternate.
    private var references: [UInt32] = []
    /// The objects for false and true; nil until they exist.
    private var falseObject: UInt32?
    private var trueObject: UInt32?

    private struct Container {
        let isDictionary: Bool
        /// The beginning of the container's part of `references`.
        let start: Int
    }

    private static var referenceWidth: Int { 4 }

    /// - Parameter output: the buffer to which the document is appended.
    public init(output: consuming ByteBuffer = ByteBuffer()) {
        self.output = output
        self.output.append(BinaryLayout.header)
    }

    /// Ends the document: writes the offset table and the trailer.
    ///
    /// - Throws: `PropertyListError` unless exactly one value was written and all its containers were ended.
    public mutating func finish() throws(PropertyListError) {
        try completeness.check()
        let table = BinaryLayout.headerBytes + sizes.total
        let width = [1, 2, 4].first { table < 1 << (8 * $0) } ?? 8
        sizes.appendOffsets(from: BinaryLayout.headerBytes, width: width, to: &output)
        output.append(bigEndian: 0, width: 6)
        output.append(bigEndian: UInt64(width), width: 1)
        output.append(bigEndian: UInt64(Self.referenceWidth), width: 1)
        output.append(bigEndian: UInt64(sizes.count), width: 8)
        output.append(bigEndian: UInt64(references.last ?? 0), width: 8)
        output.append(bigEndian: UInt64(table), width: 8)
        guard !output.isIncomplete, sizes.isComplete else { throw .outOfMemory }
    }

    /// Assigns a number to the object just appended.
    ///
    /// - Parameter start: the object's offset in `output`.
    private mutating func object(from start: Int) throws(PropertyListError) -> UInt32 {
        guard let number = UInt32(exactly: sizes.count) else {
            throw PropertyListError(reason: "a binary property list is limited to 4294967295 objects here")
        }
        sizes.append(output.count - start)
        return number
    }

    private mutating func value(from start: Int) throws(PropertyListError) {
        completeness.value()
        references.append(try object(from: start))
    }

    /// Appends a token with a count. If the count does not fit into the token, an integer with the count follows.
    private mutating func append(_ token: UInt8, count: Int) {
        if count < 15 { return output.append(token | UInt8(count)) }
        output.append(token | 0xF)
        append(integer: UInt64(count))
    }

    private mutating func append(integer value: UInt64) {
        let power = value < 1 << 8 ? 0 : value < 1 << 16 ? 1 : value < 1 << 32 ? 2 : 3
        output.append(0x10 | UInt8(power))
        output.append(bigEndian: value, width: 1 << power)
    }

    private mutating func append(text: Span<UInt8>) {
        if ByteScan.isASCII(text) {
            append(0x50, count: text.count)
            output.append(text)
        } else {
            let units = String(utf8: text).utf16
            append(0x60, count: units.count)
            for unit in units { output.append(bigEndian: UInt64(unit), width: 2) }
        }
    }

    private mutating func begin(isDictionary: Bool) {
        completeness.value()
        completeness.begin()
        open.append(Container(isDictionary: isDictionary, start: references.count))
    }

    private mutating func end() throws(PropertyListError) {
        completeness.end()
        guard let container = open.popLast() else {
            throw PropertyListError(reason: "the end of a container has no matching beginning")
        }
        let start = output.count
        let held = references.count - container.start
        output.reserve(16 + held * Self.referenceWidth)
        if container.isDictionary {
            append(0xD0, count: held / 2)
            append(references: stride(from: container.start, to: references.count, by: 2))
            append(references: stride(from: container.start + 1, to: references.count, by: 2))
        } else {
            append(0xA0, count: held)
            append(references: stride(from: container.start, to: references.count, by: 1))
        }
        references.removeLast(held)
        references.append(try object(from: start))
    }

    private mutating func append(references indices: StrideTo<Int>) {
        for index in indices { output.append(bigEndian: UInt64(references[index]), width: Self.referenceWidth) }
    }

    public mutating func beginDictionary(at position: SourcePosition) { begin(isDictionary: true) }

    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        if let known = keys.object(for: name) { return references.append(known) }
        let start = output.count
        append(text: name)
        let number = try object(from: start)
        keys.keep(name, as: number)
        references.append(number)
    }

    public mutating func endDictionary() throws(PropertyListError) { try end() }

    public mutating func beginArray(at position: SourcePosition) { begin(isDictionary: false) }

    public mutating func endArray() throws(PropertyListError) { try end() }

    public mutating func string(_ text: Span<UInt8>) throws(PropertyListError) {
        let start = output.count
        append(text: text)
        try value(from: start)
    }

    public mutating func scalar(_ value: PropertyListScalar) throws(PropertyListError) {
        if case .boolean(let value) = value, let known = value ? trueObject : falseObject {
            completeness.value()
            return references.append(known)
        }
        let start = output.count
        switch value {
        case .integer(let value): append(value)
        case .real(let value):
            output.append(0x23)
            output.append(bigEndian: value.bitPattern, width: 8)
        case .boolean(let value): output.append(value ? 0x09 : 0x08)
        case .date(let seconds):
            guard CivilDate.holds(seconds) else { throw CivilDate.outOfRange }
            output.append(0x33)
            output.append(bigEndian: seconds.bitPattern, width: 8)
        case .uid(let value):
            let width = value < 1 << 8 ? 1 : value < 1 << 16 ? 2 : value < 1 << 32 ? 4 : 8
            output.append(0x80 | UInt8(width - 1))
            output.append(bigEndian: value, width: width)
        }
        try self.value(from: start)
        if case .boolean(let value) = value {
            if value { trueObject = references.last } else { falseObject = references.last }
        }
    }

    private mutating func append(_ value: PropertyListInteger) {
        if value.isNegative {
            output.append(0x13)
            output.append(bigEndian: value.bits, width: 8)
        } else if value.bits >> 63 == 1 {
            // In eight bytes, the value would be read back as negative.
            output.append(0x14)
            output.append(bigEndian: 0, width: 8)
            output.append(bigEndian: value.bits, width: 8)
        } else {
            append(integer: value.bits)
        }
    }

    public mutating func data(_ bytes: Span<UInt8>) throws(PropertyListError) {
        let start = output.count
        append(0x40, count: bytes.count)
        output.append(bytes)
        try value(from: start)
    }
}

/// Maps dictionary keys to the objects that were written for them, in bounded memory.
///
/// A short key is stored only in the slot of its hash. A new key replaces the previous key in the slot.
@safe
struct BinaryKeyTable: ~Copyable {
    private static var slotCount: Int { 1_024 }
    private static var mostBytes: Int { 56 }

    private struct Slot {
        var object: UInt32 = 0
        /// The number of bytes of the key; `UInt32.max` for an empty slot.
        var count = UInt32.max
    }

    private var slots = [Slot](repeating: Slot(), count: slotCount)
    private var texts = ByteBuffer(capacity: slotCount * mostBytes)

    init() {
        for _ in 0..<Self.slotCount * Self.mostBytes / 8 { texts.append(littleEndian: 0) }
    }

    func object(for key: Span<UInt8>) -> UInt32? {
        let place = Self.place(of: key)
        guard Int(slots[place].count) == key.count else { return nil }
        let start = place * Self.mostBytes
        let kept = texts.span.extracting(start..<start + key.count)
        for index in key.indices where kept[index] != key[index] { return nil }
        return slots[place].object
    }

    mutating func keep(_ key: Span<UInt8>, as object: UInt32) {
        guard key.count <= Self.mostBytes else { return }
        let place = Self.place(of: key)
        slots[place] = Slot(object: object, count: UInt32(key.count))
        texts.replace(at: place * Self.mostBytes, with: key)
    }

    /// The slot of a key, from the hash of Fowler, Noll and Vo (FNV-1a), with the two halves of the hash combined.
    private static func place(of key: Span<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in key.indices { hash = (hash ^ UInt64(key[index])) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32) & (slotCount - 1)
    }
}

/// The sizes of a document's objects. The objects are contiguous, so their offsets need not be stored.
struct BinaryObjectSizes: ~Copyable {
    /// The sizes, each as LEB128.
    private var bytes = ByteBuffer()
    private(set) var count = 0
    private(set) var total = 0

    /// Whether there was memory for all sizes.
    var isComplete: Bool { !bytes.isIncomplete }

    mutating func append(_ size: Int) {
        count += 1
        total += size
        bytes.append(leb128: UInt64(size))
    }

    /// Appends the offset of each object.
    ///
    /// - Parameter start: the offset of the first object.
    func appendOffsets(from start: Int, width: Int, to output: inout ByteBuffer) {
        output.reserve(count * width)
        let bytes = bytes.span
        var (offset, place) = (start, 0)
        while place < bytes.count {
            output.append(bigEndian: UInt64(offset), width: width)
            offset += Int(bytes.leb128(at: &place))
        }
    }
}

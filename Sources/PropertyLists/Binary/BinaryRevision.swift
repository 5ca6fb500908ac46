package import Bytes

/// A binary property list that is made from an older one: the objects that stay keep their numbers, and are copied.
///
/// New objects take the numbers of objects that nothing refers to, or follow the last one. An object that nothing
/// refers to any more becomes an empty string, whose number the next revision can take. So objects are always in the
/// order of their numbers, and nothing of what was removed is left in the file.
package struct BinaryRevision: ~Copyable {
    private var decoder: BinaryDecoder
    private var writer: BinaryPropertyListWriter
    private var root: Int { Int(writer.references.last ?? 0) }
    /// The objects of the older document that are replaced or removed, in ascending order.
    private var changes: [Change] = []
    /// Where the objects that follow the last one begin among the new ones, and where their sizes are.
    private var following = (bytes: 0, sizes: 0)
    private var phase = Phase.objects(0)
    /// How far the older document has been copied or passed over.
    private var cursor = BinaryLayout.headerBytes
    /// How many bytes of the new document's objects have been given, with the header.
    private var written = 0

    private struct Change {
        let object: Int
        /// Its bytes among the new objects; nil for one that is removed.
        let new: Range<Int>?

        var size: Int { new?.count ?? 1 }
    }

    private enum Phase {
        /// The objects, from a change on.
        case objects(Int)
        case offsets(Offsets)
    }

    /// How far the offset table has been given.
    private struct Offsets {
        let layout: BinaryLayout
        var object = 0
        var change = 0
        /// How much further along the objects begin than in the older document.
        var shift = 0
        /// Where the changed object before this one ends; nil after one that is copied.
        var end: Int?
    }

    private static let pieceBytes = 1 << 20
    /// A longer run of bytes is copied by the caller.
    private static let longestRun = 1 << 16
    /// How many numbers may be unused, of how many: with more, the document is better written anew.
    private static let mostUnused = (least: 1_024, part: 4)

    /// - Parameters:
    ///   - objects: those of the older document.
    ///   - writer: the new objects; the value that was written, or referred to, last is the new document's root.
    /// - Throws: `PropertyListError` unless exactly one value was written, or if too few of the objects stay.
    package init(
        of objects: consuming BinaryObjects, _ writer: consuming BinaryPropertyListWriter
    ) throws(PropertyListError) {
        self.init(decoder: objects.decoder, writer: writer)
        try self.writer.completeness.check()
        var counts = self.writer.counts.take()
        counts?.add(root)
        let removed = try removed(&counts)
        let unused = self.writer.numbers.unusedCount + removed.count
        guard unused <= max(Self.mostUnused.least, decoder.layout.objectCount / Self.mostUnused.part) else {
            throw PropertyListError("\(unused) of its objects would be unused")
        }
        noteChanges(removed)
    }

    private init(decoder: consuming BinaryDecoder, writer: consuming BinaryPropertyListWriter) {
        self.decoder = decoder
        self.writer = writer
    }

    /// The objects that nothing refers to any more, in ascending order.
    private mutating func removed(_ counts: inout BinaryReferenceCounts?) throws(PropertyListError) -> [Int] {
        var removed: [Int] = []
        if counts?.remove(decoder.layout.root) == true { removed.append(decoder.layout.root) }
        var next = 0
        while next < removed.count {
            if let container = try decoder.container(removed[next]) {
                let width = decoder.layout.referenceWidth
                let first = container.isDictionary ? container.key : container.value
                for place in stride(from: first, to: container.value + container.left * width, by: width) {
                    let object = try decoder.reference(at: place)
                    if counts?.remove(object) == true { removed.append(object) }
                }
            }
            next += 1
        }
        return removed.sorted()
    }

    private mutating func noteChanges(_ removed: [Int]) {
        var removed = removed[...]
        for number in writer.numbers.replaced {
            while let object = removed.first, object < number {
                changes.append(Change(object: object, new: nil))
                removed.removeFirst()
            }
            let start = following.bytes
            following.bytes += writer.sizes.next(at: &following.sizes) ?? 0
            changes.append(Change(object: Int(number), new: start..<following.bytes))
        }
        changes += removed.map { Change(object: $0, new: nil) }
    }

    // MARK: Writing

    /// What follows in the new document.
    package enum Step {
        /// What has been appended to the output.
        case output
        /// The same, and then bytes of the older document.
        case copy(Range<Int>)
        /// The same, and then nothing more.
        case end
    }

    /// Appends about a megabyte of the document to an output.
    package mutating func next(_ output: inout ByteBuffer) throws(PropertyListError) -> Step {
        switch phase {
        case .objects(let first): try objects(from: first, to: &output)
        case .offsets(let offsets): try self.offsets(offsets, to: &output)
        }
    }

    private mutating func objects(from first: Int, to output: inout ByteBuffer) throws(PropertyListError) -> Step {
        if written == 0 {
            output.append(BinaryLayout.header)
            written = BinaryLayout.headerBytes
        }
        for index in first..<changes.count {
            phase = .objects(index)
            let change = changes[index]
            if let run = try copy(upTo: try offset(of: change.object), to: &output) { return .copy(run) }
            if output.count >= Self.pieceBytes { return .output }
            if let new = change.new { writer.output.copy(new, to: &output) } else { output.append(0x50) }
            written += change.size
            cursor = try offset(of: change.object + 1)
        }
        phase = .objects(changes.count)
        if let run = try copy(upTo: decoder.layout.objects.upperBound, to: &output) { return .copy(run) }
        writer.output.copy(following.bytes..<writer.output.count, to: &output)
        let table = written + writer.output.count - following.bytes
        let layout = BinaryLayout(
            offsetWidth: BinaryLayout.offsetWidth(upTo: table), referenceWidth: decoder.layout.referenceWidth,
            objectCount: writer.numbers.end, root: root, table: table)
        phase = .offsets(Offsets(layout: layout))
        return .output
    }

    /// Where an object begins; for the number after the last one, where the objects end.
    private mutating func offset(of object: Int) throws(PropertyListError) -> Int {
        guard object < decoder.layout.objectCount else { return decoder.layout.objects.upperBound }
        try decoder.locate(object)
        return decoder.position
    }

    /// Copies the older document up to a place, or returns what is to be copied if that is long.
    private mutating func copy(upTo end: Int, to output: inout ByteBuffer) throws(PropertyListError) -> Range<Int>? {
        let run = cursor..<max(end, cursor)
        written += run.count
        cursor = run.upperBound
        if run.count > Self.longestRun { return run }
        try decoder.objects.copy(at: run.lowerBound, count: run.count, to: &output)
        return nil
    }

    private mutating func offsets(
        _ offsets: consuming Offsets, to output: inout ByteBuffer
    ) throws(PropertyListError) -> Step {
        let width = offsets.layout.offsetWidth
        while offsets.object < decoder.layout.objectCount {
            if output.count >= Self.pieceBytes {
                phase = .offsets(offsets)
                return .output
            }
            let old = try offset(of: offsets.object)
            if let end = offsets.end.take() { offsets.shift = end - old }
            output.append(bigEndian: UInt64(old + offsets.shift), width: width)
            if offsets.change < changes.count, changes[offsets.change].object == offsets.object {
                offsets.end = old + offsets.shift + changes[offsets.change].size
                offsets.change += 1
            }
            offsets.object += 1
        }
        var (offset, sizes) = (written, following.sizes)
        while let size = writer.sizes.next(at: &sizes) {
            output.append(bigEndian: UInt64(offset), width: width)
            offset += size
        }
        output.append(offsets.layout)
        return .end
    }
}

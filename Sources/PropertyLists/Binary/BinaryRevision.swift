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
    /// The first new object whose number is after all old ones: where its bytes and its size are in the writer.
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
        /// Those that follow the older document's last one, from a byte of the writer's on.
        case following(Int)
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

    /// Finds what the new objects replace, and what nothing refers to any more.
    ///
    /// - Parameters:
    ///   - objects: those of the older document.
    ///   - writer: the new objects; the value that was written, or referred to, last is the new document's root.
    /// - Throws: `PropertyListError` unless exactly one value was written, or if too few of the objects stay.
    package init(
        of objects: consuming BinaryObjects, _ writer: consuming BinaryPropertyListWriter
    ) throws(PropertyListError) {
        let mostUnused = objects.mostUnused
        self.init(decoder: objects.decoder, writer: writer)
        try self.writer.completeness.check()
        var counts = self.writer.counts.take() ?? BinaryReferenceCounts(objectCount: 0)
        counts.add(root)
        let removed = counts.remove(decoder.layout.root) ? [decoder.layout.root] : []
        let left = self.writer.numbers.left
        try noteChanges(decoder.released(removed, most: mostUnused - left.count, from: &counts) + left)
    }

    private init(decoder: consuming BinaryDecoder, writer: consuming BinaryPropertyListWriter) {
        self.decoder = decoder
        self.writer = writer
    }

    /// Notes what is replaced, and what of the unused objects is to be removed.
    private mutating func noteChanges(_ unused: [Int]) throws(PropertyListError) {
        for number in writer.numbers.replaced {
            let start = following.bytes
            following.bytes += writer.sizes.next(at: &following.sizes) ?? 0
            changes.append(Change(object: number, new: start..<following.bytes))
        }
        for object in unused {
            let start = try offset(of: object)
            if try offset(of: object + 1) - start > 1 { changes.append(Change(object: object, new: nil)) }
        }
        changes.sort { $0.object < $1.object }
    }

    // MARK: Writing

    /// What is to be done with the output before `next` is called again.
    package enum Step {
        /// Send it.
        case send
        /// Send it, and then these bytes of the older document.
        case sendAndCopy(Range<Int>)
        /// Send it; the document is complete.
        case finish
    }

    /// Appends about a megabyte of the document to an output.
    package mutating func next(_ output: inout ByteBuffer) throws(PropertyListError) -> Step {
        switch phase {
        case .objects(let first): try objects(from: first, to: &output)
        case .following(let start): following(from: start, to: &output)
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
            if let run = try copy(upTo: try offset(of: change.object), to: &output) { return .sendAndCopy(run) }
            if output.count >= Self.pieceBytes { return .send }
            if let new = change.new { writer.output.copy(new, to: &output) } else { output.append(0x50) }
            written += change.size
            cursor = try offset(of: change.object + 1)
        }
        phase = .objects(changes.count)
        if let run = try copy(upTo: decoder.layout.objects.upperBound, to: &output) { return .sendAndCopy(run) }
        phase = .following(following.bytes)
        return .send
    }

    private mutating func following(from start: Int, to output: inout ByteBuffer) -> Step {
        let end = min(start + Self.pieceBytes, writer.output.count)
        writer.output.copy(start..<end, to: &output)
        phase = .following(end)
        guard end == writer.output.count else { return .send }
        let table = written + writer.output.count - following.bytes
        let layout = BinaryLayout(
            offsetWidth: BinaryLayout.offsetWidth(upTo: table), referenceWidth: decoder.layout.referenceWidth,
            objectCount: writer.numbers.end, root: root, table: table)
        phase = .offsets(Offsets(layout: layout))
        return .send
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
                return .send
            }
            let old = try offset(of: offsets.object)
            if let end = offsets.end.take() { offsets.shift = end - old }
            // The table is read again here; somebody else may have written to the file meanwhile.
            guard let new = UInt64(exactly: old + offsets.shift) else { throw .notWhatWasRead }
            output.append(bigEndian: new, width: width)
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
        return .finish
    }
}

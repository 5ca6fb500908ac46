/// The objects of a document by their numbers, and what refers to them.
extension BinaryDecoder {
    /// Counts the references to each object, also those from containers that nothing refers to.
    ///
    /// - Throws: `PropertyListError` unless the objects follow each other in the order of their numbers, as the known
    ///   writers store them: then no object overlaps another.
    /// - Complexity: O(file); each page is read once.
    mutating func referenceCounts() throws(PropertyListError) -> BinaryReferenceCounts {
        guard layout.objectCount <= Int(UInt32.max) else { throw refusal("the document has too many objects") }
        var counts = BinaryReferenceCounts(objectCount: layout.objectCount)
        counts.add(layout.root)
        var end = layout.objects.lowerBound
        for object in 0..<layout.objectCount {
            try locate(object)
            guard position >= end else { throw refusal("object \(object) begins before object \(object - 1) ends") }
            end = try endAfterCounting(object, in: &counts)
        }
        return counts
    }

    /// Counts the references of the object at the position; returns where it ends.
    @inline(__always)
    private mutating func endAfterCounting(
        _ object: Int, in counts: inout BinaryReferenceCounts
    ) throws(PropertyListError) -> Int {
        let token = UInt8(truncatingIfNeeded: try objects.word(at: position) >> 56)
        switch token >> 4 {
        case 0x4, 0x5:
            let (start, count) = try extent(token, unit: 1)
            return start &+ count
        case 0x6:
            let (start, count) = try extent(token, unit: 2)
            return start &+ 2 &* count
        case 0xA, 0xD:
            counts.noteContainer(object)
            let width = layout.referenceWidth
            let unit = token >> 4 == 0xD ? 2 &* width : width
            let (start, count) = try extent(token, unit: unit)
            let end = start &+ count &* unit
            for place in stride(from: start, to: end, by: width) { counts.add(try reference(at: place)) }
            return end
        case 0x1, 0x2: return position &+ 1 &+ 1 &<< Int(min(token & 0xF, 4))
        case 0x3: return position &+ 9
        case 0x8: return position &+ 2 &+ Int(token & 0xF)
        default: return position &+ 1
        }
    }

    /// Adds to unused objects those that only they refer to, and takes the references of all of them away.
    ///
    /// - Parameters:
    ///   - unused: objects without a reference.
    ///   - most: how many unused objects there may be.
    /// - Returns: all unused objects, in ascending order.
    /// - Throws: `PropertyListError` if there are more than `most`.
    mutating func released(
        _ unused: [Int], most: Int, from counts: inout BinaryReferenceCounts
    ) throws(PropertyListError) -> [Int] {
        var released = unused
        var next = 0
        while next < released.count {
            guard released.count <= most else { throw refusal("more than \(most) of the objects would be unused") }
            if let container = try container(released[next]) {
                let width = layout.referenceWidth
                let first = container.isDictionary ? container.key : container.value
                for place in stride(from: first, to: container.value + container.left * width, by: width) {
                    let object = try reference(at: place)
                    if counts.remove(object) { released.append(object) }
                }
            }
            next += 1
        }
        return released.sorted()
    }

    /// Reads a container; nil for another object.
    mutating func container(_ object: Int) throws(PropertyListError) -> Container? {
        try locate(object)
        let token = UInt8(truncatingIfNeeded: try objects.integer(at: position, width: 1))
        guard token >> 4 == 0xA || token >> 4 == 0xD else { return nil }
        _ = try read(object)
        defer { current = outer.popLast() ?? .outside }
        return current
    }

    /// Reads a reference of a container.
    @inline(__always)
    mutating func reference(at place: Int) throws(PropertyListError) -> Int {
        let object = Int(truncatingIfNeeded: try objects.integer(at: place, width: layout.referenceWidth))
        guard UInt(bitPattern: object) < UInt(bitPattern: layout.objectCount) else { throw unknownObject(object) }
        return object
    }
}

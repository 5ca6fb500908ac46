/// The objects of a document in the order of their numbers, and what refers to them.
extension BinaryDecoder {
    /// Counts the references to each object, of containers that nothing refers to as well.
    ///
    /// - Throws: `PropertyListError` unless the objects follow each other in the order of their numbers, as writers
    ///   store them: then no object overlaps another.
    /// - Complexity: O(file); each page is read once.
    mutating func referenceCounts() throws(PropertyListError) -> BinaryReferenceCounts {
        guard layout.objectCount <= Int(UInt32.max) else { throw refusal("the document has too many objects") }
        var counts = BinaryReferenceCounts(objectCount: layout.objectCount)
        counts.add(layout.root)
        var end = layout.objects.lowerBound
        for object in 0..<layout.objectCount {
            try locate(object)
            guard position >= end else { throw refusal("object \(object) begins before object \(object - 1) ends") }
            end = try countReferences(to: &counts)
        }
        return counts
    }

    /// Counts the references of the object at the position; returns where it ends.
    @inline(__always)
    private mutating func countReferences(
        to counts: inout BinaryReferenceCounts
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
            let width = layout.referenceWidth
            let unit = token >> 4 == 0xD ? 2 &* width : width
            let (start, count) = try extent(token, unit: unit)
            let end = start &+ count &* unit
            for place in stride(from: start, to: end, by: width) {
                let object = Int(truncatingIfNeeded: try objects.integer(at: place, width: width))
                guard UInt(bitPattern: object) < UInt(bitPattern: layout.objectCount) else {
                    throw unknownObject(object)
                }
                counts.add(object)
            }
            return end
        case 0x1, 0x2: return position &+ 1 &+ 1 &<< Int(min(token & 0xF, 4))
        case 0x3: return position &+ 9
        case 0x8: return position &+ 2 &+ Int(token & 0xF)
        default: return position &+ 1
        }
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
    mutating func reference(at place: Int) throws(PropertyListError) -> Int {
        let object = Int(truncatingIfNeeded: try objects.integer(at: place, width: layout.referenceWidth))
        guard UInt(bitPattern: object) < UInt(bitPattern: layout.objectCount) else { throw unknownObject(object) }
        return object
    }
}

/// How many references there are to each object of a binary property list, up to 255.
struct BinaryReferenceCounts {
    /// A count of 255 stays: it may be higher.
    private var counts: [UInt8]

    init(objectCount: Int) { counts = [UInt8](repeating: 0, count: objectCount) }

    /// The objects that nothing refers to, in ascending order.
    var unused: [UInt32] {
        var unused: [UInt32] = []
        for (object, count) in counts.enumerated() where count == 0 { unused.append(UInt32(object)) }
        return unused
    }

    /// Counts a reference; one to an object that is new is ignored.
    @inline(__always)
    mutating func add(_ object: Int) {
        if object < counts.count, counts[object] < .max { counts[object] += 1 }
    }

    mutating func add(_ objects: ArraySlice<UInt32>) { for object in objects { add(Int(object)) } }

    /// Counts a reference less.
    ///
    /// - Returns: whether it was the last one.
    mutating func remove(_ object: Int) -> Bool {
        guard object < counts.count, 1..<UInt8.max ~= counts[object] else { return false }
        counts[object] -= 1
        return counts[object] == 0
    }
}

/// The numbers of the objects that are added to a binary property list: those of unused objects, then new ones.
struct BinaryObjectNumbers {
    private let unused: [UInt32]
    /// The first number that no object has.
    private(set) var end: Int
    private let most: Int
    /// How many of the unused numbers have been taken.
    private var taken = 0

    /// - Parameters:
    ///   - unused: in ascending order.
    ///   - end: the number of objects.
    ///   - referenceWidth: the bytes of a reference, which limit the numbers.
    init(unused: [UInt32], end: Int, referenceWidth: Int) {
        self.unused = unused
        self.end = end
        most = 1 << (8 * min(referenceWidth, 4))
    }

    /// The numbers that were unused and have been taken.
    var replaced: ArraySlice<UInt32> { unused[..<taken] }
    /// How many numbers are still unused.
    var unusedCount: Int { unused.count - taken }

    /// The next number; they ascend.
    @inline(__always)
    mutating func next() throws(PropertyListError) -> UInt32 {
        if taken < unused.count {
            taken += 1
            return unused[taken - 1]
        }
        guard end < most else { throw Self.exhausted(most) }
        end += 1
        return UInt32(end - 1)
    }

    @inline(never)
    private static func exhausted(_ most: Int) -> PropertyListError {
        PropertyListError("the references of this binary property list are limited to \(most) objects")
    }
}

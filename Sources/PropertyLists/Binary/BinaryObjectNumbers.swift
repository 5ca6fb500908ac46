/// The numbers of the objects that are added to a binary property list: those of unused objects, then new ones.
struct BinaryObjectNumbers {
    private let unused: [Int]
    /// The first number that no object has.
    private(set) var end: Int
    /// The first number that is too high for a reference.
    private let most: Int
    /// How many of the unused numbers have been taken.
    private var taken = 0

    /// - Parameters:
    ///   - unused: in ascending order.
    ///   - end: the number of objects.
    ///   - referenceWidth: the bytes of a reference, which limit the numbers.
    init(unused: [Int], end: Int, referenceWidth: Int) {
        self.unused = unused
        self.end = end
        most = 1 << (8 * min(referenceWidth, 4))
    }

    /// The numbers that were unused and have been taken.
    var replaced: ArraySlice<Int> { unused[..<taken] }
    /// The numbers that are still unused.
    var left: ArraySlice<Int> { unused[taken...] }

    /// The next number; they ascend.
    @inline(__always)
    mutating func next() throws(PropertyListError) -> UInt32 {
        let number = taken < unused.count ? unused[taken] : end
        guard number < most else { throw Self.exhausted(most) }
        if taken < unused.count { taken += 1 } else { end += 1 }
        return UInt32(truncatingIfNeeded: number)
    }

    @inline(never)
    private static func exhausted(_ most: Int) -> PropertyListError {
        PropertyListError("the references of this binary property list are limited to \(most) objects")
    }
}

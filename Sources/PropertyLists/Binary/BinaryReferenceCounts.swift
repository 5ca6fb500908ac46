/// How many references there are to each object of a binary property list, and which objects are containers.
struct BinaryReferenceCounts {
    /// A count in the lower bits; the highest bit tells that the object is a container.
    private var counts: [UInt32]

    private static let container: UInt32 = 1 << 31
    /// A count as high as this stays, because it may be higher.
    private static let most: UInt32 = container - 1

    init(objectCount: Int) { counts = [UInt32](repeating: 0, count: objectCount) }

    /// The objects without a reference, in ascending order.
    var unused: [Int] { counts.indices.filter { counts[$0] & Self.most == 0 } }

    /// Whether one container has several references, so that it is in the document more than once.
    var hasSharedContainer: Bool { counts.contains { $0 > Self.container + 1 } }

    @inline(__always)
    mutating func noteContainer(_ object: Int) { counts[object] |= Self.container }

    /// Counts a reference; one to an object that is new is ignored.
    @inline(__always)
    mutating func add(_ object: Int) {
        if object < counts.count, counts[object] & Self.most < Self.most { counts[object] += 1 }
    }

    mutating func add(_ objects: ArraySlice<UInt32>) { for object in objects { add(Int(object)) } }

    /// Takes one reference away.
    ///
    /// - Returns: whether it was the last one.
    mutating func remove(_ object: Int) -> Bool {
        guard object < counts.count, 1..<Self.most ~= counts[object] & Self.most else { return false }
        counts[object] -= 1
        return counts[object] & Self.most == 0
    }
}

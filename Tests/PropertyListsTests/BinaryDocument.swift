/// Makes binary property lists object by object, right ones and wrong ones.
struct BinaryDocument {
    var objects: [[UInt8]]
    var root: UInt64 = 0
    /// Values of the trailer that replace the true ones.
    var objectCount: UInt64?
    var tableOffset: UInt64?
    var offsetWidth: UInt8 = 2
    var referenceWidth: UInt8 = 1
    /// Entries of the offset table that replace the true ones.
    var offsets: [Int: UInt64] = [:]

    /// A document whose root is the first object.
    init(_ objects: [UInt8]...) { self.objects = objects }

    /// The document, as the format has it.
    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for (number, object) in objects.enumerated() {
            table += Self.bigEndian(offsets[number] ?? UInt64(bytes.count), width: Int(offsetWidth))
            bytes += object
        }
        let tableOffset = tableOffset ?? UInt64(bytes.count)
        bytes += table + [0, 0, 0, 0, 0, 0, offsetWidth, referenceWidth]
        for word in [objectCount ?? UInt64(objects.count), root, tableOffset] {
            bytes += Self.bigEndian(word, width: 8)
        }
        return bytes
    }

    /// The same with some of the trailer changed.
    func with(_ change: (inout BinaryDocument) -> Void) -> BinaryDocument {
        var changed = self
        change(&changed)
        return changed
    }

    static func bigEndian(_ word: UInt64, width: Int) -> [UInt8] {
        (0..<width).map { place in
            let shift = 8 * (width - 1 - place)
            return shift < 64 ? UInt8(truncatingIfNeeded: word >> UInt64(shift)) : 0
        }
    }
}

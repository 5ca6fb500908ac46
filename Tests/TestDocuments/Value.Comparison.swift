extension Value {
    /// Where two values first differ, bit for bit, and in what; nil where they are the same.
    ///
    /// `==` takes texts for equal that are only canonically so, and `nan` for unequal to itself.
    func difference(from other: Value) -> String? {
        switch (self, other) {
        case (.string(let one), .string(let two)) where one.utf8.elementsEqual(two.utf8): return nil
        case (.real(let one), .real(let two)) where one.bitPattern == two.bitPattern: return nil
        case (.date(let one), .date(let two)) where one.bitPattern == two.bitPattern: return nil
        case (.array(let one), .array(let two)) where one.count == two.count:
            for index in one.indices {
                if let found = one[index].difference(from: two[index]) { return "\(index)/\(found)" }
            }
            return nil
        case (.dictionary(let one), .dictionary(let two)) where one.count == two.count:
            for (one, two) in zip(one, two) {
                guard one.key.utf8.elementsEqual(two.key.utf8) else {
                    return "key \(one.key.debugDescription), not \(two.key.debugDescription)"
                }
                if let found = one.value.difference(from: two.value) { return "\(one.key)/\(found)" }
            }
            return nil
        case (.integer, .integer) where self == other, (.boolean, .boolean) where self == other: return nil
        case (.data, .data) where self == other, (.uid, .uid) where self == other: return nil
        default: return "\(self), not \(other)"
        }
    }

    /// The value as every reader of dictionaries has it: the last of each key, and no order of entries.
    var canonical: Value {
        switch self {
        case .array(let values): return .array(values.map(\.canonical))
        case .dictionary(let entries):
            var last: [[UInt8]: Value] = [:]
            for entry in entries { last[Array(entry.key.utf8)] = entry.value.canonical }
            let sorted = last.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            return .dictionary(sorted.map { Value.Entry(String(decoding: $0.key, as: UTF8.self), $0.value) })
        default: return self
        }
    }
}

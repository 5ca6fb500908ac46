internal import PropertyLists

/// Tells the role of a dictionary key, with a small memory, since the same few names come a million times over.
struct RoleTable {
    struct Meaning: Equatable {
        var role: StructuralNames.Role?
        /// The place of the name among those of its role; a smaller one is stronger.
        var rank = 0
        /// The structural name that this one is a slip away from.
        var nearMiss: String?
    }

    private var remembered: [(name: [UInt8], meaning: Meaning)] = Array(repeating: ([], Meaning()), count: 64)
    private let known: [(name: [UInt8], meaning: Meaning)]

    init(_ names: StructuralNames) {
        known = StructuralNames.Role.allCases.flatMap { role in
            names[role].enumerated().map { (Array($1.utf8), Meaning(role: role, rank: $0)) }
        }
    }

    /// The meaning of a key.
    @inline(__always)
    mutating func meaning(of name: Span<UInt8>) -> Meaning {
        guard name.count > 0 else { return Meaning() }
        let slot = (name.count &* 7 &+ Int(name[0]) &* 3 &+ Int(name[name.count - 1])) & 63
        let candidate = remembered[slot].name
        if candidate.span.isEqual(to: name) { return remembered[slot].meaning }
        return look(up: name, slot: slot)
    }

    private mutating func look(up name: Span<UInt8>, slot: Int) -> Meaning {
        var meaning = Meaning()
        if let entry = known.first(where: { $0.name.span.isEqual(to: name) }) {
            meaning = entry.meaning
        } else if name.count <= 32 {
            let text = String(utf8: name)
            meaning.nearMiss = known.lazy.map { String(utf8: $0.name.span) }.first { EditDistance.isOneSlip(text, $0) }
        }
        if name.count <= 64 { remembered[slot] = (Array(copying: name), meaning) }
        return meaning
    }
}

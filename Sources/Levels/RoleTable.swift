internal import PropertyLists

/// Tells the role of a dictionary key, with a small memory, since the same few names come a million times over.
struct RoleTable {
    struct Meaning {
        var role: StructuralNames.Role?
        /// The place of the name among those of its role; a smaller one is stronger.
        var rank = 0
        /// Whether the name is one slip away from a structural one.
        var isNearMiss = false
    }

    /// The names last looked up, `nameBytes` each, in slots that their length and ends choose.
    private var rememberedNames = [UInt8](repeating: 0, count: slotCount * nameBytes)
    private var remembered = [(length: Int, meaning: Meaning)](repeating: (-1, Meaning()), count: slotCount)
    private let known: [(name: String, meaning: Meaning)]

    private static let slotCount = 64
    private static let nameBytes = 32

    init(_ names: StructuralNames) {
        known = StructuralNames.Role.allCases.flatMap { role in
            names[role].enumerated().map { ($1, Meaning(role: role, rank: $0)) }
        }
    }

    /// The meaning of a key.
    @inline(__always)
    mutating func meaning(of name: Span<UInt8>) -> Meaning {
        guard name.count > 0 else { return Meaning() }
        let slot = (name.count &* 7 &+ Int(name[0]) &* 3 &+ Int(name[name.count - 1])) & (Self.slotCount - 1)
        if remembered[slot].length == name.count, isRemembered(name, in: slot) { return remembered[slot].meaning }
        return look(up: name, slot: slot)
    }

    @inline(__always)
    private func isRemembered(_ name: Span<UInt8>, in slot: Int) -> Bool {
        for index in name.indices where rememberedNames[slot &* Self.nameBytes &+ index] != name[index] { return false }
        return true
    }

    private mutating func look(up name: Span<UInt8>, slot: Int) -> Meaning {
        guard name.count <= Self.nameBytes else {
            return known.first { $0.name == String(utf8: name) }?.meaning ?? Meaning()
        }
        let text = String(utf8: name)
        var meaning = known.first { $0.name == text }?.meaning ?? Meaning()
        meaning.isNearMiss = meaning.role == nil && nearMiss(of: name) != nil
        for index in name.indices { rememberedNames[slot * Self.nameBytes + index] = name[index] }
        remembered[slot] = (name.count, meaning)
        return meaning
    }

    /// The structural name that a key is one slip away from.
    func nearMiss(of name: Span<UInt8>) -> String? {
        let text = String(utf8: name)
        return known.first { EditDistance.isOneSlip(text, $0.name) }?.name
    }
}

internal import Bytes

/// Looks up the role of a dictionary key, with a small cache, because the same few names occur millions of times.
struct RoleTable {
    struct Meaning {
        var role: StructuralNames.Role?
        /// The place of the name among those of its role; a smaller one is stronger.
        var rank = 0
        /// Whether the name is one typing error away from a structural one.
        var isNearMiss = false
        /// Whether the name is, regardless of case, one typing error away from one whose value is a list.
        var isNearList = false
    }

    private struct Known {
        let name: String
        let meaning: Meaning
        let letters: Letters
    }

    /// The names last looked up, `nameBytes` each, in slots that their length and ends choose.
    private var rememberedNames = [UInt8](repeating: 0, count: slotCount * nameBytes)
    private var remembered = [(length: Int, meaning: Meaning)](repeating: (-1, Meaning()), count: slotCount)
    private let known: [Known]

    private static let slotCount = 64
    private static let nameBytes = 32

    /// - Parameters:
    ///   - roles: the roles that are valid where the keys occur.
    ///   - others: additional names that are valid there, without a role.
    init(
        _ names: StructuralNames, of roles: [StructuralNames.Role] = StructuralNames.Role.allCases,
        others: [String] = []
    ) {
        let structural = roles.flatMap { role in
            names[role].enumerated().map { ($1, Meaning(role: role, rank: $0)) }
        }
        known = (structural + others.map { ($0, Meaning()) }).map { name, meaning in
            Known(name: name, meaning: meaning, letters: Letters(of: name))
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

    /// The meaning of a key that is among other bytes.
    mutating func meaning(of name: Range<Int>, in bytes: borrowing ByteBuffer) -> Meaning {
        meaning(of: bytes.span.extracting(name))
    }

    @inline(__always)
    private func isRemembered(_ name: Span<UInt8>, in slot: Int) -> Bool {
        for index in name.indices where rememberedNames[slot &* Self.nameBytes &+ index] != name[index] { return false }
        return true
    }

    private mutating func look(up name: Span<UInt8>, slot: Int) -> Meaning {
        let meaning = meaning(of: String(utf8: name))
        guard name.count <= Self.nameBytes else { return meaning }
        for index in name.indices { rememberedNames[slot * Self.nameBytes + index] = name[index] }
        remembered[slot] = (name.count, meaning)
        return meaning
    }

    private func meaning(of name: String) -> Meaning {
        if let exact = known.first(where: { $0.name == name }) { return exact.meaning }
        var meaning = Meaning()
        let letters = Letters(of: name)
        for candidate in known where letters.isNear(candidate.letters) {
            if EditDistance.isOneSlip(name, candidate.name) { meaning.isNearMiss = true }
            guard let role = candidate.meaning.role, StructuralNames.Role.lists.contains(role) else { continue }
            if EditDistance.isOneSlip(name, candidate.name, ignoringCase: true) { meaning.isNearList = true }
        }
        return meaning
    }

    /// The structural name that a key is one typing error away from.
    func nearMiss(of name: Span<UInt8>) -> String? {
        let text = String(utf8: name)
        return known.first { EditDistance.isOneSlip(text, $0.name) }?.name
    }
}

/// The set of letters of a word, regardless of case: distinguishes most words faster than their edit distance.
private struct Letters {
    private var bits: UInt32 = 0

    init(of word: String) {
        for byte in word.utf8 {
            let letter = byte | 0x20
            bits |= 1 << (letter >= 0x61 && letter <= 0x7A && byte < 0x80 ? UInt32(letter - 0x61) : 26)
        }
    }

    /// Whether one slip, which takes one letter out and puts one in at most, could make one word of the other.
    func isNear(_ other: Letters) -> Bool { (bits ^ other.bits).nonzeroBitCount <= 2 }
}

internal import Bytes
internal import Locking
internal import PropertyLists

/// Looks up the slot of a dictionary key, with a small cache, because a few names occur millions of times.
struct SlotTable {

    private struct Known {
        let name: String
        let meaning: KeyMeaning
        let letters: Letters
    }

    /// The names of recent look-ups, with `nameBytes` bytes for each. The length, the first byte and the last byte of a
    /// name determine its place.
    private var rememberedNames = [UInt8](repeating: 0, count: placeCount * nameBytes)
    private var remembered = [(length: Int, meaning: KeyMeaning)](repeating: (-1, KeyMeaning()), count: placeCount)
    private let known: [Known]
    /// The slots and their names by number. A number without a slot has the slot `none`.
    private var slots = [Slot](repeating: .none, count: SlotNumber.count)
    private var names = [[String]](repeating: [], count: SlotNumber.count)

    private static let placeCount = 64
    private static let nameBytes = 32

    init(slots: [Slot], names structure: StructuralNames) {
        known = slots.flatMap { slot in
            slot.names(in: structure).enumerated().map { rank, name in
                Known(
                    name: name, meaning: KeyMeaning(rank: UInt32(rank), slot: slot.number), letters: Letters(of: name))
            }
        }
        for slot in slots {
            self.slots[Int(slot.number.rawValue)] = slot
            names[Int(slot.number.rawValue)] = slot.names(in: structure)
        }
    }

    // MARK: Slots by number

    @inline(__always)
    subscript(slot: SlotNumber) -> Slot { slots[Int(slot.rawValue)] }

    /// The names of a slot in the document, the strongest first.
    func names(of slot: SlotNumber) -> [String] { names[Int(slot.rawValue)] }

    // MARK: Slots by name

    @inline(__always)
    mutating func meaning(of name: Span<UInt8>) -> KeyMeaning {
        guard name.count > 0 else { return KeyMeaning() }
        let place = (name.count &* 7 &+ Int(name[0]) &* 3 &+ Int(name[name.count - 1])) & (Self.placeCount - 1)
        if remembered[place].length == name.count, isRemembered(name, in: place) { return remembered[place].meaning }
        return look(up: name, place: place)
    }

    @inline(__always)
    private func isRemembered(_ name: Span<UInt8>, in place: Int) -> Bool {
        for index in name.indices where rememberedNames[place &* Self.nameBytes &+ index] != name[index] {
            return false
        }
        return true
    }

    private mutating func look(up name: Span<UInt8>, place: Int) -> KeyMeaning {
        let meaning = meaning(of: String(utf8: name))
        guard name.count <= Self.nameBytes else { return meaning }
        for index in name.indices { rememberedNames[place * Self.nameBytes + index] = name[index] }
        remembered[place] = (name.count, meaning)
        return meaning
    }

    private func meaning(of name: String) -> KeyMeaning {
        if let exact = known.first(where: { $0.name == name }) { return exact.meaning }
        var meaning = KeyMeaning()
        let letters = Letters(of: name)
        for candidate in known where letters.isNear(candidate.letters) {
            guard !self[candidate.meaning.slot].isCommonName else { continue }
            if EditDistance.isOneSlip(name, candidate.name) { meaning.isNearMiss = true }
            guard self[candidate.meaning.slot].isList else { continue }
            if EditDistance.isOneSlip(name, candidate.name, ignoringCase: true) { meaning.isNearList = true }
        }
        return meaning
    }

    /// The name of a list that is one typing error away from a key, regardless of case; otherwise nil.
    func nearList(of name: String) -> String? {
        known.first {
            self[$0.meaning.slot].isList && EditDistance.isOneSlip(name, $0.name, ignoringCase: true)
        }?.name
    }

    /// The structural name that is one typing error away from a key; otherwise nil.
    func nearMiss(of name: Span<UInt8>) -> String? {
        let text = String(utf8: name)
        return known.first { !self[$0.meaning.slot].isCommonName && EditDistance.isOneSlip(text, $0.name) }?.name
    }
}

/// The set of a word's letters, regardless of case. Comparing sets rules out most words faster than computing the edit
/// distance.
private struct Letters {
    private var bits: UInt32 = 0

    init(of word: String) {
        for byte in word.utf8 {
            let letter = byte | 0x20
            bits |= 1 << (letter >= 0x61 && letter <= 0x7A && byte < 0x80 ? UInt32(letter - 0x61) : 26)
        }
    }

    /// Whether one typing error could turn one word into the other. A typing error removes at most one letter and adds
    /// at most one.
    func isNear(_ other: Letters) -> Bool { (bits ^ other.bits).nonzeroBitCount <= 2 }
}

extension SlotTable {
    /// The tables for the default slots.
    private struct OfItems: Sendable {
        let names: StructuralNames
        let items, sections: SlotTable
    }

    /// The tables that were made last. An edit builds single items; making the tables again would take a quarter of the
    /// edit's time.
    private static let latest = Guarded<OfItems?>(nil)

    /// Returns the table for items and the table for their sections. If `slots` is nil, items have the default slots.
    static func forItems(_ slots: [Slot]?, names: StructuralNames) -> (items: SlotTable, sections: SlotTable) {
        if let slots { return (SlotTable(slots: slots, names: names), SlotTable(slots: Slot.ofSections, names: names)) }
        if let known = latest.withLock({ $0 }), known.names == names { return (known.items, known.sections) }
        let made = OfItems(
            names: names, items: SlotTable(slots: Slot.ofItems, names: names),
            sections: SlotTable(slots: Slot.ofSections, names: names))
        latest.withLock { $0 = made }
        return (made.items, made.sections)
    }
}

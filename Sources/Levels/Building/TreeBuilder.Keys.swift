import Bytes
public import PropertyLists

/// Keys, and what they say of the value to come.
extension TreeBuilder {
    public mutating func key(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        tree.note(name)
        switch kind {
        case .item: try itemKey(name, at: position)
        case .section: try sectionKey(name, at: position)
        case .namedSections: frames[frames.count - 1].list?.name = String(utf8: name)
        default:
            let base = frames[frames.count - 1].base.field
            if let earlier = tree.fields.begin(name, meaning: .init(), base: base, at: position) {
                warnAboutRepeatedKey(name, at: position, after: earlier)
            }
        }
    }

    private mutating func itemKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let meaning = itemSlots.meaning(of: name)
        let earlier = tree.fields.begin(
            name, meaning: meaning, base: frames[frames.count - 1].base.field, at: position)
        if let earlier { warnAboutRepeatedKey(name, at: position, after: earlier) }
        if meaning.slot != 0 {
            try fill(meaning, itemSlots.rule(of: meaning.slot), isRepeated: earlier != nil)
        } else {
            expected = .anything
            if meaning.isNearMiss { warnAboutNearMiss(name, in: itemSlots, at: position) }
        }
    }

    private mutating func sectionKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let meaning = sectionSlots.meaning(of: name)
        tree.fields.begin(name, meaning: meaning, at: position)
        expected = .anything
        if meaning.slot != 0 {
            let rule = sectionSlots.rule(of: meaning.slot)
            if rule.holdsLevel, frames.last?.list?.claimRows() == false { throw secondRows }
            expected = rule.value
        } else if meaning.isNearMiss {
            warnAboutNearMiss(name, in: sectionSlots, at: position)
        }
    }

    /// Notes that an item's last field fills a slot, and expects the value that the slot takes.
    private mutating func fill(
        _ meaning: SlotTable.Meaning, _ rule: SlotTable.Rule, isRepeated: Bool
    ) throws(PropertyListError) {
        if rule.holdsLevel {
            guard items.levelSlot == 0 || isRepeated else { throw secondLevel }
            items.claimLevel(meaning.slot)
        }
        let isStrongest = items.field(meaning.slot).map { meaning.rank <= tree.fields.start($0).meaning.rank } ?? true
        if isStrongest { items.fill(meaning.slot, with: tree.fields.count - 1) }
        expected = rule.check.applies(to: meaning, isStrongest: isStrongest) ? rule.value : .anything
        if rule.isNoted { noteStructure(meaning, rule) }
    }
}

extension TreeBuilder {
    /// Notes that an item's last field is hidden, belongs to a table, orders its level, or names another document.
    @inline(never)
    private mutating func noteStructure(_ meaning: SlotTable.Meaning, _ rule: SlotTable.Rule) {
        isPlain = false
        if rule.isOfTable { hasTables = true }
        if rule.arrangesLevel { items.noteOrder() }
        if meaning.slot == sourceSlot { holdsSources = true }
        guard rule.isHidden else { return }
        if rule.isForRoot, items.count > 1, !takesMountedPage {
            expected = .anything
        } else {
            tree.fields.bytes.append(PackedTag.hidden)
        }
    }
}

extension Slot.Check {
    @inline(__always)
    fileprivate func applies(to meaning: SlotTable.Meaning, isStrongest: Bool) -> Bool {
        switch self {
        case .noName: false
        case .allNames: true
        case .strongestSoFar: isStrongest
        case .firstName: meaning.rank == 0
        }
    }
}

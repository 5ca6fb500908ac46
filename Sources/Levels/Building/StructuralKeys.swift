internal import Bytes
public import PropertyLists

/// Keys. The key of an item or a section decides which values are fields, and whether a list holds the level.
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
        if meaning.slot != .none {
            try fill(meaning, isRepeated: earlier != nil)
        } else {
            fieldKinds = .all
            if meaning.isNearMiss { warnAboutNearMiss(name, in: itemSlots, at: position) }
        }
    }

    /// Refuses a document whose root has many fields, but no rows so far; see `mostBytesBeforeRows`.
    @inline(__always)
    func checkBytesBeforeRows() throws(PropertyListError) {
        guard items.count == 1, let mostBytesBeforeRows, items.levelSlot == .none,
            tree.fields.bytes.count > mostBytesBeforeRows
        else { return }
        throw PropertyListError(reason: "the document has no level so far", at: frames.first?.position)
    }

    private mutating func sectionKey(_ name: Span<UInt8>, at position: SourcePosition) throws(PropertyListError) {
        let meaning = sectionSlots.meaning(of: name)
        tree.fields.begin(name, meaning: meaning, at: position)
        if sectionSlots[meaning.slot].holdsLevel, frames.last?.list?.claimRows() == false { throw secondRows }
        fieldKinds = sectionSlots[meaning.slot].fieldKinds
        if meaning.isNearMiss { warnAboutNearMiss(name, in: sectionSlots, at: position) }
    }

    /// Puts the last field of the innermost item into a slot.
    private mutating func fill(_ meaning: KeyMeaning, isRepeated: Bool) throws(PropertyListError) {
        if itemSlots[meaning.slot].holdsLevel {
            guard items.levelSlot == .none || isRepeated else { throw secondLevel }
            items.claimLevel(meaning.slot)
        }
        let isStrongest = items.field(meaning.slot).map { meaning.rank <= tree.fields.start($0).meaning.rank } ?? true
        if isStrongest { items.fill(meaning.slot, with: tree.fields.count - 1) }
        switch meaning.slot {
        case .title where meaning.rank > 0, .key where !isStrongest: fieldKinds = .all
        default: fieldKinds = itemSlots[meaning.slot].fieldKinds
        }
        if itemSlots[meaning.slot].isHidden { hide(meaning.slot) }
    }

    /// Marks the last field of the innermost item as hidden, unless the slot is only for the root.
    @inline(never)
    private mutating func hide(_ slot: SlotNumber) {
        if slot == .preferenceSpecifiers, items.count > 1, !takesMountedPage {
            fieldKinds = .all
        } else {
            tree.fields.bytes.append(PackedTag.hidden)
        }
    }

    /// Adds a packed structural field to the innermost item. If the field is the place of a level, the level is not
    /// copied.
    mutating func keep(_ name: Span<UInt8>, packed value: Span<UInt8>) throws(PropertyListError) {
        try key(name, at: .byte(offset: 0))
        // For a hidden field, the key has written the mark `hidden`; `value` also begins with this mark.
        tree.fields.bytes.truncate(to: tree.fields.start(tree.fields.count - 1).name.upperBound)
        tree.fields.bytes.append(value)
    }
}

/// The meaning of the next value.
extension TreeBuilder {
    /// The slot of the latest key of an item or a section; `none` if the key allows any value.
    var openSlot: SlotNumber {
        fieldKinds == .all ? .none : tree.fields.start(tree.fields.count - 1).meaning.slot
    }

    /// Whether a string or a dictionary is an item of the innermost list.
    package var takesItems: Bool { kind?.holdsItems == true }

    /// Whether an array holds the children of the innermost item.
    package var takesChildren: Bool { kind == .item && openSlot == .children }

    /// Whether a dictionary holds the sections of the innermost item.
    package var takesNamedSections: Bool { kind == .item && openSlot == .sections }

    /// Whether an array holds the rows of an item or of a section.
    package var takesRows: Bool {
        switch kind {
        case .item: takesChildren || takesNamedSections
        case .section: openSlot == .children
        case .rows: takesSections
        case .sectionList, .namedSections: true
        default: false
        }
    }

    /// Whether an array as the first element turns the innermost list of rows into a list of sections.
    var takesSections: Bool {
        guard let list = frames.last else { return false }
        return list.list == nil && list.base.row == tree.rows.count
    }

    /// Whether a section of the innermost list may be a dictionary.
    var takesSectionDictionaries: Bool { frames.last?.list?.rule.form == .sections }
}

/// The slots of an open item: the values of its structural keys.
extension TreeBuilder {
    func name(ofField field: Int) -> String {
        String(utf8: tree.fields.bytes.span.extracting(tree.fields.start(field).name))
    }

    /// The position of a slot's key in the document; nil if the slot is empty.
    func position(of slot: SlotNumber, in item: GatheredItem) -> SourcePosition? {
        item.field(slot).flatMap { tree.fields.start($0).place.position }
    }

    /// The text of a slot, or the JSON text of a number, date or Boolean; nil if the slot is empty.
    func text(of slot: SlotNumber, in item: GatheredItem) -> String? {
        item.field(slot).flatMap { tree.fields.scalarText(at: tree.fields.start($0).name.upperBound) }
    }

    /// The texts of a slot that is an array; nil if the slot is empty.
    ///
    /// - Throws: `PropertyListError` if any element is not a scalar.
    func texts(of slot: SlotNumber, in item: GatheredItem) throws(PropertyListError) -> [String]? {
        guard let field = item.field(slot) else { return nil }
        var value = tree.fields.start(field).name.upperBound
        if tree.fields.bytes.span[value] == PackedTag.hidden.rawValue { value += 1 }
        return try PackedReader(bytes: tree.fields.bytes.span, at: value).elements?.map {
            (element) throws(PropertyListError) -> String in
            guard let text = tree.fields.scalarText(at: element.lowerBound) else {
                throw PropertyListError(
                    reason: "'\(quoted: name(ofField: field))' must contain only text", path: currentPath())
            }
            return text
        }
    }
}

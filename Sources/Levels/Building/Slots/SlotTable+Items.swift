internal import Locking

extension SlotTable {
    /// The tables for the usual items and their sections.
    private struct OfItems: Sendable {
        let names: StructuralNames
        let items, sections: SlotTable
    }

    /// Those that were made last: an edit builds single items, and making the tables is a quarter of that.
    private static let latest = Guarded<OfItems?>(nil)

    /// The tables for items and for their sections.
    ///
    /// - Parameter slots: the structural keys of items; nil for the usual ones.
    static func forItems(_ slots: [Slot]?, names: StructuralNames) -> (items: SlotTable, sections: SlotTable) {
        if let slots { return (SlotTable(slots, names: names), SlotTable(Slot.ofSections, names: names)) }
        if let known = latest.withLock({ $0 }), known.names == names { return (known.items, known.sections) }
        let made = OfItems(
            names: names, items: SlotTable(Slot.ofItems, names: names),
            sections: SlotTable(Slot.ofSections, names: names))
        latest.withLock { $0 = made }
        return (made.items, made.sections)
    }
}

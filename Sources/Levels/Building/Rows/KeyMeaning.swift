/// The meaning of a dictionary key in an item or a section.
struct KeyMeaning {
    /// The rank of the name among the names of its slot; the name with the lowest rank is the strongest.
    var rank: UInt32 = 0
    /// The slot of the key; `none` if the key is an ordinary field.
    var slot = SlotNumber.none
    /// Whether the name is one typing error away from a structural name.
    var isNearMiss = false
    /// Whether the name is, regardless of case, one typing error away from the name of a list.
    var isNearList = false
}

/// The number of a `Slot`, in the table of items or in the table of sections; `sectionTitle` has the number of `title`.
struct SlotNumber: RawRepresentable, Equatable, Sendable {
    let rawValue: UInt8

    static let none = SlotNumber(rawValue: 0)

    /// How many numbers there are, for an item's table of slots.
    static let count = 24
}

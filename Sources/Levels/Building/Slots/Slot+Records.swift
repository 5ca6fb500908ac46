internal import PropertyLists

extension Slot {
    /// `Records`: a table whose records are the item's level, drilled by the fields that `DrillBy` names; in the
    /// document, or as the name of a file.
    static let records = Slot(
        "records", names: .fixed(["Records"]), value: Expectation(.text, array: .list), isHidden: true, array: .records
    ) { name in "'\(quoted: name)' must be an array of dictionaries or the name of a file" }
}

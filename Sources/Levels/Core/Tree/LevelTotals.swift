/// The totals of a level over its rows and all levels below them.
struct LevelTotals {
    /// The number of shown items in and below the level.
    private(set) var items: Int
    private(set) var hiddenItems: Int
    /// The number of levels in the deepest branch, the level itself included; 0 without rows.
    private(set) var height: Int
    /// Whether some text or date below the level cannot appear in XML.
    private(set) var holdTextBeyondXML = false
    /// Whether the level of a row below this level comes from another file.
    private(set) var holdParts = false
    /// Whether an item below the level may order the item's own level.
    private(set) var mayHoldOrders = false

    /// The totals of some rows, of which the last `hidden` are hidden.
    ///
    /// - Parameter children: the levels below the rows; empty if all rows are leaves.
    init(rows: Int, hidden: Int, children: [Level?]) {
        items = rows - hidden
        hiddenItems = hidden
        height = rows > 0 ? 1 : 0
        for (row, child) in children.enumerated() {
            guard let child else { continue }
            let isShown = row < rows - hidden
            items += isShown ? child.itemCount : 0
            hiddenItems += Int(child.hiddenItemCount) + (isShown ? 0 : child.itemCount)
            height = max(height, Int(child.height) + 1)
            holdTextBeyondXML = holdTextBeyondXML || child.holdsTextBeyondXML
            holdParts = holdParts || child.holdsParts
            mayHoldOrders = mayHoldOrders || child.mayHoldOrders
        }
    }
}

extension Level {
    /// The number of items in and below this level, including hidden ones.
    var fullItemCount: Int { itemCount + Int(hiddenItemCount) }

    /// The number of levels in the deepest branch, this level included; 0 without rows.
    public var depth: Int { Int(height) }

    /// Returns a level with the same rows and other levels below them; O(rows), without reading the rows.
    ///
    /// The fields of each row with a level must have a place for a level of that level's form.
    ///
    /// - Parameter children: the level below each row; empty if all rows are leaves.
    func replacing(children: [Level?]) -> Level {
        Level(
            bytes: bytes, children: children, sections: allSections, keyIndex: keyIndex, form: form, ownHash: ownHash,
            rowsHoldTextBeyondXML: rowsHoldTextBeyondXML, rowsHoldParts: rowsHoldParts, mayHoldOrders: mayHoldOrders)
    }

    /// Returns the level with other levels below some of its rows. `levels` contains the new levels by row number.
    public func placing(_ levels: [Int: Level]) -> Level {
        guard !levels.isEmpty else { return self }
        return replacing(children: (0..<rowCount).map { levels[$0] ?? child($0) })
    }
}

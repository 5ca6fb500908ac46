/// The totals of a level over its rows and all levels below them.
struct LevelTotals {
    /// The number of shown items in and below the level.
    private(set) var items = 0
    private(set) var hiddenItems = 0
    /// The depth of the items, in levels; 0 without rows.
    private(set) var height = 0
    /// Whether some text or date below the level cannot appear in XML.
    private(set) var holdTextBeyondXML = false
    /// Whether the level of some row below the level comes from another file.
    private(set) var holdParts = false
    /// Whether an item in or below the level may give its level an order.
    var mayHoldOrders: Bool
    /// Whether the row that determined `height` was removed, and the same for the two Booleans.
    private var isHeightInDoubt = false
    private var isTextInDoubt = false
    private var arePartsInDoubt = false

    /// The totals of some rows, of which the last `hidden` are hidden.
    ///
    /// - Parameter children: the levels below the rows; empty if there is none.
    init(rows: Int, hidden: Int, children: [Level?], rowsMayHoldOrders: Bool) {
        mayHoldOrders = rowsMayHoldOrders
        items = rows - hidden
        hiddenItems = hidden
        height = rows > 0 ? 1 : 0
        for (row, child) in children.enumerated() {
            if let child { add(child, isShown: row < rows - hidden) }
        }
    }

    init(of level: Level) {
        items = level.itemCount
        hiddenItems = Int(level.hiddenItemCount)
        height = Int(level.height)
        holdTextBeyondXML = level.holdsTextBeyondXML
        isTextInDoubt = level.rowsHoldTextBeyondXML
        holdParts = level.holdsParts
        mayHoldOrders = level.mayHoldOrders
        arePartsInDoubt = level.rowsHoldParts
    }

    mutating func add(rowOver child: Level?, isShown: Bool) {
        items += isShown ? 1 : 0
        hiddenItems += isShown ? 0 : 1
        raise(to: 1)
        if let child { add(child, isShown: isShown) }
    }

    private mutating func add(_ child: Level, isShown: Bool) {
        items += isShown ? child.itemCount : 0
        hiddenItems += Int(child.hiddenItemCount) + (isShown ? 0 : child.itemCount)
        raise(to: Int(child.height) + 1)
        if child.holdsTextBeyondXML { (holdTextBeyondXML, isTextInDoubt) = (true, false) }
        if child.holdsParts { (holdParts, arePartsInDoubt) = (true, false) }
        if child.mayHoldOrders { mayHoldOrders = true }
    }

    private mutating func raise(to newHeight: Int) {
        guard newHeight >= height else { return }
        height = newHeight
        isHeightInDoubt = false
    }

    mutating func remove(rowOver child: Level?, isShown: Bool) {
        let (below, hiddenBelow) = (child?.itemCount ?? 0, Int(child?.hiddenItemCount ?? 0))
        items -= isShown ? 1 + below : 0
        hiddenItems -= hiddenBelow + (isShown ? 0 : 1 + below)
        if Int(child?.height ?? 0) + 1 == height { isHeightInDoubt = true }
        if child?.holdsTextBeyondXML == true { isTextInDoubt = true }
        if child?.holdsParts == true { arePartsInDoubt = true }
    }

    /// Recomputes the totals from the remaining rows if removed rows made them uncertain.
    ///
    /// - Parameter children: the levels below the rows; empty if there is none.
    mutating func settle(children: [Level?]) {
        guard isHeightInDoubt || isTextInDoubt || arePartsInDoubt else { return }
        height = items + hiddenItems > 0 ? 1 : 0
        holdTextBeyondXML = false
        holdParts = false
        for child in children {
            guard let child else { continue }
            height = max(height, Int(child.height) + 1)
            holdTextBeyondXML = holdTextBeyondXML || child.holdsTextBeyondXML
            holdParts = holdParts || child.holdsParts
        }
    }
}

extension Level {
    /// The number of items in and below this level, including hidden ones.
    var fullItemCount: Int { itemCount + Int(hiddenItemCount) }

    /// The empty list of items, as a builder makes it.
    static let empty = Level(
        bytes: [4, 0, 0, 0], children: [], sections: [], keyIndex: KeyIndex(rowCount: 0), form: .rows,
        mayHoldTextBeyondXML: false)

    /// The same level with another one below a row; O(rows), without reading their content.
    ///
    /// The row's own fields must have a place for a level of this form.
    func replacingChild(of row: Int, with child: Level) -> Level {
        let isShown = row < count
        var totals = LevelTotals(of: self)
        totals.remove(rowOver: self.child(row), isShown: isShown)
        totals.add(rowOver: child, isShown: isShown)
        var children = children
        if children.isEmpty { children = Array(repeating: nil, count: rowCount) }
        children[row] = child
        totals.settle(children: children)
        return Level(
            bytes: bytes, children: children, sections: allSections, keyIndex: keyIndex, form: form, ownHash: ownHash,
            totals: totals, rowsHoldTextBeyondXML: rowsHoldTextBeyondXML, rowsHoldParts: rowsHoldParts)
    }

    /// Whether a row has a level of this form below it, so that another can take its place.
    func hasChild(of row: Int, like child: Level) -> Bool { self.child(row)?.form == child.form }
}

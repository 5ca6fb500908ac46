extension Level {
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

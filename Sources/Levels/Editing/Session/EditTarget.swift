/// An item that an edit concerns, in the whole document and in its file.
struct EditTarget {
    /// The item as clients see it.
    let shown: Item
    /// The number of its file among those of the session.
    let file: Int
    /// The item in the file's own document.
    let item: Item

    /// The rows that lead to the place where the file is mounted.
    var mount: [Int] { Array(shown.rowPath.prefix(shown.depth - item.depth)) }
}

extension EditTarget {
    /// Refuses what cannot be edited whatever its content is.
    ///
    /// - Parameter asOwner: whether the level below the item is edited, not the item.
    func checkEditable(asOwner: Bool) throws(EditRefusal) {
        let level = item.level
        let forms = [shown.own.level.form, item.own.level.form] + (asOwner ? [level?.form, shown.level?.form] : [])
        for case let form? in forms {
            switch form {
            case .elements, .entries: throw EditRefusal(.anyShape)
            case .facets, .records: throw EditRefusal(.records)
            case .specifiers: throw Self.settingsPage
            case .rows, .arraysOfRows, .sections, .namedSections: continue
            }
        }
        if item.depth == 0, level?.form == .specifiers { throw Self.settingsPage }
        if asOwner, item.own.level.part(item.own.row)?.isTable == true { throw EditRefusal(.records) }
    }

    private static var settingsPage: EditRefusal {
        .conflict("a settings page cannot be edited; only the values of its controls can be set")
    }
}

internal import PropertyLists

/// The errors for values that the place where they appear does not allow.
extension TreeBuilder {
    func refusal(of kind: ScalarKind) -> PropertyListError {
        let what = kind.phrase
        return switch self.kind {
        case nil: Self.noLevel(what)
        case .rows, .sectionRows: misplacedElement(what)
        case .records: misplacedRecord(what)
        case .sectionList where !allowsSectionDictionaries:
            PropertyListError("a section must be an array, not \(what)")
        case .sectionList: PropertyListError("a section must be an array or a dictionary, not \(what)")
        case .namedSections:
            PropertyListError("the section '\(quoted: sectionName)' must be an array of items, not \(what)")
        default: wrongValue(what)
        }
    }

    var refusalOfDictionary: PropertyListError {
        switch kind {
        case .sectionList:
            PropertyListError("a section must be an array here; sections with their own Title go into 'Sections'")
        case .namedSections: PropertyListError("the section '\(quoted: sectionName)' must be an array of items")
        default: wrongValue("a dictionary")
        }
    }

    var refusalOfArray: PropertyListError {
        switch kind {
        case .rows:
            PropertyListError(
                "an item must be a string or a dictionary, not an array; for sections every element must be an array")
        case .sectionRows: arrayAmongRows
        case .records: misplacedRecord("an array")
        default: wrongValue("an array")
        }
    }

    /// The error for the value of a structural key.
    func wrongValue(_ what: String) -> PropertyListError {
        guard expected.slot != 0 else { return PropertyListError("\(what) is not allowed here") }
        let slot = (kind == .section ? sectionSlots : itemSlots).slot(expected.slot)
        return PropertyListError("\(slot.demand(name(ofField: tree.fields.count - 1))), not \(what)")
    }

    /// The error for a second field that would hold the level of an item.
    var secondLevel: PropertyListError {
        let first = items.innermost.levelField.map { name(ofField: $0) } ?? ""
        let second = name(ofField: tree.fields.count - 1)
        return PropertyListError(
            "the item has both '\(quoted: first)' and '\(quoted: second)'; only one of them can hold its level")
    }

    /// The error for a second field that would hold the rows of a section.
    var secondRows: PropertyListError {
        let second = name(ofField: tree.fields.count - 1)
        return PropertyListError("the section has a second list of rows, '\(quoted: second)'; only one is allowed")
    }

    /// The error for a document without a level; its callers look for names that would make one.
    static func noLevel(_ what: String) -> PropertyListError {
        PropertyListError(
            "the document is \(what); it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
        )
    }

    var nestsTooDeep: PropertyListError {
        PropertyListError("items nest deeper than \(tree.limits.depth) levels; flatten the tree")
    }

    private var allowsSectionDictionaries: Bool { frames.last?.elements.dictionary == .section }

    private var sectionName: String { frames.last?.list?.name ?? "" }

    private func misplacedElement(_ what: String) -> PropertyListError {
        PropertyListError(
            "element \(elementNumber) of the array is \(what), but an item must be a string or a dictionary")
    }

    private func misplacedRecord(_ what: String) -> PropertyListError {
        PropertyListError("element \(elementNumber) of the array is \(what), but a record must be a dictionary")
    }

    /// The number of the element that is being read, from 1.
    private var elementNumber: Int { tree.rows.count - (frames.last?.base.row ?? 0) + 1 }

    /// The error for an array among the rows of a section, worded as a section only if the document names it so.
    private var arrayAmongRows: PropertyListError {
        if let owner = frames.dropLast().last, owner.kind == .sectionList, owner.elements.dictionary == .refused {
            return PropertyListError(
                "arrays nest at most two deep, as sections and their rows; a row is a string or a dictionary, not an array"
            )
        }
        return PropertyListError("an array appears among the rows of a section; a row is a string or a dictionary")
    }
}

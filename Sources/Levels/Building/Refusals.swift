internal import Bytes
internal import PropertyLists

/// Errors for documents, with paths and misspelt names.
extension TreeBuilder {
    /// The error for a value that is neither a field nor structure.
    func refusal(of value: ValueKinds) -> PropertyListError {
        let what = value.phrase
        let reason =
            switch kind {
            case nil: Self.demandOfLevel(what)
            case .rows where value == .array:
                "an item must be a string or a dictionary, not an array; for sections every element must be an array"
            case .sectionRows where value == .array: arrayAmongRows
            case .rows, .sectionRows:
                "element \(elementNumber) of the array is \(what), but an item must be a string or a dictionary"
            case .records: "element \(elementNumber) of the array is \(what), but a record must be a dictionary"
            case .sectionList where takesSectionDictionaries: "a section must be an array or a dictionary, not \(what)"
            case .sectionList where value == .dictionary:
                "a section must be an array here; sections with their own Title go into 'Sections'"
            case .sectionList: "a section must be an array, not \(what)"
            case .namedSections where value == .dictionary:
                "the section '\(quoted: sectionName)' must be an array of items"
            case .namedSections: "the section '\(quoted: sectionName)' must be an array of items, not \(what)"
            default: demand.map { "\($0), not \(what)" } ?? "\(what) is not allowed here"
            }
        return PropertyListError(reason: reason)
    }

    /// The beginning of the error message for a wrong value of the latest key; nil if the key allows any value.
    private var demand: String? {
        guard openSlot != .none else { return nil }
        return (kind == .section ? sectionSlots : itemSlots)[openSlot].demand?(name(ofField: tree.fields.count - 1))
    }

    var secondLevel: PropertyListError {
        let first = items.innermost.levelField.map { name(ofField: $0) } ?? ""
        let second = name(ofField: tree.fields.count - 1)
        return PropertyListError(
            reason: "the item has both '\(quoted: first)' and '\(quoted: second)'; only one of them can hold its level")
    }

    var secondRows: PropertyListError {
        let second = name(ofField: tree.fields.count - 1)
        return PropertyListError(
            reason: "the section has a second list of rows, '\(quoted: second)'; only one is allowed")
    }

    /// The reason for refusing a document without a level.
    ///
    /// - Parameter what: the kind of the document, such as `text`.
    private static func demandOfLevel(_ what: String) -> String {
        "the document is \(what); it must be an array of items, or a dictionary with 'Rows', 'Children' or 'Sections'"
    }

    var nestsTooDeep: PropertyListError {
        PropertyListError(reason: "items nest deeper than \(tree.limits.depth) levels; flatten the tree")
    }

    private var sectionName: String { frames.last?.list?.name ?? "" }

    /// The number of the current element, from 1.
    private var elementNumber: Int { tree.rows.count - (frames.last?.base.row ?? 0) + 1 }

    /// The error for an array among a section's rows. If `Children` is an array of arrays, the error describes sections
    /// as nested arrays.
    private var arrayAmongRows: String {
        if let owner = frames.dropLast().last, owner.kind == .sectionList, owner.list?.rule.form == .arraysOfRows {
            "arrays nest at most two deep, as sections and their rows; a row is a string or a dictionary, not an array"
        } else {
            "an array appears among the rows of a section; a row is a string or a dictionary"
        }
    }
}

/// The errors for missing structural keys. An error mentions a misspelt name if one is present in place of the key.
extension TreeBuilder {
    /// The error about the innermost item, which has neither a title nor a key.
    var noTitle: PropertyListError {
        let found = fieldNames { tree.fields.scalarText(at: $0) != nil }
        return PropertyListError(reason: missingTitle(among: found), at: frames.last?.position, path: currentPath())
    }

    private func missingTitle(among found: [String]) -> String {
        let title = names[.title].first ?? "Title"
        let key = names[.key].first ?? "Key"
        if let (field, meant) = misspelt(among: found, roles: [.title]) {
            return "an item has '\(quoted: field)' but no '\(quoted: title)'; did you mean '\(quoted: meant)'?"
        }
        if let (field, meant) = misspelt(among: found, roles: [.key]) {
            return "an item has '\(quoted: field)' but no '\(quoted: title)' and no '\(quoted: key)'; "
                + "did you mean '\(quoted: meant)'?"
        }
        return "an item has no '\(quoted: title)'; give it one, or a '\(quoted: key)'"
    }

    /// The error for a root dictionary without a level.
    var noLevel: PropertyListError {
        let found = fieldNames { value in
            let tag = tree.fields.bytes.span[value]
            return tag == PackedTag.array.rawValue || tag == PackedTag.dictionary.rawValue
        }
        let slip = misspelt(among: found, roles: [.children, .sections])
        let reason = slip.map { field, meant in
            "the document is a dictionary without a level, but it has '\(quoted: field)'; did you mean '\(quoted: meant)'?"
        }
        return PropertyListError(
            reason: reason ?? Self.demandOfLevel("a dictionary without a level"), at: frames.last?.position)
    }

    private func misspelt(
        among found: [String], roles: [StructuralNames.Role]
    ) -> (field: String, meant: String)? {
        for field in found {
            if let meant = names.slip(field, of: roles) { return (field, meant) }
        }
        return nil
    }

    private static var mostNames: Int { 100 }

    /// The names of the innermost item's fields whose values satisfy `fits`.
    private func fieldNames(_ fits: (_ value: Int) -> Bool) -> [String] {
        var reader = PackedReader(bytes: tree.fields.bytes.span, at: items.innermost.base.start)
        var found: [String] = []
        while reader.offset < tree.fields.bytes.count, found.count < Self.mostNames {
            let name = reader.run()
            if fits(reader.offset) { found.append(String(utf8: tree.fields.bytes.span.extracting(name))) }
            reader.skipValue()
        }
        return found
    }
}

/// Paths, for errors and warnings.
extension TreeBuilder {
    /// The titles from the root to the innermost open item, such as `/Item 4/Screen G`; `/` at the root. Nil if no
    /// container is open.
    public func currentPath() -> String? {
        guard !frames.isEmpty else { return nil }
        let open = frames.indices.filter { frames[$0].kind.isItem }
        let titles = zip(open, items.all).dropFirst().map { number, item in
            title(of: item).map { QuotedText(text: $0).description } ?? untitledStep(item, frame: number)
        }
        return TitlePath.joined(Array(titles))
    }

    private func title(of item: GatheredItem) -> String? {
        guard let field = item.field(.title) ?? item.field(.key), field < tree.fields.count else { return nil }
        return scalarText(ofField: field)
    }

    /// Describes an untitled item by its number and its first distinguishing field.
    private func untitledStep(_ item: GatheredItem, frame number: Int) -> String {
        let row = item.base.row - (frames[..<number].last { $0.kind.holdsItems }?.base.row ?? 0) + 1
        let isInnermost = number == frames.count - 1
        // The last field of an outer item holds the open value.
        let end = isInnermost ? tree.fields.count : frames[number + 1].base.field - 1
        let known = distinguishingField(of: item, before: end)
        return "(item \(row)\(known.map { ", \($0)" } ?? ""))"
    }

    private func distinguishingField(of item: GatheredItem, before end: Int) -> String? {
        for field in item.base.field..<max(end, item.base.field) where field != item.levelField {
            guard let text = scalarText(ofField: field), !text.isEmpty else { continue }
            return "\(quoted: name(ofField: field)) '\(quoted: text)'"
        }
        return nil
    }

    /// The text of a field; nil for a container, and before the value is read.
    private func scalarText(ofField field: Int) -> String? {
        let value = tree.fields.start(field).name.upperBound
        return value < tree.fields.bytes.count ? tree.fields.scalarText(at: value) : nil
    }
}

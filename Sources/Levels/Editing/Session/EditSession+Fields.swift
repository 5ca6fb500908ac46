internal import Bytes
internal import PropertyLists

/// Changes of an item's own fields.
extension EditSession {
    mutating func patch(_ changes: PropertyListValue, at path: ItemPath, isExact: Bool) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        try replace(target, with: patchedRow(of: target, changes: changes, isExact: isExact))
    }

    func patchedRow(
        of target: EditTarget, changes: PropertyListValue, isExact: Bool
    ) throws(EditRefusal) -> RowMaker.Made {
        guard case .dictionary(let changes) = changes else {
            throw .invalid("a merge patch of an item must be a dictionary")
        }
        try refuseStructure(in: changes, of: target.item)
        let content = try ownContent(of: target)
        let fields = try MergePatch.merged(changes, into: content.fields, isExact: isExact)
        return try row(of: target, content: content, with: fields, isSet: changes["Value"] != nil)
    }

    mutating func put(
        _ item: PropertyListValue, at path: ItemPath, onlyIfNew: Bool, isExact: Bool
    ) throws(EditRefusal) {
        switch Item.find(path, in: document) {
        case .found(let shown):
            guard !onlyIfNew else {
                throw EditRefusal(
                    .exists, detail: "\(shown.titlePath) exists already; put it without If-None-Match to replace it.")
            }
            let target = try target(path, asOwner: false)
            try replace(target, with: putRow(of: target, item: item, isExact: isExact))
        case .missing(let nearest, let number):
            guard number == path.count - 1, nearest.level?.refusal == nil else {
                throw Self.missing(path.key(number), nearest: nearest)
            }
            try item.checkItem()
            try make(item, keyed: path.key(number), below: target(nearest, asOwner: true))
        }
    }

    // MARK: Items that exist

    func putRow(of target: EditTarget, item: PropertyListValue, isExact: Bool) throws(EditRefusal) -> RowMaker.Made {
        try item.checkItem()
        let content = try ownContent(of: target)
        var new = item.fields(names)
        try refuseStructure(in: new, of: target.item)
        if target.item.depth > 0, !(names[.title] + names[.key]).contains(where: { new[$0] != nil }) {
            // Even without the key that is kept from the old item, the body must be a valid item.
            _ = try maker(for: target, group: target.item.ownGroup).row(of: item)
        }
        let old = content.fields
        if !names[.key].contains(where: { new[$0] != nil }), let name = names[.key].first(where: { old[$0] != nil }) {
            new[name] = old[name]
        }
        let fields = isExact ? new : new.fitted(to: old)
        return try row(of: target, content: content, with: fields, isSet: new["Value"] != nil)
    }

    private func row(
        of target: EditTarget, content: ItemContent, with fields: PropertyListDictionary, isSet: Bool
    ) throws(EditRefusal) -> RowMaker.Made {
        let made = try remade(target, content: content.replacing(fields: fields, names: names))
        if isSet, let value = fields["Value"], value != content.fields["Value"] { try check(value, of: made) }
        return made
    }

    private mutating func replace(_ target: EditTarget, with made: RowMaker.Made) throws(EditRefusal) {
        let edit = RowEdit.replace(target.path, with: made.step, keepsLevel: target.item.keepsLevel)
        try log([edit], of: target, at: target.path, referringTo: made.parts)
    }

    /// Checks the value of a control.
    private func check(_ value: PropertyListValue, of made: RowMaker.Made) throws(EditRefusal) {
        guard let control = made.step.level.control(ofRow: made.step.row) else { return }
        try ControlCheck.check(value, for: control)
    }

    // MARK: New items

    private mutating func make(
        _ item: PropertyListValue, keyed key: String, below target: EditTarget
    ) throws(EditRefusal) {
        var fields = item.fields(names)
        try refuseStructure(in: fields, of: nil)
        let wanted = Array(key.utf8)
        guard ItemKey.natural(wanted.span) == wanted else {
            throw .invalid(
                "'\(quoted: key)' cannot be a key, because URLs cannot contain it; put the item at another path")
        }
        for name in names[.key] {
            guard case .string(let own)? = fields[name] else { continue }
            guard ItemKey.natural(Array(own.utf8).span) == wanted else {
                throw .invalid(
                    "the key '\(quoted: own)' is not that of the path, '\(quoted: key)'; leave it out, or put the item "
                        + "at the path of its key", at: JSONPointer.step(name))
            }
        }
        let (plain, row) = try appended(item, below: target)
        if plain.level?.row(withKey: wanted.span) != row {
            fields[names[.key].first ?? "Key"] = .string(key)
            return try insertLast(.dictionary(fields), below: target)
        }
        try insertLast(item, below: target)
    }

    private mutating func insertLast(_ item: PropertyListValue, below target: EditTarget) throws(EditRefusal) {
        try insert(item, below: target, at: .last, section: nil)
    }

    /// Returns the target's item with a new item as its last row, and the number of that row.
    private func appended(
        _ item: PropertyListValue, below target: EditTarget
    ) throws(EditRefusal) -> (owner: Item, row: Int) {
        var session = self
        try session.insertLast(item, below: target)
        try session.settle()
        guard let owner = Item(rowPath: target.shown.rowPath, in: session.document),
            let row = session.lastFollowedRow
        else { throw .conflict("the new item cannot be found") }
        return (owner, row)
    }

    // MARK: Rules

    /// Returns the error in a new item, regardless of its place; nil for a valid item. This error takes precedence over
    /// an error in the place.
    func fault(of item: PropertyListValue) -> EditRefusal? {
        do throws(EditRefusal) {
            try item.checkItem()
            _ = try maker.row(of: item)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error in the item of a `put`; nil for a valid item. The item must not contain rows.
    func faultOfPut(_ item: PropertyListValue) -> EditRefusal? {
        if let fault = fault(of: item) { return fault }
        do throws(EditRefusal) { try refuseStructure(in: item.fields(names), of: nil) } catch { return error }
        return nil
    }

    private func ownContent(of target: EditTarget) throws(EditRefusal) -> ItemContent {
        let row = target.item.own.level.row(target.item.own.row)
        if target.item.depth == 0, row.fields.isEmpty, !row.isString {
            throw .conflict(
                "the document is an array, so its root has no fields; make it a dictionary with 'Rows'")
        }
        return try content(of: target)
    }

    private func refuseStructure(in fields: PropertyListDictionary, of item: Item?) throws(EditRefusal) {
        var structure = StructuralNames.Role.lists.flatMap { names[$0] } + [PartReference.recordsName]
        if item?.depth == 0 { structure.append("PreferenceSpecifiers") }
        if let item, item.level?.countElsewhere == nil, case .string(let address)? = fields[DatabaseReference.name],
            address.contains(":")
        {
            structure.append(DatabaseReference.name)
        }
        for name in structure where fields[name] != nil {
            throw .invalid(
                "'\(quoted: name)' is the structure of the item, not a field; insert, move or delete the items below it",
                at: JSONPointer.step(name))
        }
    }
}

extension PropertyListValue {
    /// The fields of an item. For a string, the title is the only field.
    fileprivate func fields(_ names: StructuralNames) -> PropertyListDictionary {
        if case .dictionary(let fields) = self { return fields }
        return PropertyListDictionary([.init(key: names[.title].first ?? "Title", value: self)])
    }
}

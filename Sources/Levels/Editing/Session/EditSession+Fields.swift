internal import Bytes
internal import PropertyLists

/// Changes of an item's own fields.
extension EditSession {
    mutating func patch(_ changes: PropertyListValue, at path: ItemPath, isExact: Bool) throws(EditRefusal) {
        let target = try fieldsTarget(path)
        try replace(target, with: patchedRow(of: target, changes: changes, isExact: isExact))
    }

    func patchedRow(
        of target: EditTarget, changes: PropertyListValue, isExact: Bool
    ) throws(EditRefusal) -> RowMaker.Made {
        guard case .dictionary(let changes) = changes else {
            throw .invalid("a merge patch of an item must be a dictionary")
        }
        try refuseStructure(in: changes, of: target.own)
        let content = try ownContent(of: target)
        let fields = try MergePatch.merged(changes, into: content.fields, isExact: isExact)
        return try row(of: target, content: content, with: fields, isSet: changes["Value"] != nil)
    }

    mutating func put(
        _ item: PropertyListValue, at path: ItemPath, onlyIfNew: Bool, isExact: Bool
    ) throws(EditRefusal) {
        let found = try lookUp(path)
        if found.path.count == path.count {
            guard !onlyIfNew else {
                throw EditRefusal(
                    .exists,
                    detail: "\(found.shown.titlePath) exists already; put it without If-None-Match to replace it.")
            }
            let target = try fieldsTarget(path)
            try replace(target, with: putRow(of: target, item: item, isExact: isExact))
        } else if found.path.count == path.count - 1, found.shown.level?.refusal == nil {
            try item.checkItem()
            try make(item, keyed: path.key(path.count - 1), below: target(found, asOwner: true))
        } else {
            _ = try self.item(at: path)
        }
    }

    // MARK: Items that exist

    func putRow(of target: EditTarget, item: PropertyListValue, isExact: Bool) throws(EditRefusal) -> RowMaker.Made {
        try item.checkItem()
        let content = try ownContent(of: target)
        var new = item.fields(names)
        try refuseStructure(in: new, of: target.own)
        if !target.isRoot, !(names[.title] + names[.key]).contains(where: { new[$0] != nil }) {
            // Even without the key that is kept from the old item, the body must be a valid item.
            _ = try maker(for: target, group: target.own.group).row(of: item)
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
        try change(target, referringTo: made.parts) { (draft) throws(TreeError) in
            try draft.replace(target.path, with: made.step, keepsLevel: target.keepsLevel)
        }
        try finishStep(target, at: target.path)
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
        var plain = self
        let row = try plain.insertLast(item, below: target).row
        if try !plain.hasKey(wanted, row: row, below: target) {
            fields[names[.key].first ?? "Key"] = .string(key)
            _ = try insertLast(.dictionary(fields), below: target)
        } else {
            self = plain
        }
    }

    private mutating func insertLast(
        _ item: PropertyListValue, below target: EditTarget
    ) throws(EditRefusal) -> RowPlace {
        try insert(item, below: target, at: .last, section: nil)
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
        let row = target.own.step.level.row(target.own.step.row)
        if target.isRoot, row.fields.isEmpty, !row.isString {
            throw .conflict(
                "the document is an array, so its root has no fields; make it a dictionary with 'Rows'")
        }
        return try content(of: target)
    }

    private func refuseStructure(in fields: PropertyListDictionary, of item: OwnItem?) throws(EditRefusal) {
        var structure = StructuralNames.Role.lists.flatMap { names[$0] } + [PartReference.recordsName]
        if item?.path.isEmpty == true { structure.append("PreferenceSpecifiers") }
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

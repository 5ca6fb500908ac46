internal import Bytes
internal import PropertyLists

/// The steps of a batch.
extension EditSession {
    mutating func apply(_ edit: Edit, isExact: Bool) throws(EditRefusal) {
        switch edit {
        case .insert(let item, let path, let position, let section):
            do throws(EditRefusal) {
                _ = try insert(item, below: target(path, asOwner: true), at: position, section: section)
            } catch {
                throw fault(of: item) ?? error
            }
        case .put(let item, let path, let onlyIfNew):
            do throws(EditRefusal) {
                try put(item, at: path, onlyIfNew: onlyIfNew, isExact: isExact)
            } catch {
                switch error.kind {
                case .exists, .invalid: throw error
                default: throw faultOfPut(item) ?? error
                }
            }
        case .patch(let changes, let path): try patch(changes, at: path, isExact: isExact)
        case .move(let path, let owner, let position, let section):
            try move(path, below: owner, at: position, section: section)
        case .delete(let path): try delete(path)
        }
    }

    // MARK: Items

    mutating func insert(
        _ item: PropertyListValue, below target: EditTarget, at position: RowPosition, section: Int?
    ) throws(EditRefusal) -> RowPlace {
        try item.checkItem()
        let place = try position.place(in: target, of: self, section: section)
        let made = try maker(for: target, group: target.group(of: place.section)).row(of: item)
        let branch = try branch(target)
        try change(target, referringTo: made.parts) { (draft) throws(TreeError) in
            if let branch { try draft.replace(target.path, with: branch, keepsLevel: false) }
            try draft.insert(ItemDraft(new: made.step), at: place)
        }
        try finishStep(target, at: place.path, isNew: true)
        return place
    }

    /// Returns the row of a leaf with a control, with a place for rows before the control; nil for other items.
    private func branch(_ target: EditTarget) throws(EditRefusal) -> Item.Step? {
        let own = target.own.step
        guard target.own.level == nil, own.level.row(own.row).isControl else { return nil }
        var content = try content(of: target)
        guard !content.hasPlace else { return nil }
        content.addPlace(names)
        return try remade(target, content: content).step
    }

    // MARK: Removing and moving

    private mutating func delete(_ path: ItemPath) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        guard target.shown.depth > 0 else { throw EditRefusal(.root) }
        try change(target) { (draft) throws(TreeError) in _ = try draft.remove(target.path) }
        try finishStep(target, at: nil)
    }

    private mutating func move(
        _ path: ItemPath, below ownerPath: ItemPath, at position: RowPosition, section: Int?
    ) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        let found = try item(at: ownerPath)
        guard target.shown.depth > 0 else { throw EditRefusal(.root) }
        guard !found.rows.starts(with: target.found.rows) else { throw EditRefusal(.intoItself) }
        let owner = try owner(found, beside: target)
        guard !owner.path.starts(with: target.path) else { throw EditRefusal(.intoItself) }
        let isBeside = owner.path[...] == target.path.dropLast()
        var place = try position.place(
            in: owner, of: self, section: section, without: isBeside ? target.path.last : nil)
        place.owner = owner.path.afterRemoval(of: target.path)
        let (branch, remade) = (try branch(owner), try movedRow(target, to: place, below: owner))
        try change(owner) { (draft) throws(TreeError) in
            if let branch { try draft.replace(owner.path, with: branch, keepsLevel: false) }
            try draft.move(target.path, to: place)
            if let remade { try draft.replace(place.path, with: remade, keepsLevel: target.keepsLevel) }
        }
        try finishStep(owner, at: place.path)
    }

    /// Returns the new owner of a moved item. Throws if the owner is in another file.
    private mutating func owner(_ found: FoundItem, beside target: EditTarget) throws(EditRefusal) -> EditTarget {
        if found.own != nil { return try self.target(found, asOwner: true) }
        var other = self
        other.forgetFile()
        let owner = try other.target(found, asOwner: true)
        guard owner.file == target.file else {
            throw .conflict(
                "the item and its new place are in different files, and a move would change both; insert a copy there, "
                    + "then delete the item")
        }
        return owner
    }

    /// Returns the moved row, made again for its new section; nil if neither the old nor the new section makes controls
    /// of its rows.
    private func movedRow(
        _ target: EditTarget, to place: RowPlace, below owner: EditTarget
    ) throws(EditRefusal) -> Item.Step? {
        let group = owner.group(of: place.section)
        guard group != nil || target.own.group != nil else { return nil }
        return try maker(for: target, group: group).row(of: content(of: target), replacing: target.own.step).step
    }
}

extension EditSession {
    func content(of target: EditTarget) throws(EditRefusal) -> ItemContent {
        do throws(PropertyListError) {
            return try ItemContent(of: target.own.step, names: names)
        } catch {
            throw .conflict(error.reason)
        }
    }

    /// Returns an item's row with other content.
    func remade(_ target: EditTarget, content: ItemContent) throws(EditRefusal) -> RowMaker.Made {
        try maker(for: target, group: target.own.group, isRoot: target.isRoot)
            .row(of: content, replacing: target.own.step)
    }
}

extension PropertyListValue {
    /// Throws if the value cannot be an item.
    func checkItem() throws(EditRefusal) {
        switch self {
        case .string, .dictionary: return
        default: throw .invalid("an item must be a text or a dictionary")
        }
    }
}

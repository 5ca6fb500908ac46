internal import Bytes
internal import PropertyLists

/// The steps of a batch.
extension EditSession {
    mutating func apply(_ edit: Edit, isExact: Bool) throws(EditRefusal) {
        switch edit {
        case .insert(let item, let path, let position, let section):
            do throws(EditRefusal) {
                try insert(item, below: target(path, asOwner: true), at: position, section: section)
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
    ) throws(EditRefusal) {
        try item.checkItem()
        let place = try position.place(in: target, of: draft(of: target), section: section, without: nil)
        let made = try maker(for: target, group: target.item.group(of: place.section)).row(of: item)
        try log(
            branching(target) + [.insert(made.step, at: place)], of: target, at: place.path, isNew: true,
            referringTo: made.parts)
    }

    /// Returns the edit that adds a place for rows to a leaf with a control, before the control. Returns no edit for
    /// other items.
    private func branching(_ target: EditTarget) throws(EditRefusal) -> [RowEdit] {
        let item = target.item
        guard item.level == nil, item.own.level.row(item.own.row).isControl else { return [] }
        var content = try content(of: target)
        guard !content.hasPlace else { return [] }
        content.addPlace(names)
        return [.replace(target.path, with: try remade(target, content: content).step, keepsLevel: false)]
    }

    // MARK: Removing and moving

    private mutating func delete(_ path: ItemPath) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        guard target.shown.depth > 0 else { throw EditRefusal(.root) }
        try log([.remove(target.path)], of: target, at: nil)
    }

    private mutating func move(
        _ path: ItemPath, below ownerPath: ItemPath, at position: RowPosition, section: Int?
    ) throws(EditRefusal) {
        let target = try target(path, asOwner: false)
        guard case .found(let shown) = Item.find(ownerPath, in: document) else {
            _ = try self.target(ownerPath, asOwner: true)
            return
        }
        guard target.shown.depth > 0 else { throw EditRefusal(.root) }
        guard !shown.rowPath.starts(with: target.shown.rowPath) else { throw EditRefusal(.intoItself) }
        let owner = try self.owner(shown, beside: target)
        guard !owner.item.rowPath.starts(with: target.item.rowPath) else { throw EditRefusal(.intoItself) }
        let isBeside = owner.path[...] == target.path.dropLast()
        var place = try position.place(
            in: owner, of: draft(of: owner), section: section, without: isBeside ? target.path.last : nil)
        place.owner = RowEdit.removing(target.path, from: owner.path) ?? owner.path
        var edits = try branching(owner) + [.move(target.path, to: place)]
        if let remade = try movedRow(target, to: place, below: owner) {
            edits.append(.replace(place.path, with: remade, keepsLevel: target.item.keepsLevel))
        }
        try log(edits, of: owner, at: place.path)
    }

    /// Returns the new owner of a moved item. Throws if the owner is in another file.
    private mutating func owner(_ shown: Item, beside target: EditTarget) throws(EditRefusal) -> EditTarget {
        var other = self
        other.forgetFile()
        let owner = try other.target(shown, asOwner: true)
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
        let group = owner.item.group(of: place.section)
        guard group != nil || target.item.ownGroup != nil else { return nil }
        return try maker(for: target, group: group).row(of: content(of: target), replacing: target.item.own).step
    }
}

extension EditSession {
    func content(of target: EditTarget) throws(EditRefusal) -> ItemContent {
        do throws(PropertyListError) {
            return try ItemContent(of: target.item.own, names: names)
        } catch {
            throw .conflict(error.reason)
        }
    }

    /// Returns an item's row with other content.
    func remade(_ target: EditTarget, content: ItemContent) throws(EditRefusal) -> RowMaker.Made {
        try maker(for: target, group: target.item.ownGroup, isRoot: target.item.depth == 0)
            .row(of: content, replacing: target.item.own)
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

extension Item {
    /// Whether the level below the item is kept when the item's row is made again. A level of records is not kept, but
    /// made again, too.
    var keepsLevel: Bool { level.map { !$0.form.isDrilled } ?? false }

    /// The item's section, if that section makes controls of its rows; otherwise nil.
    var ownGroup: Section? {
        own.level.allSections.first { ($0.start..<$0.start + $0.count).contains(own.row) }.flatMap { $0.ofControls }
    }

    /// Returns a section below the item, if that section makes controls of its rows; otherwise nil.
    func group(of section: Int) -> Section? {
        guard let sections = level?.allSections, sections.indices.contains(section) else { return nil }
        return sections[section].ofControls
    }
}

extension Section {
    /// The section itself, if its `Type` makes controls of its rows; otherwise nil.
    fileprivate var ofControls: Section? {
        guard !fields.isEmpty else { return nil }
        let type = PackedDictionary(bytes: fields.span, fields: 0..<fields.count).text("Type").flatMap(ControlType.init)
        return type?.ofRows == nil ? nil : self
    }
}
